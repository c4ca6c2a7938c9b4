// "Did you mean": the valid name that is nearest to a wrong one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ringside {

// Edits that turn `a` into `b`: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or "" when none is near. Near is also a candidate that starts
// with `name`, or whose last dotted part equals `name`'s. Of equals the first one wins.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// "; did you mean X?" or "".
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace ringside
