// Memory keys: which host memory a queue may address, and where it is.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/connectx/hw/wqe.h"

namespace ringside::connectx {

// A part of a range of addresses that is contiguous in host memory.
struct HostPiece {
  PhysAddr address;
  std::uint32_t length;
};

// Keys are index << 8, as the device forms them; the low byte, which the driver may choose there, is 0 here. Index 1 is
// left out: its key is the one that ends a scatter list.
//
// A key without translations names physical addresses. One with translations names pages of 4 KiB through a table that
// UMR WQEs fill. Until then an entry names the page that the key was created with, or counts as absent.
class MkeyTable {
 public:
  static constexpr std::uint32_t kMaxIndex = 0xff'ffff;
  static constexpr std::uint32_t kLogPage = 12;
  static constexpr std::uint64_t kPage = 1u << kLogPage;
  static constexpr std::uint32_t kMaxTranslations = 1u << 24;

  enum class Access { read, write };

  // Key of a new range, whose translations name the page `filler` at first, if that is not 0. Returns 0 if the table is
  // full, the range wraps, or translations are asked for that do not start on a page.
  std::uint32_t create(PhysAddr start, std::uint64_t length, std::uint32_t translations = 0, PhysAddr filler = {}) {
    if (keys_.size() > kMaxIndex || length == 0 || start.value + (length - 1) < start.value) return 0;
    if (translations > kMaxTranslations || (translations != 0 && (start.value | filler.value) % kPage != 0)) return 0;
    const std::uint64_t entry = filler.value == 0 ? 0 : filler.value | kMttWriteEnable;
    keys_.push_back({start.value, length, std::vector<std::uint64_t>(translations, entry)});
    return static_cast<std::uint32_t>(keys_.size() - 1) << 8;
  }

  bool destroy(std::uint32_t key) {
    if (!find(key)) return false;
    keys_[key >> 8] = {};
    return true;
  }

  bool allows(std::uint32_t key, std::uint64_t address, std::uint64_t length) const {
    const Range* range = find(key);
    return range != nullptr && range->holds(address, length);
  }

  // Where `length` bytes at `address` are in host memory, in order. Returns the number of pieces; 0 if the key does not
  // allow the access, or if `pieces` are too few. A page must be present, and writable to be written.
  std::size_t translate(std::uint32_t key, std::uint64_t address, std::uint32_t length, Access access,
                        std::span<HostPiece> pieces) const {
    const Range* range = find(key);
    if (range == nullptr || !range->holds(address, length) || pieces.empty()) return 0;
    if (range->pages.empty()) {
      pieces[0] = {PhysAddr{address}, length};
      return 1;
    }
    std::size_t count = 0;
    for (std::uint64_t at = address - range->start; length != 0; ++count) {
      const std::uint64_t page = at >> kLogPage;
      if (count == pieces.size() || page >= range->pages.size()) return 0;
      const std::uint64_t entry = range->pages[page];
      if (access == Access::write ? (entry & kMttWriteEnable) == 0 : entry == 0) return 0;
      const std::uint64_t offset = at & (kPage - 1);
      const auto part = static_cast<std::uint32_t>(length < kPage - offset ? length : kPage - offset);
      pieces[count] = {PhysAddr{(entry & ~(kPage - 1)) + offset}, part};
      at += part;
      length -= part;
    }
    return count;
  }

  // Sets the translations of the pages from `first` on. False if the key or one of the pages does not exist.
  bool update(std::uint32_t key, std::uint64_t first, std::span<const std::uint8_t> entries) {
    const std::size_t count = entries.size() / sizeof(mtt_entry);
    if (!find(key)) return false;
    std::vector<std::uint64_t>& pages = keys_[key >> 8].pages;
    if (first > pages.size() || count > pages.size() - first) return false;
    for (std::size_t i = 0; i < count; ++i) {
      mtt_entry entry;
      std::memcpy(&entry, entries.data() + i * sizeof entry, sizeof entry);
      pages[first + i] = entry.ptag;
    }
    return true;
  }

 private:
  struct Range {
    std::uint64_t start = 0, length = 0;  // length 0: no such key
    std::vector<std::uint64_t> pages;     // empty: addresses are physical

    bool holds(std::uint64_t address, std::uint64_t size) const {
      return address >= start && size <= length && address - start <= length - size;
    }
  };

  const Range* find(std::uint32_t key) const {
    const std::uint32_t index = key >> 8;
    if ((key & 0xff) != 0 || index >= keys_.size() || keys_[index].length == 0) return nullptr;
    return &keys_[index];
  }

  std::vector<Range> keys_ = std::vector<Range>(2);
};

}  // namespace ringside::connectx
