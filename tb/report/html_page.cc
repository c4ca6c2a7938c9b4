#include "tb/report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "model/base/errors.h"
#include "tb/report/bounded_file.h"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "@REPORT@";

// What a page can do without, least needed first: arrays in which what matters most comes first.
struct LongPart {
  const char* name;
  const char* place;
};
constexpr std::array<LongPart, 2> kLong{{{"profile", "/guest/profile/functions"}, {"stacks", "/guest/stacks"}}};

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

// The report without the end of its long parts, as far as that is needed to take no more than `room` bytes. What was left
// out is counted in a block "left_out".
Json fitted(Json report, std::size_t room) {
  constexpr std::size_t kNote = 100;  // bytes that the block takes
  std::size_t size = inside_script(report).size();
  if (size <= room) return report;
  Json left_out = Json::object();
  for (const auto& [name, place] : kLong) {
    const Json::json_pointer pointer(place);
    if (!report.contains(pointer) || !report[pointer].is_array()) continue;
    auto& elements = report[pointer].get_ref<Json::array_t&>();
    const std::size_t before = elements.size();
    while (size + kNote > room && !elements.empty()) {
      size -= inside_script(elements.back()).size() + (elements.size() > 1 ? 1 : 0);
      elements.pop_back();
    }
    if (elements.size() != before) left_out[name] = before - elements.size();
  }
  report["left_out"] = std::move(left_out);
  return report;
}

class Page {
 public:
  explicit Page(const std::filesystem::path& file) : text_(read_bounded_file(file, kLargestPage, "the page of a report")) {
    place_ = text_.find(kPlace);
    if (place_ == std::string::npos || text_.find(kPlace, place_ + 1) != std::string::npos) {
      throw InputError(fmt::format("{}: {} stands there not once; the page that Ringside's build makes is allowed", file.string(), kPlace));
    }
  }

  // Bytes for the report.
  std::size_t room() const { return kLargestPage - (text_.size() - kPlace.size()); }

  std::string with(const Json& document) const {
    const std::string data = inside_script(document);
    if (data.size() > room()) {
      throw InputError(fmt::format("a page of {} bytes is too large, even without code and call paths; {} are allowed",
                                   text_.size() - kPlace.size() + data.size(), kLargestPage));
    }
    std::string filled = text_;
    filled.replace(place_, kPlace.size(), data);
    return filled;
  }

 private:
  std::string text_;
  std::size_t place_ = 0;
};

}  // namespace

std::string html_report(const std::filesystem::path& page, const Json& report) {
  const Page empty(page);
  return empty.with(fitted(report, empty.room()));
}

std::string html_comparison(const std::filesystem::path& page, const Json& comparison, const Json& first, const Json& second) {
  const Page empty(page);
  Json document{{"schema", "ringside-comparison-page"}, {"comparison", comparison}, {"reports", Json::array()}};
  const std::size_t taken = std::min(inside_script(document).size() + 1, empty.room());
  for (const Json* report : {&first, &second}) document["reports"].push_back(fitted(*report, (empty.room() - taken) / 2));
  return empty.with(document);
}

}  // namespace ringside
