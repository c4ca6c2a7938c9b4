#include "tb/report/figure_text.h"

#include <fmt/format.h>

#include <cmath>

namespace ringside {
namespace {

// "1234567.89" as "1,234,567.89".
std::string with_separators(const std::string& digits) {
  const auto whole = std::min(digits.find('.'), digits.size());
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && i < whole && (whole - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string grouped(std::uint64_t value) { return with_separators(fmt::format("{}", value)); }

std::string figure_text(double value, bool sign) {
  if (std::abs(value) >= 1e12) return fmt::format("{}{:.6g}", sign && value > 0 ? "+" : "", value);
  const std::string digits = with_separators(fmt::format("{:.2f}", std::abs(value)));
  const bool zero = digits == "0.00";
  return (value < 0 && !zero ? "-" : sign ? "+" : "") + digits;
}

std::string count_text(double value) { return with_separators(fmt::format("{:.0f}", value)); }

std::string percent_text(double before, double after) {
  if (before == after) return "=";
  if (before == 0) return "new";
  const double percent = (after / before - 1) * 100;
  return std::abs(percent) >= 1e6 ? fmt::format("{:+.1e} %", percent) : figure_text(percent, true) + " %";
}

Tone tone_of(Better better, double before, double after) {
  if (before == after || better == Better::neither) return Tone::plain;
  return (after > before) == (better == Better::higher) ? Tone::good : Tone::bad;
}

}  // namespace ringside
