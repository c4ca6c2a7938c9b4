#include "model/connectx/tx_port.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::connectx {

namespace {

constexpr std::uint32_t kPreambleBytes = 8;  // start delimiter included
constexpr std::uint32_t kGapBytes = kWireOverheadBytes - kPreambleBytes;

}  // namespace

TxPort::TxPort(Context& context, TransmitCounters& counters)
    : context_(context),
      counters_(counters),
      byte_time_(transfer_time(ringside::bytes(1ULL << kFractionBits), context.config.port_rate).value) {}

bool TxPort::has_room(Time now, std::uint32_t length) {
  while (!leaving_.empty() && leaving_.front().end <= now) {
    used_ -= leaving_.front().length;
    leaving_.pop();
  }
  return used_ + length <= context_.config.tx_buffer.value;
}

std::uint32_t TxPort::reserve(std::uint32_t length) {
  used_ += length;
  incomplete_ += length;
  if (!listened()) return 0;
  const std::uint32_t frame = frames_.acquire();
  // Short frames are padded with zeros.
  frames_[frame].assign(length, 0);
  return frame;
}

void TxPort::send(Time ready, std::uint32_t frame, std::uint32_t length) {
  const std::uint64_t on_wire = length + kFcsBytes;
  const Time start = std::max(ready, wire_free_);
  const Time end = start + duration(kPreambleBytes + on_wire);
  wire_free_ = start + duration(kPreambleBytes + on_wire + kGapBytes);
  if (context_.details != nullptr) {
    context_.details->transmits(context_.timeline.now(), start, end, static_cast<std::uint32_t>(on_wire));
  }
  leaving_.push({end, length});
  incomplete_ -= length;
  ++counters_.packets;
  counters_.bytes += on_wire;
  if (listened()) context_.timeline.schedule(end, *this, frame);
}

void TxPort::discard(std::uint32_t frame, std::uint32_t length) {
  used_ -= length;
  incomplete_ -= length;
  if (listened()) frames_.release(frame);
}

void TxPort::fire(Time now, std::uint64_t frame) {
  const auto slot = static_cast<std::uint32_t>(frame);
  sink_->on_frame(now, {heard_++, now, frames_[slot]});
  frames_.release(slot);
}

std::string TxPort::waiting_for() const {
  return incomplete_ == 0 ? std::string{} : fmt::format("TX port: {} B are to come\n", incomplete_);
}

}  // namespace ringside::connectx
