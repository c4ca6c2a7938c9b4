#include "tb/scenario/quantity.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "tb/scenario/nearest.h"

namespace ringside {
namespace {

struct UnitName {
  std::string_view name;
  std::uint64_t scale;
  bool printed;  // format_quantity() uses it; the others are spellings that are only read
};

constexpr std::array kTime{
    UnitName{"ps", 1, true},
    UnitName{"ns", 1'000, true},
    UnitName{"us", 1'000'000, true},
    UnitName{"ms", 1'000'000'000, true},
    UnitName{"s", 1'000'000'000'000, true},
    UnitName{"µs", 1'000'000, false},
};
constexpr std::array kSize{
    UnitName{"B", 1, true},
    UnitName{"KiB", 1ULL << 10, true},
    UnitName{"MiB", 1ULL << 20, true},
    UnitName{"GiB", 1ULL << 30, true},
    UnitName{"bytes", 1, false},
    UnitName{"kB", 1'000, false},
    UnitName{"MB", 1'000'000, false},
    UnitName{"GB", 1'000'000'000, false},
};
constexpr std::array kFrequency{
    UnitName{"kHz", 1, true},
    UnitName{"MHz", 1'000, true},
    UnitName{"GHz", 1'000'000, true},
};
constexpr std::array kBandwidth{
    UnitName{"bps", 1, true},
    UnitName{"kbps", 1'000, true},
    UnitName{"Mbps", 1'000'000, true},
    UnitName{"Gbps", 1'000'000'000, true},
    UnitName{"Tbps", 1'000'000'000'000, true},
    UnitName{"bit/s", 1, false},
    UnitName{"kbit/s", 1'000, false},
    UnitName{"Mbit/s", 1'000'000, false},
    UnitName{"Gbit/s", 1'000'000'000, false},
    UnitName{"Mb/s", 1'000'000, false},
    UnitName{"Gb/s", 1'000'000'000, false},
    UnitName{"MB/s", 8'000'000, false},
    UnitName{"GB/s", 8'000'000'000, false},
    UnitName{"MiB/s", 8ULL << 20, false},
    UnitName{"GiB/s", 8ULL << 30, false},
};
constexpr std::array kPacketRate{
    UnitName{"pps", 1, true},
    UnitName{"kpps", 1'000, true},
    UnitName{"Mpps", 1'000'000, true},
    UnitName{"Gpps", 1'000'000'000, true},
};

std::span<const UnitName> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time: return kTime;
    case Dimension::size: return kSize;
    case Dimension::frequency: return kFrequency;
    case Dimension::bandwidth: return kBandwidth;
    case Dimension::packet_rate: return kPacketRate;
  }
  return {};
}

std::string_view example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time: return "600 ns";
    case Dimension::size: return "48 KiB";
    case Dimension::frequency: return "3.4 GHz";
    case Dimension::bandwidth: return "100 Gbps";
    case Dimension::packet_rate: return "50 Mpps";
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string allowed_units(std::span<const UnitName> units) {
  std::string all;
  for (const auto& unit : units) all += fmt::format("{}{}", all.empty() ? "" : ", ", unit.name);
  return all;
}

const UnitName& find_unit(std::string_view name, std::string_view text, Dimension dimension) {
  const auto units = units_of(dimension);
  for (const auto& unit : units) {
    if (unit.name == name) return unit;
  }
  std::vector<std::string> names;
  for (const auto& unit : units) names.emplace_back(unit.name);
  throw QuantityError(fmt::format("\"{}\" has the unknown unit \"{}\"; units are {}{}", text, name, allowed_units(units),
                                  did_you_mean(name, names)));
}

}  // namespace

std::uint64_t scaled_decimal(std::string_view text, std::uint64_t scale, std::string_view base_unit) {
  using Wide = unsigned __int128;
  const auto too_large = [&] { return QuantityError(fmt::format("\"{}\" is too large for 64 bits of {}", text, base_unit)); };
  constexpr Wide kLimit = (Wide{1} << 127) / 10 - 1;
  Wide mantissa = 0;
  Wide divisor = 1;
  bool digits = false;
  bool fraction = false;
  for (const char c : text) {
    if (c == '.' && !fraction && digits) {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      if (mantissa > kLimit || divisor > kLimit) throw too_large();
      mantissa = mantissa * 10 + static_cast<unsigned>(c - '0');
      if (fraction) divisor *= 10;
      digits = true;
    } else {
      digits = false;
      break;
    }
  }
  if (!digits || text.back() == '.') {
    throw QuantityError(fmt::format("\"{}\" is not a number; digits with at most one decimal point are allowed", text));
  }
  while (divisor > 1 && mantissa % 10 == 0) {
    mantissa /= 10;
    divisor /= 10;
  }
  if (mantissa > (~Wide{0}) / scale) throw too_large();
  const Wide scaled = mantissa * scale;
  if (scaled % divisor != 0) {
    throw QuantityError(fmt::format("\"{}\" is finer than 1 {}; a whole number of {} is allowed", text, base_unit, base_unit));
  }
  if (scaled / divisor > ~std::uint64_t{0}) throw too_large();
  return static_cast<std::uint64_t>(scaled / divisor);
}

std::uint64_t parse_quantity(std::string_view text, Dimension dimension) {
  const auto whole = trimmed(text);
  const auto number_length = std::min(whole.find_first_not_of("0123456789."), whole.size());
  const auto number = whole.substr(0, number_length);
  const auto unit = trimmed(whole.substr(number_length));
  const auto base = units_of(dimension).front();
  if (number.empty()) {
    throw QuantityError(fmt::format("\"{}\" is not a quantity; a number and a unit are allowed, such as \"{}\" (units: {})",
                                    text, example_of(dimension), allowed_units(units_of(dimension))));
  }
  if (unit.empty()) {
    const auto value = scaled_decimal(number, 1, base.name);
    if (value == 0 || dimension == Dimension::size) return value;
    throw QuantityError(fmt::format("{} has no unit; a number and a unit are allowed, such as \"{}\" (units: {})", number,
                                    example_of(dimension), allowed_units(units_of(dimension))));
  }
  return scaled_decimal(number, find_unit(unit, whole, dimension).scale, base.name);
}

std::string format_quantity(std::uint64_t value, Dimension dimension) {
  const auto units = units_of(dimension);
  const UnitName* best = &units.front();
  for (const auto& unit : units) {
    const bool fits = dimension == Dimension::size ? value % unit.scale == 0 : value >= unit.scale;
    if (unit.printed && value != 0 && fits && unit.scale > best->scale) best = &unit;
  }
  std::string text = fmt::format("{}", value / best->scale);
  if (auto rest = value % best->scale; rest != 0) {
    std::string decimals;
    for (auto place = best->scale / 10; rest != 0; place /= 10) {
      decimals += static_cast<char>('0' + rest / place);
      rest %= place;
    }
    text += "." + decimals;
  }
  return fmt::format("{} {}", text, best->name);
}

}  // namespace ringside
