// Numbers for the functions of a guest image.
#pragma once

#include <cstdint>

namespace ringside {

// Functions that a profile prints under one name share one number; Image knows the names.
using FunctionId = std::uint32_t;

// Code that no symbol covers.
inline constexpr FunctionId kUnknownFunction = 0;

}  // namespace ringside
