// What became of delivered packets in the guest, as far as its counters tell.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tb/log/format.h"

namespace ringside {

class VerdictListener {
 public:
  // `verdict`: a string; nothing where the counters do not tell the packet from others.
  virtual void decided(std::uint64_t packet, std::optional<std::uint64_t> verdict) = 0;

 protected:
  ~VerdictListener() = default;
};

// The counters say how many packets have ended, not which. Whenever as many have ended as were delivered, and all since the
// last such moment in the same way, each of them has; otherwise nothing is said.
class VerdictBook {
 public:
  explicit VerdictBook(VerdictListener& listener) : listener_(listener) {}

  void start(const BlockStart& start) {
    open_ = start.delivered - start.ended;
    unclear_ = open_ != 0;
  }

  // In the order of the log: a packet has been delivered; so many have ended.
  void delivered(std::uint64_t packet);
  void ended(std::uint64_t name, std::uint64_t count);

  // Nothing is said about those that wait: there are too many, or the log is over.
  void give_up() {
    unclear_ = true;
    decide(std::nullopt);
  }

 private:
  static constexpr std::size_t kMostWaiting = 1 << 16;

  void decide(std::optional<std::uint64_t> verdict);

  VerdictListener& listener_;
  std::uint64_t open_ = 0;
  std::vector<std::uint64_t> waiting_;
  std::optional<std::uint64_t> name_;  // of all that have ended since nothing was open
  bool unclear_ = false;               // or they have several
};

}  // namespace ringside
