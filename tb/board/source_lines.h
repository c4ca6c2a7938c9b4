// The source lines that code was compiled from, each once, with their text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/image.h"
#include "tb/report/profile.h"

namespace ringside {

class SourceLines {
 public:
  // Names that are not absolute are looked up in `sources`. Both must outlive this.
  SourceLines(const Image& image, const std::filesystem::path& sources) : image_(image), sources_(sources) {}

  // Index of the place that the instruction comes from; nothing without debug information.
  std::optional<std::size_t> place_of(std::uint64_t address);

  std::vector<SourcePlace> take_places() { return std::move(places_); }

 private:
  std::string text_of(const std::string& file, std::uint32_t line);

  const Image& image_;
  const std::filesystem::path& sources_;
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::size_t> known_;  // by file, line, inlined function
  std::map<std::string, std::vector<std::string>> files_;                           // lines; none of one that cannot be read
  std::vector<SourcePlace> places_;
};

}  // namespace ringside
