#include "tb/report/html_page.h"

#include <fmt/format.h>

#include <string_view>

#include "model/base/errors.h"
#include "tb/report/bounded_file.h"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "@REPORT@";

// JSON in plain ASCII without a character that could end the element around it.
std::string inside_script(const Json& document) {
  const std::string plain = document.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<' || c == '>' || c == '&') {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text;
}

std::string filled(const std::filesystem::path& page, const Json& document) {
  std::string text = read_bounded_file(page, kLargestPage, "the page of a report");
  const auto place = text.find(kPlace);
  if (place == std::string::npos || text.find(kPlace, place + 1) != std::string::npos) {
    throw InputError(fmt::format("{}: {} stands there not once; the page that Ringside's build makes is allowed", page.string(), kPlace));
  }
  text.replace(place, kPlace.size(), inside_script(document));
  return text;
}

}  // namespace

std::string html_report(const std::filesystem::path& page, const Json& report) { return filled(page, report); }

std::string html_comparison(const std::filesystem::path& page, const Json& comparison, const Json& first, const Json& second) {
  return filled(page, {{"schema", "ringside-comparison-page"}, {"comparison", comparison}, {"reports", {first, second}}});
}

}  // namespace ringside
