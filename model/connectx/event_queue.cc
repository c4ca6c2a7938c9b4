#include "model/connectx/event_queue.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "model/base/errors.h"
#include "model/connectx/hw/cqe.h"
#include "model/guest/contract.h"

namespace ringside::connectx {

EventQueue::EventQueue(Context& context, std::uint32_t number, PhysAddr buffer, std::uint32_t log_size,
                       std::uint32_t vector)
    : context_(context), number_(number), buffer_(buffer), log_size_(log_size), vector_(vector) {}

void EventQueue::push(Time now, eqe entry) {
  const std::uint32_t size = 1u << log_size_;
  if (producer_ - consumer_ >= size) {
    throw InvariantError(now, context_.name,
                         fmt::format("EQ {} of {} entries has no room for an event", number_, size));
  }
  entry.owner = (producer_ >> log_size_) & 1;
  std::array<std::uint8_t, sizeof(eqe)> raw;
  std::memcpy(raw.data(), &entry, sizeof entry);
  context_.write(now, DmaUse::event, buffer_ + PhysAddr{(producer_ & (size - 1)) * sizeof(eqe)}, raw);
  ++producer_;
  ++context_.counters.eqes;
  if (armed_) interrupt(now);
}

void EventQueue::update(Time now, std::uint32_t consumer) {
  const std::uint32_t advance = (consumer - consumer_) & kCqIndexMask;
  if (advance > producer_ - consumer_) {
    throw InvariantError(now, context_.name,
                         fmt::format("EQ {}: consumer index {:#x} is ahead of the producer", number_, consumer));
  }
  consumer_ += advance;
}

void EventQueue::arm(Time now, std::uint32_t consumer) {
  update(now, consumer);
  armed_ = true;
  if (producer_ != consumer_) interrupt(now);
}

void EventQueue::interrupt(Time now) {
  armed_ = false;
  std::array<std::uint8_t, 4> message;
  std::memcpy(message.data(), &vector_, sizeof vector_);
  context_.write(now, DmaUse::interrupt, PhysAddr{guest::kMsiAddress}, message);
  ++context_.counters.interrupts;
  if (context_.observer != nullptr) context_.observer->interrupt(now, vector_);
}

}  // namespace ringside::connectx
