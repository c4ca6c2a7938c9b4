// Tags of one set-associative cache with exact LRU replacement.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/memory/ports.h"
#include "model/memory/recency_list.h"

namespace ringside {

using LineNumber = std::uint32_t;  // address / kCacheLine; memory must end below 4 GiB - 64 B

// A set is a list of lines, the most recent one first, so that recency is the order itself and a repeated hit changes
// nothing. Each line also keeps the number of the way it sits in, by which allocation can be restricted (DDIO) and its
// fill time is found. A position is an index of the first line of a set; after find() and insert() that is the line
// asked for. The number of sets need not be a power of two: the set is the line number modulo the sets, which, as the
// slice selection of real last-level caches, spreads any contiguous range evenly.
class Cache {
 public:
  using Position = std::uint32_t;
  static constexpr Position kMiss = ~Position{0};
  static constexpr std::uint32_t kMaxWays = 32;
  static constexpr LineNumber kNoLine = (1U << 26) - 1;

  struct Evicted {
    LineNumber line;  // kNoLine: the way was free
    bool dirty;
  };

  // `name` is the parameter's prefix for messages. A cache without `timed` keeps no fill times.
  // Throws InputError when size and ways do not make a whole number of sets.
  Cache(std::string_view name, Bytes size, std::uint64_t ways, bool timed);

  // The set of `line`, without looking whether the line is there.
  Position set_of(std::uint64_t line) const { return set_index(static_cast<std::uint32_t>(line)) * stride_; }

  // Whether the most recent line of the set at `position` is `line`.
  bool first_is(Position position, std::uint64_t line) const { return entries_[position] >> kLineShift == line; }

  // Makes `line` the most recent of its set and returns its position, or kMiss.
  Position find(LineNumber line) {
    const Position set = set_of(line);
    if (first_is(set, line)) return set;
    const std::uint32_t place = place_of(set, line);
    if (place == stride_) return kMiss;
    recency::move_to_front(&entries_[set], place);
    return set;
  }

  // When the line arrives, 0 where it is not. The order is left as it is.
  std::uint64_t arrival(LineNumber line) const {
    const Position set = set_of(line);
    const std::uint32_t place = place_of(set, line);
    return place == stride_ ? 0 : fills_[set + way(entries_[set + place])].ready();
  }

  // Has the machine that simulates fetch the set of `line` early: large caches have more tags than its own caches hold.
  void expect(LineNumber line) const { __builtin_prefetch(&entries_[set_of(line)], 1); }

  // The line that insert() would evict for `line`, or kNoLine.
  LineNumber next_victim(LineNumber line) const { return entries_[set_of(line) + ways_ - 1] >> kLineShift; }

  bool contains(LineNumber line) const { return place_of(set_of(line), line) != stride_; }

  // Brings in a line that is not present, in place of the least recent one of the first `ways` ways.
  Evicted insert(LineNumber line, bool dirty, std::uint32_t ways);
  Evicted insert(LineNumber line, bool dirty) { return insert(line, dirty, ways_); }

  // Removes `line`, if it is there; the way is the next to be filled.
  struct Removed {
    bool found;
    bool dirty;
  };
  Removed remove(LineNumber line);

  // Clears the dirty bit without touching the order.
  Removed clean(LineNumber line);

  // Sets the dirty bit without touching the order; false if the line is not there.
  bool soil(LineNumber line);

  bool dirty(Position position) const { return (entries_[position] & kDirty) != 0; }
  void set_dirty(Position position) { entries_[position] |= kDirty; }

  // When the line at `position` arrives, where from, and whether a prefetcher asked for it and no access has used it
  // yet.
  struct Fill {
    std::uint64_t bits;

    static Fill make(std::uint64_t ready, MemoryLevel from, bool prefetched) {
      return {ready << 3 | static_cast<std::uint64_t>(prefetched) << 2 | static_cast<std::uint64_t>(from)};
    }
    std::uint64_t ready() const { return bits >> 3; }
    MemoryLevel from() const { return static_cast<MemoryLevel>(bits & 3); }
    bool prefetched() const { return (bits & 4) != 0; }
  };
  Fill& fill(Position position) { return fills_[position + way(entries_[position])]; }
  const Fill& fill(Position position) const { return fills_[position + way(entries_[position])]; }

  // What is in a place, of which there are sets times ways; kNoLine for nothing.
  LineNumber line_at(std::uint32_t place) const { return entries_[place / ways_ * stride_ + place % ways_] >> kLineShift; }

  std::uint32_t lines() const { return sets_ * ways_; }
  std::uint32_t ways() const { return ways_; }
  std::uint32_t sets() const { return sets_; }

 private:
  static constexpr std::uint32_t kLineShift = 6;  // entry: line 26 bits, way 5 bits, dirty 1 bit
  static constexpr std::uint32_t kDirty = 1;

  static std::uint32_t way(std::uint32_t entry) { return entry >> 1 & (kMaxWays - 1); }

  std::uint32_t set_index(std::uint32_t line) const {
    if (mask_ != 0 || sets_ == 1) return line & mask_;
    // Exact remainder by two multiplications (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).
    const std::uint64_t fraction = magic_ * line;
    return static_cast<std::uint32_t>(static_cast<unsigned __int128>(fraction) * sets_ >> 64);
  }

  // Place in the order of its set, or stride_.
  std::uint32_t place_of(Position set, LineNumber line) const {
    return recency::place_of(&entries_[set], stride_, line, kLineShift);
  }

  std::uint32_t ways_;
  std::uint32_t stride_;  // entries from set to set: more than ways_ at times, the rest hold no line
  std::uint32_t sets_;
  std::uint32_t mask_;   // sets - 1 for a power of two, else 0
  std::uint64_t magic_;  // ceil(2^64 / sets)
  std::vector<std::uint32_t> entries_;
  std::vector<Fill> fills_;
};

}  // namespace ringside
