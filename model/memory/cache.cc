#include "model/memory/cache.h"

#include <fmt/format.h>

#include <bit>

#include "model/base/errors.h"

namespace ringside {

Cache::Cache(std::string_view name, Bytes size, std::uint64_t ways, bool timed) {
  const std::uint64_t lines = size.value / kCacheLine;
  if (ways == 0 || ways > kMaxWays || lines == 0 || lines % ways != 0 || size.value % kCacheLine != 0) {
    throw InputError(
        fmt::format("{0}_size, {0}_ways: {1} bytes in {2} ways is not a whole number of sets of {3} B lines; multiples of the ways times that, with 1 to {4} "
                    "ways, are allowed",
                    name, size.value, ways, kCacheLine, kMaxWays));
  }
  ways_ = static_cast<std::uint32_t>(ways);
  sets_ = static_cast<std::uint32_t>(lines / ways);
  mask_ = std::has_single_bit(sets_) ? sets_ - 1 : 0;
  magic_ = ~std::uint64_t{0} / sets_ + 1;
  stride_ = recency::stride(ways_);
  entries_.reserve(std::size_t{sets_} * stride_);
  for (std::uint32_t set = 0; set < sets_; ++set) {
    for (std::uint32_t w = 0; w < stride_; ++w) entries_.push_back(kNoLine << kLineShift | (w % kMaxWays) << 1);
  }
  if (timed) fills_.resize(entries_.size());
}

Cache::Evicted Cache::insert(LineNumber line, bool dirty, std::uint32_t ways) {
  const Position set = set_of(line);
  std::uint32_t place = ways_ - 1;
  while (way(entries_[set + place]) >= ways) --place;
  const std::uint32_t old = entries_[set + place];
  recency::move_to_front(&entries_[set], place);
  entries_[set] = line << kLineShift | way(old) << 1 | static_cast<std::uint32_t>(dirty);
  return {old >> kLineShift, (old & kDirty) != 0};
}

Cache::Removed Cache::remove(LineNumber line) {
  const Position set = set_of(line);
  const std::uint32_t place = place_of(set, line);
  if (place == stride_) return {false, false};
  const std::uint32_t old = entries_[set + place];
  recency::replace_as_last(&entries_[set], place, ways_, kNoLine << kLineShift | way(old) << 1);
  return {true, (old & kDirty) != 0};
}

Cache::Removed Cache::clean(LineNumber line) {
  const Position set = set_of(line);
  const std::uint32_t place = place_of(set, line);
  if (place == stride_) return {false, false};
  const bool was_dirty = dirty(set + place);
  entries_[set + place] &= ~kDirty;
  return {true, was_dirty};
}

bool Cache::soil(LineNumber line) {
  const Position set = set_of(line);
  const std::uint32_t place = place_of(set, line);
  if (place == stride_) return false;
  set_dirty(set + place);
  return true;
}

}  // namespace ringside
