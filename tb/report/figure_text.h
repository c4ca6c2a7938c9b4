// Numbers as a person reads them.
#pragma once

#include <cstdint>
#include <string>

#include "tb/report/metrics.h"
#include "tb/report/text_table.h"

namespace ringside {

// 24812345 as "24,812,345".
std::string grouped(std::uint64_t value);

// Two decimals, thousands grouped: "20,712.45". With `sign`, "+0.20".
std::string figure_text(double value, bool sign = false);

// A counter: no decimals, thousands grouped.
std::string count_text(double value);

// The change from `before` to `after` as "-26.75 %"; "new" where there was nothing before, "=" for equal values.
std::string percent_text(double before, double after);

// Whether going from `before` to `after` is good news.
Tone tone_of(Better better, double before, double after);

}  // namespace ringside
