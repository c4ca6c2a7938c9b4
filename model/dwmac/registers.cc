#include "model/dwmac/registers.h"

#include <algorithm>
#include <bit>

#include "model/dwmac/hw/eqos_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"

namespace ringside::dwmac {

namespace {

constexpr CoreMap kEqosMap{
    .mac_config = eqos::kMacConfig,
    .rxq_ctrl2 = eqos::kMacRxqCtrl2,
    .timestamp_control = eqos::kMacTimestampControl,
    .tx_flow_ctrl = eqos::mac_tx_flow_ctrl,
    .receive_enable = eqos::kConfigRe,
    .jumbo = eqos::kConfigJe,
    .watchdog_off = eqos::kConfigWd,
    .checksum = eqos::kConfigIpc,
    .transmit_config = eqos::kMacConfig,
    .transmit_enable = eqos::kConfigTe,
    .header_register = eqos::kMacExtConfig,
    .header_shift = eqos::kExtConfigHdsmsShift,
    .rxq_dma_map = eqos::kMtlRxqDmaMap0,
    .queue = eqos::kMtlQueue,
    .queue_stride = eqos::kMtlQueueStride,
    .rx_op = eqos::kMtlRxOpMode,
    .rx_debug = eqos::kMtlRxDebug,
    .rqs_shift = eqos::kRxOpRqsShift,
    .flow = eqos::kMtlRxOpMode,
    .rfa_shift = eqos::kRxOpRfaShift,
    .rfd_shift = eqos::kRxOpRfdShift,
    .level_mask = 0x3f,
    .threshold = {64, 32, 96, 128},
    .dma_mode = eqos::kDmaMode,
    .intm_shift = eqos::kDmaModeIntmShift,
    .sys_bus = eqos::kDmaSysBusMode,
    .osr_mask = 0xf,
    .int_status = eqos::kDmaIntStatus,
    .channel = eqos::kDmaChannel,
    .channel_stride = eqos::kDmaChannelStride,
    .tx_tail = eqos::kChTxTail,
    .rx_tail = eqos::kChRxTail,
    .tx_ring_length = eqos::kChTxRingLength,
    .rx_ring_length = eqos::kChRxRingLength,
    .int_enable = eqos::kChIntEnable,
    .rx_watchdog = eqos::kChRxWatchdog,
    .watchdog_unit_shift = eqos::kRwtUnitShift,
};

constexpr CoreMap kXgmacMap{
    .mac_config = xgmac::kMacRxConfig,
    .rxq_ctrl2 = xgmac::kMacRxqCtrl2,
    .timestamp_control = xgmac::kMacTimestampControl,
    .tx_flow_ctrl = xgmac::mac_tx_flow_ctrl,
    .receive_enable = xgmac::kRxConfigRe,
    .jumbo = xgmac::kRxConfigJe,
    .watchdog_off = xgmac::kRxConfigWd,
    .checksum = xgmac::kRxConfigIpc,
    .transmit_config = xgmac::kMacTxConfig,
    .transmit_enable = xgmac::kTxConfigTe,
    .header_register = xgmac::kMacRxConfig,
    .header_shift = xgmac::kRxConfigHdsmsShift,
    .rxq_dma_map = xgmac::kMtlRxqDmaMap0,
    .queue = xgmac::kMtlQueue,
    .queue_stride = xgmac::kMtlQueueStride,
    .rx_op = xgmac::kMtlRxOpMode,
    .rx_debug = xgmac::kMtlRxDebug,
    .rqs_shift = xgmac::kRxOpRqsShift,
    .flow = xgmac::kMtlRxFlowControl,
    .rfa_shift = xgmac::kRxFlowRfaShift,
    .rfd_shift = xgmac::kRxFlowRfdShift,
    .level_mask = 0x7fff,
    .threshold = {64, 64, 96, 128},
    .dma_mode = xgmac::kDmaMode,
    .intm_shift = xgmac::kDmaModeIntmShift,
    .sys_bus = xgmac::kDmaSysBusMode,
    .osr_mask = 0x3f,
    .int_status = xgmac::kDmaIntStatus,
    .channel = xgmac::kDmaChannel,
    .channel_stride = xgmac::kDmaChannelStride,
    .tx_tail = xgmac::kChTxTail,
    .rx_tail = xgmac::kChRxTail,
    .tx_ring_length = xgmac::kChTxRingLength,
    .rx_ring_length = xgmac::kChRxRingLength,
    .int_enable = xgmac::kChIntEnable,
    .rx_watchdog = xgmac::kChRxWatchdog,
    .watchdog_unit_shift = 0,
};

constexpr std::uint32_t kVersion = eqos::kMacVersion, kFeature0 = eqos::kMacHwFeature0,
                        kFeature1 = eqos::kMacHwFeature1, kFeature2 = eqos::kMacHwFeature2;
constexpr std::uint32_t kResetOutstanding = 1u << 16 | 1u << 24;  // two of each

// FIFO size 128 << n.
std::uint32_t fifo_code(Bytes size) { return static_cast<std::uint32_t>(std::bit_width(size.value / 128) - 1); }

}  // namespace

Registers::Registers(const DwmacConfig& config)
    : config_(config), map_(config.is_xgmac() ? kXgmacMap : kEqosMap), words_(kRegisterWindow / 4) {
  reset();
}

void Registers::reset() {
  static_assert(kFilter == eqos::kMacPacketFilter && kFilter == xgmac::kMacPacketFilter);
  static_assert(kRxFlow == eqos::kMacRxFlowCtrl && kRxFlow == xgmac::kMacRxFlowCtrl);
  static_assert(kControl == eqos::kChControl && kTxControl == eqos::kChTxControl && kRxControl == eqos::kChRxControl);
  static_assert(kControl == xgmac::kChControl && kTxControl == xgmac::kChTxControl && kRxControl == xgmac::kChRxControl);
  static_assert(kVersion == xgmac::kMacVersion && kFeature0 == xgmac::kMacHwFeature0);
  static_assert(kFeature1 == xgmac::kMacHwFeature1 && kFeature2 == xgmac::kMacHwFeature2);
  std::ranges::fill(words_, 0);
  const std::uint32_t id = config_.is_xgmac() ? xgmac::kXgmacId << 8 : 0;
  words_[kVersion / 4] = id | static_cast<std::uint32_t>(config_.version);
  words_[kFeature0 / 4] = kFeature0TxCoe | kFeature0RxCoe;
  words_[kFeature1 / 4] =
      fifo_code(config_.rx_fifo) | fifo_code(config_.tx_fifo) << kFeature1TxFifoShift | kFeature1Sphen;
  const auto rx = static_cast<std::uint32_t>(config_.rx_channels - 1);
  const auto tx = static_cast<std::uint32_t>(config_.tx_channels - 1);
  words_[kFeature2 / 4] =
      rx | tx << kFeature2TxQueuesShift | rx << kFeature2RxChannelsShift | tx << kFeature2TxChannelsShift;
  words_[map_.sys_bus / 4] = kResetOutstanding;
}

void Registers::write(std::uint32_t offset, std::uint32_t value) {
  if (offset == kVersion || offset == kFeature0 || offset == kFeature1 || offset == kFeature2) return;
  words_[offset / 4] = value;
}

std::uint32_t Registers::queue_of_priority(std::uint32_t priority, std::uint32_t queues) const {
  for (std::uint32_t q = 0; q < queues; ++q)
    if ((priorities(q) >> priority & 1) != 0) return q;
  return 0;
}

std::uint32_t Registers::level(std::uint32_t q, std::uint32_t shift) const {
  const std::uint32_t below = 1024 + 512 * (queue(q, map_.flow) >> shift & map_.level_mask);
  return queue_size(q) - std::min(below, queue_size(q));
}

// The longest length that is on; 4 beats if none is, the shortest there is.
std::uint32_t Registers::burst_beats(std::uint32_t number, std::uint32_t control) const {
  const std::uint32_t pbl = std::max((control & kChPblMask) >> kChPblShift, 1u);
  const bool times8 = (channel_control(number) & kChControlPblx8) != 0;
  const std::uint32_t lengths = (read(map_.sys_bus) & kSysBusBlenMask) >> kSysBusBlenShift;
  return std::min(times8 ? pbl * 8 : pbl, lengths == 0 ? 4 : 2u << std::bit_width(lengths));
}

}  // namespace ringside::dwmac
