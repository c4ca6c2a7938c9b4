// Address translation: what it costs to find the page of an access. Virtual equals physical, so only the reach matters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/memory/config.h"

namespace ringside {

// One TLB with exact LRU: a set is a list of page numbers, the most recent one first.
class TlbArray {
 public:
  // Throws InputError when entries and ways do not make a power-of-two number of sets.
  TlbArray(std::string_view name, std::uint64_t entries, std::uint64_t ways);

  // Whether `page` was present; it is the most recent of its set afterwards.
  bool touch(std::uint32_t page) { return first_is(page) || touch_slowly(page); }

  // Whether `page` is the most recent of its set: touch() would change nothing.
  bool first_is(std::uint32_t page) const { return pages_[std::size_t{page & set_mask_} * stride_] == page; }

 private:
  bool touch_slowly(std::uint32_t page);

  std::uint32_t ways_;
  std::uint32_t stride_;  // entries from set to set
  std::uint32_t set_mask_;
  std::vector<std::uint32_t> pages_;
};

// First-level data TLB for the page size in use, and the second level behind it. Instruction fetches use the second
// level directly: the code of a driver stays within the reach of any first-level instruction TLB.
class Translation {
 public:
  explicit Translation(const MemoryConfig& config);

  struct Cost {
    std::uint64_t cycles;
    bool walk;
  };

  // Whether translation is free and changes nothing: data in the most recent page of its set, code in the page of the
  // latest fetch.
  bool recent_page(std::uint64_t address) const { return first_.first_is(static_cast<std::uint32_t>(address >> page_shift_)); }
  bool same_code_page(std::uint64_t address) const { return address >> page_shift_ == last_code_page_; }

  Cost data(std::uint64_t address);
  Cost instruction(std::uint64_t address);

 private:
  Cost second_level(std::uint32_t page);

  std::uint32_t page_shift_;
  std::uint64_t last_code_page_ = ~std::uint64_t{0};
  std::uint64_t stlb_latency_;
  std::uint64_t page_walk_;
  TlbArray first_;
  TlbArray second_;
};

}  // namespace ringside
