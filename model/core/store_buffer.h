// Stores between execution and the cache: they commit in order after retirement, and younger loads take data from them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace ringside {

// What a load finds among the older stores.
struct Forwarding {
  enum class Kind : std::uint8_t { none, covered, partial } kind = Kind::none;
  std::uint64_t ready = 0;   // covered: when the store has its data
  std::uint64_t commit = 0;  // partial: when the last store concerned is in the cache
};

class StoreBuffer {
 public:
  // `per_cycle` stores may commit in one cycle; `same_line`: only if they go to the same line.
  StoreBuffer(std::uint64_t per_cycle, bool same_line) : per_cycle_(per_cycle), line_mask_(same_line ? ~0ULL : 0) {}

  // The next store in program order, whose line is owned at `owned`; returns when it commits.
  std::uint64_t commit(std::uint64_t owned, std::uint64_t line) {
    if (owned > last_commit_) {
      last_commit_ = owned;
      used_ = 0;
    }
    if (used_ == per_cycle_ || (used_ != 0 && ((line ^ last_line_) & line_mask_) != 0)) {
      ++last_commit_;
      used_ = 0;
    }
    ++used_;
    last_line_ = line;
    return last_commit_;
  }

  // Everything so far is in the cache from this cycle on.
  std::uint64_t drained() const { return last_commit_; }

  // Makes a store's data known to younger loads. `size` is at most 64 bytes.
  void record(std::uint64_t address, std::uint32_t size, std::uint64_t ready, std::uint64_t commit) {
    ++sequence_;
    const auto write = [&](std::uint64_t granule, std::uint8_t mask) {
      entries_[granule & kMask] = {granule, ready, commit, sequence_, mask};
    };
    if (address % kGranule + size <= kGranule) return write(address / kGranule, bytes_of(address, size));
    for_each_granule(address, size, write);
  }

  // The same for a repeated string instruction, which may write any amount.
  void record_range(std::uint64_t begin, std::uint64_t end, std::uint64_t ready, std::uint64_t commit) {
    range_ = {begin, end, ready, commit, ++sequence_};
  }

  // What find() says in the usual cases: an access within one granule to which nobody has written lately, or of which one store
  // has written all that is wanted. Neither means that find() must be asked.
  struct Usual {
    bool nothing, covered;
    std::uint64_t ready;  // covered: when the store has its data
  };
  Usual find_usual(std::uint64_t address, std::uint32_t size, std::uint64_t at) const {
    const Entry& only = entries_[address / kGranule & kMask];
    const bool inside = address % kGranule + size <= kGranule && range_.commit <= at;
    const bool older = only.granule != address / kGranule || only.commit <= at;
    return {inside && older, inside && !older && (bytes_of(address, size) & ~only.mask) == 0, only.ready};
  }

  // Looks for data of a load that starts at `at`. A store that has committed by then does not matter: the cache has it.
  Forwarding find(std::uint64_t address, std::uint32_t size, std::uint64_t at) const {
    Forwarding found;
    std::uint64_t source = 0;
    bool whole = true;
    for_each_granule(address, size, [&](std::uint64_t granule, std::uint8_t mask) {
      const Entry& entry = entries_[granule & kMask];
      if (entry.granule != granule || entry.commit <= at || (entry.mask & mask) == 0) {
        whole = false;
        return;
      }
      if ((entry.mask & mask) != mask || (source != 0 && source != entry.sequence)) whole = false;
      source = entry.sequence;
      found.ready = std::max(found.ready, entry.ready);
      found.commit = std::max(found.commit, entry.commit);
    });
    if (range_.commit > at && range_.sequence > source && address < range_.end && range_.begin < address + size) {
      whole = range_.begin <= address && address + size <= range_.end;
      source = range_.sequence;
      found.ready = range_.ready;
      found.commit = std::max(found.commit, range_.commit);
    }
    if (source != 0) found.kind = whole ? Forwarding::Kind::covered : Forwarding::Kind::partial;
    return found;
  }

 private:
  static constexpr std::uint64_t kGranule = 8;  // bytes
  static constexpr std::size_t kEntries = 512;  // several times the store queue
  static constexpr std::size_t kMask = kEntries - 1;

  struct Entry {
    std::uint64_t granule = ~0ULL;
    std::uint64_t ready = 0;
    std::uint64_t commit = 0;
    std::uint64_t sequence = 0;
    std::uint8_t mask = 0;  // bytes of the granule that the store wrote
  };
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t ready = 0;
    std::uint64_t commit = 0;
    std::uint64_t sequence = 0;
  };

  // Of an access within one granule: which of its bytes.
  static std::uint8_t bytes_of(std::uint64_t address, std::uint32_t size) {
    return static_cast<std::uint8_t>(((1U << size % 32) - 1) << address % kGranule);
  }

  template <class Visit>
  static void for_each_granule(std::uint64_t address, std::uint32_t size, Visit visit) {
    std::uint64_t granule = address / kGranule;
    std::uint32_t offset = address % kGranule;
    for (std::uint32_t left = size; left > 0; ++granule, offset = 0) {
      const std::uint32_t here = std::min<std::uint32_t>(left, kGranule - offset);
      visit(granule, static_cast<std::uint8_t>(((1U << here) - 1) << offset));
      left -= here;
    }
  }

  std::uint64_t per_cycle_;
  std::uint64_t line_mask_;
  std::uint64_t last_line_ = 0;
  std::uint64_t last_commit_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t sequence_ = 0;
  Range range_;
  std::array<Entry, kEntries> entries_{};
};

}  // namespace ringside
