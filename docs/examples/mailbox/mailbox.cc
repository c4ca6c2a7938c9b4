#include "model/mailbox/mailbox.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/guest/contract.h"

namespace ringside {
namespace {

template <class T>
std::span<const std::uint8_t> bytes_of(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

}  // namespace

void MailboxConfig::visit(ParameterVisitor& v) {
  v.time({"mailbox.latency", "ns", "assumed", "From a frame's last bit to its first byte on the bus."},
         ParameterVisitor::Origin::default_value, latency, nanoseconds(0), microseconds(100));
}

// 1. Take the frame or count why not. 2. Packet, then completion: the fabric keeps their order. 3. Say when it is visible.
void Mailbox::on_frame(Time now, const Frame& frame) {
  ++offered_;
  if (head_ == tail_) {
    ++dropped_;
    if (observer_ != nullptr) observer_->dropped(now, frame.sequence, "rx_out_of_buffer");
    return;
  }
  const Time at = now + config_.latency;
  const std::uint64_t entry = head_ % entries_;
  const mailbox::completion done{static_cast<std::uint32_t>(frame.bytes.size()),
                                 static_cast<std::uint32_t>(head_ / entries_ + 1)};
  const PhysAddr slot{ring_ + entry * sizeof done};
  const std::size_t kept = std::min<std::size_t>(frame.bytes.size(), mailbox::kBufferSize);
  fabric_.write(at, PhysAddr{buffers_ + entry * mailbox::kBufferSize}, frame.bytes.first(kept));
  const DmaFabric::Posted posted = fabric_.write(at, slot, bytes_of(done));
  ++head_;
  ++completed_;
  if (observer_ != nullptr) observer_->completed(now, frame.sequence, posted.visible, slot, false);
  if (armed_) interrupt(at);
}

void Mailbox::interrupt(Time at) {
  armed_ = false;
  ++interrupts_;
  const std::uint32_t vector = mailbox::kVector;
  fabric_.write(at, PhysAddr{guest::kMsiAddress}, bytes_of(vector));
  if (observer_ != nullptr) observer_->interrupt(at, vector);
}

void Mailbox::mmio_write(Time now, std::uint64_t offset, std::uint32_t, std::uint64_t value) {
  switch (offset) {
    case mailbox::kRing: ring_ = value; break;
    case mailbox::kBuffers: buffers_ = value; break;
    case mailbox::kEntries: entries_ = value; break;
    case mailbox::kTail: tail_ = value; break;
    case mailbox::kArm:
      armed_ = true;
      if (head_ != armed_at_) interrupt(now);
      armed_at_ = head_;
      break;
    default: break;
  }
}

std::uint64_t Mailbox::mmio_read(Time, std::uint64_t, std::uint32_t) { return 0; }

void Mailbox::register_statistics(Statistics& s) const {
  s.add("rx_out_of_buffer", "packets", dropped_, "Packets dropped because no entry was free.");
  s.add("device.packets_completed", "packets", completed_, "Packets written to memory and completed.");
  s.add("device.interrupts", "events", interrupts_, "Messages sent.");
}

void Mailbox::check_conservation(Time now) const {
  if (offered_ == dropped_ + completed_) return;
  throw InvariantError(now, "mailbox", fmt::format("packets are conserved: offered {} = dropped {} + completed {}", offered_,
                                                   dropped_, completed_));
}

std::string Mailbox::waiting_for() const {
  return fmt::format("mailbox: {} of {} entries free, {}", tail_ - head_, entries_, armed_ ? "armed" : "not armed");
}

}  // namespace ringside
