// Follows every packet from the wire to the driver, and keeps the books: nothing is lost without being counted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/timeline.h"
#include "model/probe/observer.h"
#include "tb/board/fingerprint.h"
#include "tb/report/latency_histogram.h"

namespace ringside {

// How many of something there are, summed up over time.
class Occupancy {
 public:
  void enter(Time now) {
    settle(now);
    ++level_;
  }
  void leave(Time now) {
    settle(now);
    --level_;
  }
  // Times picoseconds, until `now`.
  std::uint64_t over_time(Time now) const { return sum_ + level_ * (now - since_).value; }

 private:
  void settle(Time now) {
    sum_ = over_time(now);
    since_ = now;
  }
  std::uint64_t level_ = 0;
  Time since_{};
  std::uint64_t sum_ = 0;
};

class PacketTracker : public PacketObserver {
 public:
  explicit PacketTracker(const Timeline& timeline) : timeline_(timeline), arrivals_(kArrivals) {}

  void offered(Time at, std::uint64_t sequence, std::uint32_t bytes) override;
  void dropped(Time at, std::uint64_t sequence, std::string_view cause) override;
  void stored(Time at, std::uint64_t sequence, Time from, Time visible) override;
  void completed(Time at, std::uint64_t sequence, Time visible, PhysAddr slot, bool error) override;
  void interrupt(Time at, std::uint32_t vector) override;
  void mmio(Time at, std::uint64_t address, std::uint64_t value, bool write) override;

  struct Consumed {
    std::uint64_t sequence;
    bool delivered;  // false: the device has reported it as dropped
  };
  // The driver read a completion slot at `now`. Counts the packet as consumed when it is the oldest unread one of
  // its ring, and says which it was.
  std::optional<Consumed> slot_read(Time now, std::uint64_t address);

  // Where completion slots are, before the first one is filled: rings of slots of `entry` bytes. Without any, all are one ring.
  struct Ring {
    std::uint64_t begin, end;  // addresses
  };
  void set_rings(const std::vector<Ring>& rings, std::uint64_t entry) {
    rings_ = rings;
    waiting_.resize(std::max<std::size_t>(rings.size(), 1));
    entry_ = entry;
  }

  std::uint64_t offered() const { return offered_; }
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t delivered_bytes() const { return delivered_bytes_; }  // frame bytes with FCS
  std::uint64_t dropped() const;
  // Packets whose completion was posted but not read by the driver, without error completions.
  std::uint64_t unread() const { return unread_packets_; }
  // Packets inside the device, and packets as in unread(), times the picoseconds for which they were.
  std::uint64_t inside_over_time(Time now) const { return inside_.over_time(now); }
  std::uint64_t unread_over_time(Time now) const { return unread_.over_time(now); }
  const std::map<std::string, std::uint64_t, std::less<>>& drops() const { return drops_; }
  const LatencyHistogram& latency() const { return latency_; }
  // Its parts, in the order in which packets pass them. None where no packet did.
  std::vector<LatencyStage> stages() const;
  std::uint64_t fingerprint() const { return fingerprint_.value(); }

  // Latency is recorded from here on.
  void start_window() {
    latency_.clear();
    for (LatencyHistogram& stage : stages_) stage.clear();
  }

 private:
  static constexpr std::size_t kStages = 4;
  struct Completion {
    std::uint64_t sequence;
    std::uint64_t slot;
    Time arrival;
    Time moved;   // its bytes began to
    Time stored;  // they were in memory
    Time visible;
    std::uint32_t bytes;
    bool error;
  };
  struct Arrival {
    Time at;
    std::uint32_t bytes;
    Time moved, stored;
  };
  // Index in waiting_; the last ring for an address in none.
  std::size_t ring_of(std::uint64_t address) const {
    std::size_t ring = 0;
    while (ring + 1 < rings_.size() && address - rings_[ring].begin >= rings_[ring].end - rings_[ring].begin) ++ring;
    return ring;
  }

  // More than a packet buffer and all rings hold.
  static constexpr std::uint64_t kArrivals = 1u << 17;

  const Timeline& timeline_;
  std::vector<Arrival> arrivals_;     // by sequence
  std::uint64_t entry_ = kCacheLine;  // bytes of a completion slot
  std::vector<Ring> rings_;
  std::vector<std::deque<Completion>> waiting_{1};  // of each ring, in order of completion
  std::uint64_t unread_packets_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> drops_;
  std::uint64_t offered_ = 0, delivered_ = 0, delivered_bytes_ = 0;
  Occupancy inside_, unread_;
  LatencyHistogram latency_;
  std::array<LatencyHistogram, kStages> stages_;
  Fingerprint fingerprint_;
};

}  // namespace ringside
