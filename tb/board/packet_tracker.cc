#include "tb/board/packet_tracker.h"

namespace ringside {

namespace {

enum EventCode : std::uint64_t { kOffered = 1, kDropped, kCompleted, kConsumed, kInterrupt, kMmio };

}  // namespace

void PacketTracker::offered(Time at, std::uint64_t sequence, std::uint32_t bytes) {
  ++offered_;
  arrivals_[sequence % kArrivals] = {at, bytes};
  fingerprint_.add(kOffered);
  fingerprint_.add(at.value);
}

void PacketTracker::dropped(Time at, std::uint64_t sequence, std::string_view cause) {
  auto known = drops_.find(cause);
  if (known == drops_.end()) known = drops_.emplace(std::string(cause), 0).first;
  ++known->second;
  fingerprint_.add(kDropped);
  fingerprint_.add(at.value);
  fingerprint_.add(sequence);
}

void PacketTracker::completed(Time at, std::uint64_t sequence, Time visible, PhysAddr slot, bool error) {
  const Arrival& arrival = arrivals_[sequence % kArrivals];
  waiting_[ring_of(slot.value)].push_back({slot.value, arrival.at, visible, arrival.bytes, error});
  if (!error) ++unread_;
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

bool PacketTracker::slot_read(Time now, std::uint64_t address) {
  std::deque<Completion>& waiting = waiting_[ring_of(address)];
  if (waiting.empty()) return false;
  const Completion& oldest = waiting.front();
  // The write is in memory once its event has fired, which is what the timeline's time says.
  if (address - oldest.slot >= entry_ || oldest.visible > timeline_.now()) return false;
  if (!oldest.error) {  // the device has reported the others as dropped
    --unread_;
    ++delivered_;
    delivered_bytes_ += oldest.bytes;
    latency_.add(now - oldest.arrival);
  }
  fingerprint_.add(kConsumed);
  fingerprint_.add(now.value);
  waiting.pop_front();
  return true;
}

std::uint64_t PacketTracker::dropped() const {
  std::uint64_t sum = 0;
  for (const auto& [cause, count] : drops_) sum += count;
  return sum;
}

}  // namespace ringside
