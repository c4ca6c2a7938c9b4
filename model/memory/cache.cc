#include "model/memory/cache.h"

#include <fmt/format.h>

#include <bit>

#include "model/base/errors.h"

namespace ringside {

Cache::Cache(std::string_view name, Bytes size, std::uint64_t ways, bool timed) {
  const std::uint64_t lines = size.value / kCacheLine;
  if (ways == 0 || ways > kMaxWays || lines == 0 || lines % ways != 0 || size.value % kCacheLine != 0) {
    throw InputError(
        fmt::format("{0}_size, {0}_ways: {1} bytes in {2} ways is not a whole number of sets of {3} B lines", name,
                    size.value, ways, kCacheLine));
  }
  ways_ = static_cast<std::uint32_t>(ways);
  sets_ = static_cast<std::uint32_t>(lines / ways);
  mask_ = std::has_single_bit(sets_) ? sets_ - 1 : 0;
  magic_ = ~std::uint64_t{0} / sets_ + 1;
  entries_.reserve(lines);
  for (std::uint32_t set = 0; set < sets_; ++set) {
    for (std::uint32_t w = 0; w < ways_; ++w) entries_.push_back(kNoLine << kLineShift | w << 1);
  }
  if (timed) fills_.resize(lines);
}

std::uint32_t Cache::index_of(LineNumber line) const {
  const Position set = set_of(line);
  for (std::uint32_t i = set; i < set + ways_; ++i) {
    if (holds(i, line)) return i;
  }
  return kMiss;
}

Cache::Evicted Cache::insert(LineNumber line, bool dirty, std::uint32_t ways) {
  const Position set = set_of(line);
  std::uint32_t i = ways_ - 1;
  while (way(entries_[set + i]) >= ways) --i;
  const std::uint32_t old = entries_[set + i];
  move_to_front(set, i);
  entries_[set] = line << kLineShift | way(old) << 1 | static_cast<std::uint32_t>(dirty);
  return {old >> kLineShift, (old & kDirty) != 0};
}

Cache::Removed Cache::remove(LineNumber line) {
  std::uint32_t i = index_of(line);
  if (i == kMiss) return {false, false};
  const std::uint32_t old = entries_[i];
  const std::uint32_t last = set_of(line) + ways_ - 1;
  for (; i < last; ++i) entries_[i] = entries_[i + 1];
  entries_[last] = kNoLine << kLineShift | way(old) << 1;
  return {true, (old & kDirty) != 0};
}

Cache::Removed Cache::clean(LineNumber line) {
  const std::uint32_t i = index_of(line);
  if (i == kMiss) return {false, false};
  const bool was_dirty = (entries_[i] & kDirty) != 0;
  entries_[i] &= ~kDirty;
  return {true, was_dirty};
}

bool Cache::soil(LineNumber line) {
  const std::uint32_t i = index_of(line);
  if (i == kMiss) return false;
  entries_[i] |= kDirty;
  return true;
}

}  // namespace ringside
