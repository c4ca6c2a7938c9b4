#include "model/dwmac/transmit_port.h"

#include <algorithm>

namespace ringside::dwmac {

namespace {

constexpr std::uint32_t kPreambleBytes = 8;  // start delimiter included
constexpr std::uint32_t kGapBytes = kWireOverheadBytes - kPreambleBytes;
enum EventKind : std::uint64_t { kEnd, kWake };

}  // namespace

void TransmitPort::send(Time ready, std::span<const std::uint8_t> bytes, TransmitClient& client, std::uint32_t frame) {
  frames_.push({ready, bytes, &client, frame});
  start_next(context_.timeline.now());
}

void TransmitPort::send_pause(Time now, std::uint32_t quanta) {
  pauses_.push(quanta);
  start_next(now);
}

void TransmitPort::hold(Time now, std::uint32_t quanta) {
  held_until_ = now + quanta_time(quanta);
  start_next(now);
}

void TransmitPort::start_next(Time now) {
  if (sending_) return;
  Time begin = free_;
  if (pauses_.empty()) {
    if (frames_.empty()) return;
    begin = std::max({begin, frames_.front().ready, held_until_});
  }
  if (begin > now) {
    if (wake_ <= now || begin < wake_) context_.timeline.schedule(begin, *this, kWake);
    wake_ = begin;
    return;
  }
  sending_pause_ = !pauses_.empty();
  start(now, sending_pause_ ? kMinFrameBytes : static_cast<std::uint32_t>(frames_.front().bytes.size()) + kFcsBytes);
}

void TransmitPort::start(Time now, std::uint32_t length) {
  length = std::max(length, kMinFrameBytes);
  sending_ = true;
  end_ = now + duration(kPreambleBytes + length);
  free_ = now + duration(kPreambleBytes + length + kGapBytes);
  ++context_.counters.tx_framecount_gb;
  context_.counters.tx_octetcount_gb += length;
  if (context_.details != nullptr) context_.details->transmits(now, now, end_, length);
  context_.timeline.schedule(end_, *this, kEnd);
}

void TransmitPort::fire(Time now, std::uint64_t argument) {
  if (argument == kEnd) {
    sending_ = false;
    if (sending_pause_) {
      const std::uint32_t quanta = pauses_.front();
      pauses_.pop();
      ++context_.counters.tx_pause_frames;
      if (partner_ != nullptr) partner_->pause(now, quanta);
    } else {
      const Waiting frame = frames_.front();
      frames_.pop();
      if (sink_ != nullptr) sink_->on_frame(now, {sent_, now, frame.bytes});
      ++sent_;
      frame.client->transmitted(now, frame.frame);
    }
  }
  start_next(now);
}

}  // namespace ringside::dwmac
