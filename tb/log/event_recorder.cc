#include "tb/log/event_recorder.h"

namespace ringside {

void EventRecorder::ended(Time now, std::string_view counter, std::uint64_t packets) {
  writer_.ended(now, writer_.string(counter), packets);
}

void EventRecorder::dropped(Time now, std::uint64_t sequence, std::string_view cause) {
  writer_.dropped(now, sequence, writer_.string(cause));
  next_.dropped(now, sequence, cause);
}

void EventRecorder::completed(Time now, std::uint64_t sequence, Time visible, PhysAddr slot, bool error) {
  writer_.put(RecordKind::completed, now, {writer_.distance(sequence), (visible - now).value, error ? 1u : 0u});
  next_.completed(now, sequence, visible, slot, error);
}

void EventRecorder::interrupt(Time now, std::uint32_t vector) {
  writer_.put(RecordKind::interrupt, now, {vector});
  next_.interrupt(now, vector);
}

void EventRecorder::mmio(Time now, std::uint64_t address, std::uint64_t value, bool write) {
  writer_.put(RecordKind::mmio, now, {address, value, write ? 1u : 0u});
  next_.mmio(now, address, value, write);
}

void EventRecorder::received(Time now, Time begin, std::uint64_t, std::uint32_t size, std::span<const std::uint8_t> bytes) {
  writer_.frame(now, begin, size, bytes);
}

void EventRecorder::buffered(Time now, std::uint64_t sequence, std::uint32_t bytes, std::uint32_t lane) {
  writer_.put(RecordKind::buffered, now, {writer_.distance(sequence), bytes, lane});
}

void EventRecorder::freed(Time now, std::uint64_t sequence, std::uint32_t bytes, Time at) {
  writer_.put(RecordKind::freed, now, {writer_.distance(sequence), bytes, (at - now).value});
}

void EventRecorder::waits(Time now, std::uint64_t sequence, Resource resource) {
  writer_.put(RecordKind::waits, now, {writer_.distance(sequence), static_cast<std::uint64_t>(resource)});
}

void EventRecorder::moves(Time now, std::uint64_t sequence) {
  writer_.put(RecordKind::moves, now, {writer_.distance(sequence)});
}

void EventRecorder::occupied(Time now, std::uint32_t lane, Time until, Resource resource) {
  writer_.put(RecordKind::occupied, now, {lane, (until - now).value, static_cast<std::uint64_t>(resource)});
}

void EventRecorder::dma(DmaUse use, std::optional<std::uint64_t> sequence) { coming_ = {use, sequence}; }

void EventRecorder::ring(Time now, RingKind kind, std::uint32_t number, std::uint64_t level, std::uint64_t size) {
  writer_.ring(now, kind, number, level, size);
}

void EventRecorder::transmits(Time now, Time begin, Time end, std::uint32_t size) {
  writer_.put(RecordKind::transmits, now, {(begin - now).value, (end - begin).value, size});
}

void EventRecorder::read_named(std::uint32_t read) {
  if (reads_.size() <= read) reads_.resize(read + 1);
  reads_[read] = coming_;
}

void EventRecorder::transfer(Time now, const Transfer& t) {
  using enum Transfer::Kind;
  const bool of_read = t.kind == read_request || t.kind == read_data;
  const bool of_core = !of_read && t.kind != write;
  const Purpose purpose = of_core ? Purpose{} : of_read ? reads_[t.read] : coming_;
  const std::size_t use = of_core ? kDmaUses : static_cast<std::size_t>(purpose.use);
  const auto kind = static_cast<std::size_t>(RecordKind::first_transfer) + use * kTransferKinds + static_cast<std::size_t>(t.kind);
  const std::uint64_t packet = purpose.sequence ? writer_.distance(*purpose.sequence) + 1 : 0;
  writer_.put(static_cast<RecordKind>(kind), now,
              {packet, t.bytes, (t.begin - now).value, (t.end - t.begin).value, (t.arrival - t.end).value,
               (t.begin - t.offered).value, t.credit_wait.value, t.headers, t.data, (t.returned - t.arrival).value});
}

void EventRecorder::postponed(Time now, std::uint64_t age, Time returned) {
  writer_.put(RecordKind::postponed, now, {age, (returned - now).value});
}

}  // namespace ringside
