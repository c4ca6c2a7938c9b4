// Address translation: what it costs to find the page of an access. Virtual equals physical, so only the reach matters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/memory/config.h"

namespace ringside {

// One TLB with exact LRU: each entry has the time of its latest use.
class TlbArray {
 public:
  // Throws InputError when entries and ways do not make a power-of-two number of sets.
  TlbArray(std::string_view name, std::uint64_t entries, std::uint64_t ways);

  // Whether `page` was present; it is the most recent of its set afterwards.
  bool touch(std::uint32_t page) { return touch_known(page) || touch_slowly(page); }

  // The same for a page whose entry is known from before; if it is not, false says nothing.
  bool touch_known(std::uint32_t page) {
    Entry& entry = entries_[known_[page % kKnown]];
    if (entry.page != page) return false;
    entry.used = ++clock_;
    return true;
  }

 private:
  static constexpr std::uint32_t kKnown = 256;
  struct Entry {
    std::uint32_t page;
    std::uint64_t used;
  };

  bool touch_slowly(std::uint32_t page);

  std::uint32_t ways_;
  std::uint32_t set_mask_;
  std::uint64_t clock_ = 0;
  std::vector<Entry> entries_;                 // set by set
  std::array<std::uint32_t, kKnown> known_{};  // where pages were found last, by their lowest bits
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

  // data() in the usual case: it costs nothing, and is done. False says nothing.
  bool data_hits(std::uint64_t address) { return first_.touch_known(static_cast<std::uint32_t>(address >> page_shift_)); }

  // Whether the page is that of the latest fetch: translation is then free.
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
