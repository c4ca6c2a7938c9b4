#include "model/dwmac/dwmac.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/dwmac/hw/eqos_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"

namespace ringside {

using namespace dwmac;

namespace {

// Offsets in a channel that both cores share.
static_assert(eqos::kChRxListHigh == xgmac::kChRxListHigh && eqos::kChRxList == xgmac::kChRxList);
static_assert(eqos::kChTxListHigh == xgmac::kChTxListHigh && eqos::kChTxList == xgmac::kChTxList);
static_assert(eqos::kChStatus == xgmac::kChStatus && eqos::kChCurRxDesc == xgmac::kChCurRxDesc);
static_assert(eqos::kChCurTxDesc == xgmac::kChCurTxDesc);

constexpr std::uint64_t kRegisterSize = 4;
constexpr std::uint32_t kRingLengthMask = 0xffff;
constexpr std::uint32_t kAddressLowMask = 0xffff'fff0;

}  // namespace

Dwmac::Dwmac(const sc_core::sc_module_name& module_name, const DwmacConfig& config, Timeline& timeline, AxiMaster& fabric,
             InterruptSink& interrupts)
    : sc_module(module_name),
      context_(name(), config, timeline, fabric),
      registers_(context_.config),
      lines_(context_, registers_, interrupts,
             static_cast<std::uint32_t>(std::max(config.rx_channels, config.tx_channels))),
      port_(context_),
      mac_(context_, registers_, queues_, port_, *this) {
  for (std::uint32_t n = 0; n < config.rx_channels; ++n) {
    queues_.push_back(std::make_unique<MtlQueue>(context_, registers_, port_, n));
    rx_.push_back(std::make_unique<RxChannel>(context_, registers_, queues_, lines_, n));
  }
  for (std::uint32_t n = 0; n < config.tx_channels; ++n)
    tx_.push_back(std::make_unique<TxChannel>(context_, registers_, lines_, port_, n));
}

void Dwmac::frame_arrived(Time now, std::uint32_t queue, bool next) {
  const std::uint32_t channel = registers_.channel_of_queue(queue);
  if (channel < rx_.size()) rx_[channel]->frame_arrived(now, next);
}

void Dwmac::mmio_write(Time now, std::uint64_t offset, std::uint32_t size, std::uint64_t value) {
  if (size != kRegisterSize || offset % kRegisterSize != 0 || offset >= kRegisterWindow) {
    ++context_.counters.mmio_ignored;
    return;
  }
  const CoreMap& map = registers_.map();
  const auto at = static_cast<std::uint32_t>(offset);
  const auto word = static_cast<std::uint32_t>(value);
  const std::uint32_t channel = at < map.channel ? ~0u : (at - map.channel) / map.channel_stride;
  if (channel < std::max(rx_.size(), tx_.size()))
    return write_channel(now, channel, (at - map.channel) % map.channel_stride, word);
  if (at == map.dma_mode && (word & kDmaModeSwr) != 0) return reset(now);
  registers_.write(at, word);
  if (at == map.sys_bus || at == map.dma_mode) update_bus();
}

void Dwmac::write_channel(Time now, std::uint32_t number, std::uint32_t offset, std::uint32_t value) {
  const CoreMap& map = registers_.map();
  if (offset == eqos::kChStatus) return lines_.write_status(now, number, value);
  registers_.write(map.channel + number * map.channel_stride + offset, value);
  if (offset == map.int_enable) return lines_.write_enable(now, number);
  if (offset == eqos::kChControl || offset == eqos::kChTxControl || offset == eqos::kChRxControl) update_bus();
  if (number < rx_.size()) write_rx(now, number, offset, value);
  if (number < tx_.size()) write_tx(now, number, offset, value);
}

void Dwmac::write_rx(Time now, std::uint32_t number, std::uint32_t offset, std::uint32_t value) {
  const CoreMap& map = registers_.map();
  RxChannel& channel = *rx_[number];
  if (offset == eqos::kChRxList) {
    channel.ring().set_base(list(number, eqos::kChRxListHigh));
  } else if (offset == map.rx_ring_length) {
    channel.ring().set_length((value & kRingLengthMask) + 1);
  } else if (offset == map.rx_tail) {
    channel.ring().set_tail(now, PhysAddr{list(number, eqos::kChRxListHigh).value >> 32 << 32 | value});
  } else if (offset == eqos::kChRxControl) {
    (value & kChRxSr) != 0 ? channel.start(now) : channel.stop(now);
  }
}

void Dwmac::write_tx(Time now, std::uint32_t number, std::uint32_t offset, std::uint32_t value) {
  const CoreMap& map = registers_.map();
  TxChannel& channel = *tx_[number];
  if (offset == eqos::kChTxList) {
    channel.ring().set_base(list(number, eqos::kChTxListHigh));
  } else if (offset == map.tx_ring_length) {
    channel.ring().set_length((value & kRingLengthMask) + 1);
  } else if (offset == map.tx_tail) {
    channel.ring().set_tail(now, PhysAddr{list(number, eqos::kChTxListHigh).value >> 32 << 32 | value});
  } else if (offset == eqos::kChTxControl) {
    (value & kChTxSt) != 0 ? channel.start(now) : channel.stop(now);
  }
}

PhysAddr Dwmac::list(std::uint32_t number, std::uint32_t high) const {
  const std::uint32_t low = registers_.channel(number, high + 4) & kAddressLowMask;
  return {std::uint64_t{registers_.channel(number, high)} << 32 | low};
}

// Burst lengths and outstanding bursts; how many descriptors a burst brings. Without the descriptor cache, an option of
// late EQOS cores, descriptors are fetched one by one.
void Dwmac::update_bus() {
  const CoreMap& map = registers_.map();
  const std::uint32_t bus = registers_.read(map.sys_bus);
  const bool cached = context_.config.is_xgmac() || (registers_.read(map.dma_mode) & eqos::kDmaModeDche) != 0;
  const std::uint64_t capacity = cached ? context_.config.descriptor_cache : 1;
  const std::uint64_t width = context_.fabric.bus_width();
  const auto entries = [width](std::uint64_t beats) { return std::max<std::uint64_t>(beats * width / sizeof(dma_desc), 1); };
  AxiLimits limits{.beats = 256,
                   .reads = (bus >> eqos::kSysBusRdOsrShift & map.osr_mask) + 1,
                   .writes = (bus >> eqos::kSysBusWrOsrShift & map.osr_mask) + 1};
  const auto apply = [&](DescriptorCache& ring, std::uint32_t beats, bool on) {
    ring.set_capacity(capacity);
    ring.set_burst(entries(beats));
    if (on) limits.beats = std::min<std::uint64_t>(limits.beats, beats);
  };
  for (std::uint32_t n = 0; n < rx_.size(); ++n) {
    const std::uint32_t control = registers_.rx_control(n);
    apply(rx_[n]->ring(), registers_.burst_beats(n, control), (control & kChRxSr) != 0);
  }
  for (std::uint32_t n = 0; n < tx_.size(); ++n) {
    const std::uint32_t control = registers_.tx_control(n);
    apply(tx_[n]->ring(), registers_.burst_beats(n, control), (control & kChTxSt) != 0);
  }
  context_.fabric.set_limits(limits);
}

// Frames on their way are lost; what the bus has taken still lands. Transmission must have stopped.
void Dwmac::reset(Time now) {
  for (auto& queue : queues_) {
    queue->announce_reset(now);
    for (; RxFrame* frame = queue->head(); queue->pop()) {
      if (!frame->complete) continue;
      ++context_.counters.flushed;
      context_.drop(now, frame->sequence, "device_reset");
    }
    queue->reset();
  }
  mac_.reset();
  registers_.reset();
  lines_.reset();
  for (auto& channel : rx_) channel->reset(PhysAddr{});
  for (auto& channel : tx_) {
    channel->ring().stop();
    channel->ring().set_base(PhysAddr{});
  }
  update_bus();
}

std::uint64_t Dwmac::mmio_read(Time now, std::uint64_t offset, std::uint32_t size) {
  if (size != kRegisterSize || offset % kRegisterSize != 0 || offset >= kRegisterWindow) {
    ++context_.counters.mmio_ignored;
    return 0;
  }
  const CoreMap& map = registers_.map();
  const auto at = static_cast<std::uint32_t>(offset);
  if (at == map.int_status) return lines_.dma_status();
  if (at >= map.channel) {
    const std::uint32_t number = (at - map.channel) / map.channel_stride;
    const std::uint32_t reg = (at - map.channel) % map.channel_stride;
    if (reg == eqos::kChStatus && number < std::max(rx_.size(), tx_.size())) return lines_.status(number);
    if (reg == eqos::kChCurRxDesc && number < rx_.size())
      return static_cast<std::uint32_t>(rx_[number]->ring().current().value);
    if (reg == eqos::kChCurTxDesc && number < tx_.size())
      return static_cast<std::uint32_t>(tx_[number]->ring().current().value);
  } else if (at >= map.queue && (at - map.queue) % map.queue_stride == map.rx_debug) {
    const std::uint32_t number = (at - map.queue) / map.queue_stride;
    if (number < queues_.size()) return queues_[number]->debug(now);
  }
  return registers_.read(at);
}

std::vector<DescriptorRange> Dwmac::descriptor_ranges() const {
  std::vector<DescriptorRange> ranges;
  for (std::uint32_t n = 0; n < rx_.size(); ++n) {
    if (!rx_[n]->ring().running()) continue;
    const std::uint32_t length = registers_.channel(n, registers_.map().rx_ring_length) & kRingLengthMask;
    ranges.push_back({n, list(n, eqos::kChRxListHigh), length + 1});
  }
  return ranges;
}

std::uint64_t Dwmac::completions_in_flight(Time now) const {
  std::uint64_t count = 0;
  for (const auto& channel : rx_) count += channel->completions_in_flight(now);
  return count;
}

void Dwmac::check_conservation(Time now) const {
  const Counters& c = context_.counters;
  if (c.offered == c.dropped + c.buffered + c.completed) return;
  throw InvariantError(now, context_.name,
                       fmt::format("offered = dropped + inside + completed: {} is not {} + {} + {}", c.offered, c.dropped,
                                   c.buffered, c.completed));
}

std::string Dwmac::waiting_for() const {
  std::string text;
  for (const auto& channel : rx_) text += channel->waiting_for();
  for (const auto& queue : queues_) text += queue->waiting_for(context_.timeline.now());
  for (const auto& channel : tx_) text += channel->waiting_for();
  if (port_.waiting() != 0) text += fmt::format("TX port: {} frames\n", port_.waiting());
  return text;
}

}  // namespace ringside
