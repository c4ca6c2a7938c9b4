#include "model/dwmac/interrupt_lines.h"

#include <algorithm>

#include "model/dwmac/hw/eqos_regs.h"

namespace ringside::dwmac {

namespace {

bool old_summaries(const DwmacConfig& config) { return !config.is_xgmac() && config.version < eqos::kVersion410; }

}  // namespace

InterruptLines::InterruptLines(Context& context, const Registers& registers, InterruptSink& sink, std::uint32_t channels)
    : context_(context),
      registers_(registers),
      sink_(sink),
      normal_(kIntTi | kIntTbu | kIntRi),
      abnormal_(kIntTps | kIntRbu | kIntRps | kIntFbe),
      nie_(old_summaries(context.config) ? eqos::kIntNie400 : kIntNie),
      aie_(old_summaries(context.config) ? eqos::kIntAie400 : kIntAie),
      status_(channels),
      high_(tx_vector(channels - 1) + 1) {}

void InterruptLines::reset() {
  std::ranges::fill(status_, 0);
  std::fill(high_.begin(), high_.end(), false);
}

void InterruptLines::raise(Time now, std::uint32_t channel, std::uint32_t bits) {
  status_[channel] |= bits;
  update(now, channel, false);
}

void InterruptLines::write_status(Time now, std::uint32_t channel, std::uint32_t value) {
  status_[channel] &= ~value;
  update(now, channel, true);
}

void InterruptLines::write_enable(Time now, std::uint32_t channel) { update(now, channel, true); }

// The summaries are of enabled events only, and stay until they are cleared. With interrupt mode 2 receive and transmit
// events have their lines to themselves.
void InterruptLines::summarise(std::uint32_t channel) {
  const std::uint32_t events = status_[channel] & enabled(channel);
  const std::uint32_t own_line = registers_.interrupt_mode() == 2 ? kIntRi | kIntTi : 0;
  if ((events & normal_ & ~own_line) != 0) status_[channel] |= kIntNis;
  if ((events & abnormal_) != 0) status_[channel] |= kIntAis;
}

bool InterruptLines::summary(std::uint32_t channel) const {
  const bool normal = (status_[channel] & kIntNis) != 0 && (enabled(channel) & nie_) != 0;
  const bool abnormal = (status_[channel] & kIntAis) != 0 && (enabled(channel) & aie_) != 0;
  return normal || abnormal;
}

void InterruptLines::update(Time now, std::uint32_t channel, bool again) {
  summarise(channel);
  if (registers_.interrupt_mode() == 0) {
    bool level = false;
    for (std::uint32_t c = 0; c < status_.size(); ++c) level = level || summary(c);
    return drive(now, kCommonVector, level, again);
  }
  const std::uint32_t events = status_[channel] & enabled(channel);
  drive(now, rx_vector(channel), (events & kIntRi) != 0, again);
  drive(now, tx_vector(channel), (events & kIntTi) != 0, again);
  bool rest = false;
  for (std::uint32_t c = 0; c < status_.size(); ++c) {
    const std::uint32_t others = status_[c] & enabled(c) & ((normal_ | abnormal_) & ~(kIntRi | kIntTi));
    rest = rest || (others != 0 && summary(c));
  }
  drive(now, kCommonVector, rest, again);
}

void InterruptLines::drive(Time now, std::uint32_t vector, bool level, bool again) {
  const bool was = high_[vector];
  high_[vector] = level;
  if (!level || (was && !again)) return;
  ++context_.counters.interrupts;
  if (context_.observer != nullptr) context_.observer->interrupt(now, vector);
  sink_.interrupt(now, vector);
}

std::uint32_t InterruptLines::dma_status() const {
  std::uint32_t bits = 0;
  for (std::uint32_t c = 0; c < status_.size(); ++c) {
    const bool any = summary(c) || (status_[c] & enabled(c) & (kIntRi | kIntTi)) != 0;
    bits |= (any ? 1u : 0u) << c;
  }
  return bits;
}

}  // namespace ringside::dwmac
