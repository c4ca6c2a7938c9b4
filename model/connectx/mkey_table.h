// Memory keys: which host memory a queue may address.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace ringside::connectx {

// Keys are index << 8, as the device forms them; the low byte, which the driver may choose there, is 0 here. Index 1 is
// left out: its key is the one that ends a scatter list.
class MkeyTable {
 public:
  static constexpr std::uint32_t kMaxIndex = 0xff'ffff;

  // Key of a new range; 0 if the table is full or the range wraps.
  std::uint32_t create(PhysAddr start, std::uint64_t length) {
    if (keys_.size() > kMaxIndex || length == 0 || start.value + (length - 1) < start.value) return 0;
    keys_.push_back({start.value, length});
    return static_cast<std::uint32_t>(keys_.size() - 1) << 8;
  }

  bool destroy(std::uint32_t key) {
    if (!find(key)) return false;
    keys_[key >> 8].length = 0;
    return true;
  }

  bool allows(std::uint32_t key, std::uint64_t address, std::uint64_t length) const {
    const Range* range = find(key);
    return range != nullptr && address >= range->start && length <= range->length &&
           address - range->start <= range->length - length;
  }

 private:
  struct Range {
    std::uint64_t start, length;  // length 0: no such key
  };

  const Range* find(std::uint32_t key) const {
    const std::uint32_t index = key >> 8;
    if ((key & 0xff) != 0 || index >= keys_.size() || keys_[index].length == 0) return nullptr;
    return &keys_[index];
  }

  std::vector<Range> keys_ = std::vector<Range>(2);
};

}  // namespace ringside::connectx
