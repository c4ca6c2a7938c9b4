// A comparison as a person reads it, and as a program does.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tb/compare/comparison.h"

namespace ringside {

enum class TextFormat { terminal, coloured_terminal, markdown };

// Two runs get columns for the change; more get one line each in the headline.
std::string comparison_text(const Comparison& comparison, TextFormat format);

// The document that docs/report-schema.md describes as "ringside-comparison", version 1.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

// "same behaviour", "timing moved" or "behaviour changed".
std::string verdict_name(Verdict verdict);

// Where `after` spends other cycles than `before`, the two reasons with the most: "l2 +7.71, l1 +3.48".
std::string moved_stalls(const RunReport::Figures& before, const RunReport::Figures& after);

}  // namespace ringside
