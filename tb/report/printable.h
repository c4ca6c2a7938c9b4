// Text that somebody else wrote, made safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside {

// `text` with everything that could command a terminal or reorder a line spelled out: control characters, escapes,
// direction marks and bytes that are no UTF-8 become "\x1b" or "\u202e". What is longer than `longest` bytes ends in "...".
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace ringside
