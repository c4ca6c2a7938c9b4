#include "model/wire/ethernet_wire.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::uint32_t kPreambleBytes = 8;  // start delimiter included
constexpr std::uint32_t kGapBytes = kWireOverheadBytes - kPreambleBytes;
constexpr std::uint32_t kQuantumBytes = 64;  // 512 bit times (IEEE 802.3, annex 31B)

}  // namespace

EthernetWire::EthernetWire(const sc_core::sc_module_name& name, const WireConfig& config, Timeline& timeline,
                           TrafficSource& source, FrameSink& sink)
    : sc_core::sc_module(name),
      byte_time_(transfer_time(bytes(1ULL << kFractionBits), config.rate).value),
      timeline_(timeline),
      source_(source),
      sink_(sink) {
  source.listen(*this);
}

void EthernetWire::start(Time at) {
  origin_ = free_ = std::max(at, timeline_.now());
  started_ = true;
  send_next();
}

void EthernetWire::send_next() {
  waiting_ = !source_.next(under_way_);
  if (waiting_) {
    finished_ = source_.ended();
    return;
  }
  unpaused_ = std::max({origin_ + under_way_.earliest, free_, timeline_.now()});
  busy_ps_ += duration(kPreambleBytes + under_way_.size + kGapBytes).value;
  place(std::max(unpaused_, paused_until_));
}

void EthernetWire::place(Time begin) {
  begin_ = begin;
  free_ = begin + duration(kPreambleBytes + under_way_.size + kGapBytes);
  ++place_;
  const std::uint32_t head = sink_.head_bytes();
  if (head != 0 && head < under_way_.size) timeline_.schedule(begin + duration(kPreambleBytes + head), *this, place_ << 1 | 1);
  timeline_.schedule(begin + duration(kPreambleBytes + under_way_.size), *this, place_ << 1);
}

void EthernetWire::pause(Time now, std::uint32_t quanta) {
  ++pauses_;
  paused_until_ = now + duration(quanta * kQuantumBytes);
  const Time begin = std::max(unpaused_, paused_until_);
  if (started_ && !waiting_ && !exhausted() && begin_ >= now && begin != begin_) place(begin);
}

void EthernetWire::fire(Time now, std::uint64_t argument) {
  if (stopped_ || argument >> 1 != place_) return;
  if ((argument & 1) != 0)
    return sink_.on_head(now, {packets_, begin_ + duration(kPreambleBytes + under_way_.size), under_way_.bytes});
  const std::uint64_t sequence = packets_++;
  bytes_ += under_way_.size;
  paused_ps_ += (begin_ - unpaused_).value;
  if (frame_observer_ != nullptr) frame_observer_->received(now, begin_, sequence, under_way_.size, under_way_.bytes);
  if (observer_ != nullptr) observer_->offered(now, sequence, under_way_.size);
  sink_.on_frame(now, {sequence, now, under_way_.bytes});
  if (!stopped_) send_next();
}

void EthernetWire::traffic_ready(Time) {
  if (waiting_ && !exhausted()) send_next();
}

void EthernetWire::register_statistics(Statistics& s) const {
  s.add("wire_frames", "frames", packets_, "Frames that the link carried to the port, good or bad");
  s.add("wire_bytes", "bytes", bytes_, "Bytes of these, with FCS");
  s.add("wire_busy", "ps", busy_ps_, "Time that frames, preambles and gaps took on the wire");
  s.add("wire_pauses", "frames", pauses_, "PAUSE frames that reached the sender of the traffic");
  s.add("wire_paused", "ps", paused_ps_, "Time that PAUSE held back frames which could have begun");
}

}  // namespace ringside
