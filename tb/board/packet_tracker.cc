#include "tb/board/packet_tracker.h"

#include <algorithm>

namespace ringside {

namespace {

enum EventCode : std::uint64_t { kOffered = 1, kDropped, kCompleted, kConsumed, kInterrupt, kMmio };

}  // namespace

void PacketTracker::offered(Time at, std::uint64_t sequence, std::uint32_t bytes) {
  ++offered_;
  inside_.enter(timeline_.now());
  Arrival& arrival = arrivals_[sequence % kArrivals];  // whose bytes may have begun to move
  arrival.at = at;
  arrival.bytes = bytes;
  fingerprint_.add(kOffered);
  fingerprint_.add(at.value);
}

void PacketTracker::dropped(Time at, std::uint64_t sequence, std::string_view cause) {
  auto known = drops_.find(cause);
  if (known == drops_.end()) known = drops_.emplace(std::string(cause), 0).first;
  ++known->second;
  inside_.leave(timeline_.now());
  fingerprint_.add(kDropped);
  fingerprint_.add(at.value);
  fingerprint_.add(sequence);
}

void PacketTracker::stored(Time, std::uint64_t sequence, Time from, Time visible) {
  Arrival& arrival = arrivals_[sequence % kArrivals];
  arrival.moved = from;
  arrival.stored = visible;
}

void PacketTracker::completed(Time at, std::uint64_t sequence, Time visible, PhysAddr slot, bool error) {
  const Arrival& arrival = arrivals_[sequence % kArrivals];
  const Time moved = std::max(arrival.moved, arrival.at);
  waiting_[ring_of(slot.value)].push_back(
      {sequence, slot.value, arrival.at, moved, std::clamp(arrival.stored, moved, visible), visible, arrival.bytes, error});
  if (!error) {  // of the others dropped() says that they have left the device
    ++unread_packets_;
    inside_.leave(timeline_.now());
    unread_.enter(timeline_.now());
  }
  fingerprint_.add(kCompleted);
  fingerprint_.add(at.value);
  fingerprint_.add(visible.value);
}

void PacketTracker::interrupt(Time at, std::uint32_t vector) {
  fingerprint_.add(kInterrupt);
  fingerprint_.add(at.value);
  fingerprint_.add(vector);
}

void PacketTracker::mmio(Time at, std::uint64_t address, std::uint64_t value, bool write) {
  fingerprint_.add(kMmio + (write ? 1 : 0));
  fingerprint_.add(at.value);
  fingerprint_.add(address);
  fingerprint_.add(value);
}

std::optional<PacketTracker::Consumed> PacketTracker::slot_read(Time now, std::uint64_t address) {
  std::deque<Completion>& waiting = waiting_[ring_of(address)];
  if (waiting.empty()) return std::nullopt;
  const Completion& oldest = waiting.front();
  // The write is in memory once its event has fired, which is what the timeline's time says.
  if (address - oldest.slot >= entry_ || oldest.visible > timeline_.now()) return std::nullopt;
  const Consumed consumed{oldest.sequence, !oldest.error};
  if (!oldest.error) {  // the device has reported the others as dropped
    --unread_packets_;
    ++delivered_;
    unread_.leave(timeline_.now());
    delivered_bytes_ += oldest.bytes;
    latency_.add(now - oldest.arrival);
    stages_[0].add(oldest.moved - oldest.arrival);
    stages_[1].add(oldest.stored - oldest.moved);
    stages_[2].add(oldest.visible - oldest.stored);
    stages_[3].add(now - oldest.visible);
  }
  fingerprint_.add(kConsumed);
  fingerprint_.add(now.value);
  waiting.pop_front();
  return consumed;
}

std::vector<LatencyStage> PacketTracker::stages() const {
  static constexpr std::array<const char*, kStages> kNames{"buffer", "data", "completion", "ring"};
  std::vector<LatencyStage> all;
  for (std::size_t i = 0; i < kStages && stages_[i].summary().count != 0; ++i) all.push_back({kNames[i], stages_[i].summary()});
  return all;
}

std::uint64_t PacketTracker::dropped() const {
  std::uint64_t sum = 0;
  for (const auto& [cause, count] : drops_) sum += count;
  return sum;
}

}  // namespace ringside
