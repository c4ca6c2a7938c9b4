#include "model/wire/ethernet_wire.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::uint32_t kPreambleBytes = 8;  // start delimiter included
constexpr std::uint32_t kGapBytes = kWireOverheadBytes - kPreambleBytes;

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
  send_next();
}

void EthernetWire::send_next() {
  waiting_ = !source_.next(under_way_);
  if (waiting_) {
    finished_ = source_.ended();
    return;
  }
  const Time begin = std::max({origin_ + under_way_.earliest, free_, timeline_.now()});
  const Time arrival = begin + duration(kPreambleBytes + under_way_.size);
  const Time end = begin + duration(kPreambleBytes + under_way_.size + kGapBytes);
  busy_ps_ += (end - begin).value;
  free_ = end;
  timeline_.schedule(arrival, *this);
}

void EthernetWire::fire(Time now, std::uint64_t) {
  if (stopped_) return;
  const std::uint64_t sequence = packets_++;
  bytes_ += under_way_.size;
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
}

}  // namespace ringside
