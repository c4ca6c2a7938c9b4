// Miss status holding registers: how many lines may be on their way at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace ringside {

// The cycles at which buffers become free, in ascending order around a ring: most misses end in the order they begin in.
class MissBuffers {
 public:
  explicit MissBuffers(std::uint64_t count)
      : count_(static_cast<std::uint32_t>(std::max<std::uint64_t>(count, 1))),
        mask_(std::bit_ceil(count_) - 1),
        free_at_(mask_ + std::size_t{1}, 0) {}

  // When the buffer that is free first becomes free.
  std::uint64_t earliest() const { return free_at_[first_ & mask_]; }

  // Takes that buffer until `until`.
  void take(std::uint64_t until) {
    ++first_;
    std::uint32_t place = first_ + count_ - 1;
    for (; place != first_ && free_at_[(place - 1) & mask_] > until; --place) {
      free_at_[place & mask_] = free_at_[(place - 1) & mask_];
    }
    free_at_[place & mask_] = until;
  }

 private:
  std::uint32_t count_;
  std::uint32_t mask_;
  std::uint32_t first_ = 0;
  std::vector<std::uint64_t> free_at_;
};

// Buffers in banks of the same size: one bank takes the lines of one remainder, with two banks the even or the odd ones.
class BankedMissBuffers {
 public:
  // `banks` is a power of two.
  BankedMissBuffers(std::uint64_t count, std::uint64_t banks) : banks_(banks, MissBuffers(count / banks)) {}

  MissBuffers& of(std::uint64_t line) { return banks_[line & (banks_.size() - 1)]; }

 private:
  std::vector<MissBuffers> banks_;
};

}  // namespace ringside
