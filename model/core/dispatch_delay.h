// Who made dispatch late. An instruction that keeps everything younger from being dispatched costs nothing when it retires
// in the shadow of an older miss; its cost shows later, when what it delayed keeps retirement waiting.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/core/block.h"

namespace ringside {

// An instruction's counts, and the total of the caller that also counts its cycles, or null.
struct Booking {
  InstructionCounts* counts = nullptr;
  std::uint64_t* account = nullptr;

  // Books cycles that were counted in `from` so far.
  void take(StallReason reason, std::uint64_t cycles, std::uint64_t* from) {
    counts->cycles[static_cast<std::size_t>(reason)] += cycles;
    if (account == from) return;
    *account += cycles;
    *from -= cycles;
  }
};

class DispatchDelay {
 public:
  // How much later the youngest instruction was dispatched than it would have been without those that held it back.
  std::uint64_t cycles() const { return total_; }

  // What is dispatched at `cycle` would not have been dispatched before `earliest` in any case.
  void limit(std::uint64_t cycle, std::uint64_t earliest) {
    if (total_ != 0) [[unlikely]] total_ = std::min(total_, cycle - earliest);
  }

  void add(Booking by, StallReason reason, std::uint64_t cycles) {
    if (cycles == 0) return;
    trim();
    if (count_ != 0 && newest().by.counts == by.counts && newest().by.account == by.account) {
      newest().cycles += cycles;
    } else {
      if (count_ == kMostCauses) forget_oldest();
      causes_[(first_ + count_++) % kMostCauses] = {by, reason, cycles};
    }
    total_ += cycles;
  }

  // Books up to `cycles` of a wait on those responsible, the oldest first. Returns how many: they are paid for.
  std::uint64_t charge(std::uint64_t cycles, std::uint64_t* from) {
    trim();
    const std::uint64_t charged = std::min(cycles, total_);
    for (std::uint64_t left = charged; left > 0;) {
      Cause& oldest = causes_[first_];
      const std::uint64_t part = std::min(left, oldest.cycles);
      oldest.by.take(oldest.reason, part, from);
      oldest.cycles -= part;
      left -= part;
      if (oldest.cycles == 0) drop_oldest();
    }
    total_ -= charged;
    return charged;
  }

 private:
  static constexpr std::size_t kMostCauses = 8;

  struct Cause {
    Booking by;
    StallReason reason = StallReason::base;
    std::uint64_t cycles = 0;
  };

  Cause& newest() { return causes_[(first_ + count_ - 1) % kMostCauses]; }
  void drop_oldest() {
    first_ = (first_ + 1) % kMostCauses;
    --count_;
  }
  void forget_oldest() {
    total_ -= causes_[first_].cycles;
    drop_oldest();
  }
  // What limit() took away is the oldest causes' part.
  void trim() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += causes_[(first_ + i) % kMostCauses].cycles;
    for (std::uint64_t over = sum - total_; over > 0;) {
      Cause& oldest = causes_[first_];
      const std::uint64_t part = std::min(over, oldest.cycles);
      oldest.cycles -= part;
      over -= part;
      if (oldest.cycles == 0) drop_oldest();
    }
  }

  std::uint64_t total_ = 0;
  std::array<Cause, kMostCauses> causes_{};
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace ringside
