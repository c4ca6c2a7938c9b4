// Quantities as text: "3.4 GHz", "600 ns", "48 KiB". Parsed and printed in integer arithmetic, so nothing is rounded.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ringside {

enum class Dimension { time, size, frequency, bandwidth, packet_rate };

// What is wrong with the text and what is allowed, without the place; the reader of the file adds that.
class QuantityError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Value in the dimension's base unit (ps, bytes, kHz, bit/s, packets/s). A bare number is accepted for sizes (bytes) and
// for 0. Throws QuantityError for an unknown unit, no number, more precision than the base unit, or more than 64 bits.
std::uint64_t parse_quantity(std::string_view text, Dimension dimension);

// Shortest exact text in a customary unit; parse_quantity() gives back the same value.
std::string format_quantity(std::uint64_t value, Dimension dimension);

// `text` as a decimal number times `scale`, which must come out whole: "0.2" times 10000 is 2000. Throws QuantityError,
// in which `base_unit` names what a whole number counts.
std::uint64_t scaled_decimal(std::string_view text, std::uint64_t scale, std::string_view base_unit);

}  // namespace ringside
