#include "model/dwmac/tx_channel.h"

#include <fmt/format.h>

#include <cstring>

#include "model/dwmac/frame_parser.h"

namespace ringside::dwmac {

void TxChannel::start(Time now) {
  if (ring_.running()) return;
  ring_.start(now);
  advance(now);
}

void TxChannel::stop(Time now) {
  if (!ring_.running()) return;
  ring_.stop();
  lines_.raise(now, number_, kIntTps);
}

void TxChannel::advance(Time now) {
  const bool second = (registers_.tx_control(number_) & kChTxOsp) != 0;
  const std::uint64_t limit = second ? context_.config.tx_frames : 1;
  while (ring_.running() && !ring_.empty() && (assembling_ || under_way_ < limit)) {
    const DescriptorCache::Entry entry = ring_.take(now);
    use(now, entry);
    ring_.release(now);
  }
}

void TxChannel::use(Time now, const DescriptorCache::Entry& entry) {
  ++context_.counters.tx_descriptors;
  const dma_desc& d = entry.desc;
  const bool stray = !assembling_ && (d.des3 & kTdes3Fd) == 0;
  if ((d.des3 & kDes3Ctxt) != 0 || stray) {
    close(now, entry);
    return;
  }
  if (!assembling_) {
    assembling_ = frames_.acquire();
    Frame& fresh = frames_[*assembling_];
    fresh.bytes.clear();
    fresh.entries.clear();
    fresh.whole = false;
    fresh.checksums = (d.des3 >> kTdes3CicShift & kTdes3CicMask) == kTdes3CicFull;
    ++under_way_;
  }
  const std::uint32_t slot = *assembling_;
  Frame& frame = frames_[slot];
  frame.entries.push_back(entry);
  const std::uint32_t length = d.des2 & kTdes2B1lMask;
  const std::uint64_t offset = frame.bytes.size();
  frame.bytes.resize(offset + length);
  frame.ioc = (d.des2 & kTdes2Ioc) != 0;
  if ((d.des3 & kTdes3Ld) != 0) {
    frame.whole = true;
    assembling_.reset();
  }
  if (length != 0) {
    ++frame.reads_left;
    const PhysAddr address{std::uint64_t{d.des1} << 32 | d.des0};
    context_.read(now, DmaUse::transmit, address, length, *this, std::uint64_t{slot} << 32 | offset);
  }
}

void TxChannel::on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) {
  const auto slot = static_cast<std::uint32_t>(tag >> 32);
  Frame& frame = frames_[slot];
  --frame.reads_left;
  if (!ok) return bus_error(now);
  std::memcpy(frame.bytes.data() + static_cast<std::uint32_t>(tag), data.data(), data.size());
  send_if_ready(now, slot);
}

// One ID on the bus: the bytes of frames are complete in the order of the ring.
void TxChannel::send_if_ready(Time now, std::uint32_t slot) {
  Frame& frame = frames_[slot];
  if (!frame.whole || frame.reads_left != 0 || !registers_.transmit_on()) return;
  if (frame.checksums) insert_checksums(frame.bytes);
  port_.send(now + context_.config.tx_latency, frame.bytes, *this, slot);
}

void TxChannel::transmitted(Time now, std::uint32_t slot) {
  Frame& frame = frames_[slot];
  DmaFabric::Posted last{now, now};
  for (const DescriptorCache::Entry& entry : frame.entries) last = close(now, entry);
  if (frame.ioc) context_.timeline.schedule(context_.fabric.response(last), *this);
  frames_.release(slot);
  --under_way_;
  advance(now);
}

// Only the status word is written.
DmaFabric::Posted TxChannel::close(Time now, const DescriptorCache::Entry& entry) {
  const std::uint32_t status = entry.desc.des3 & (kTdes3Fd | kTdes3Ld | kDes3Ctxt);
  const PhysAddr at{entry.at.value + offsetof(dma_desc, des3)};
  return context_.write(now, DmaUse::completion, at, {reinterpret_cast<const std::uint8_t*>(&status), sizeof status});
}

void TxChannel::fire(Time now, std::uint64_t) { lines_.raise(now, number_, kIntTi); }

void TxChannel::starved(Time now) {
  ++context_.counters.tbu_events;
  lines_.raise(now, number_, kIntTbu);
}

void TxChannel::bus_error(Time now) {
  ++context_.counters.bus_errors;
  ring_.stop();
  lines_.raise(now, number_, kIntFbe);
}

std::string TxChannel::waiting_for() const {
  std::string text = fmt::format("TX channel {}: {}", number_, ring_.waiting_for());
  if (under_way_ != 0) text += fmt::format("; {} frames without status", under_way_);
  return text + '\n';
}

}  // namespace ringside::dwmac
