// The register file, and what its bits say whichever core it belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/base/units.h"
#include "model/dwmac/config.h"
#include "model/dwmac/hw/common_regs.h"

namespace ringside::dwmac {

// Where a core keeps what the other one has, too. Offsets of queues and channels count from their bases.
struct CoreMap {
  std::uint32_t mac_config, rxq_ctrl2, timestamp_control;
  std::uint32_t (*tx_flow_ctrl)(std::uint32_t queue);
  std::uint32_t receive_enable, jumbo, watchdog_off, checksum;                // bits of mac_config
  std::uint32_t transmit_config;                                              // bit 0 or 1: transmit_enable
  std::uint32_t transmit_enable;
  std::uint32_t header_register, header_shift;                                // longest split header
  std::uint32_t rxq_dma_map, queue, queue_stride, rx_op, rx_debug, rqs_shift;
  std::uint32_t flow, rfa_shift, rfd_shift, level_mask;                       // register with RFA and RFD
  std::array<std::uint32_t, 4> threshold;                                     // bytes by RTC
  std::uint32_t dma_mode, intm_shift, sys_bus, osr_mask, int_status;
  std::uint32_t channel, channel_stride;
  std::uint32_t tx_tail, rx_tail, tx_ring_length, rx_ring_length, int_enable, rx_watchdog, watchdog_unit_shift;
};

class Registers {
 public:
  explicit Registers(const DwmacConfig& config);

  const CoreMap& map() const { return map_; }

  // Everything to its reset value.
  void reset();

  // Offsets are multiples of 4 below kRegisterWindow. Version and hardware features cannot be written.
  std::uint32_t read(std::uint32_t offset) const { return words_[offset / 4]; }
  void write(std::uint32_t offset, std::uint32_t value);

  std::uint32_t channel(std::uint32_t number, std::uint32_t offset) const {
    return read(map_.channel + number * map_.channel_stride + offset);
  }
  std::uint32_t queue(std::uint32_t number, std::uint32_t offset) const {
    return read(map_.queue + number * map_.queue_stride + offset);
  }

  std::uint32_t channel_control(std::uint32_t number) const { return channel(number, kControl); }
  std::uint32_t tx_control(std::uint32_t number) const { return channel(number, kTxControl); }
  std::uint32_t rx_control(std::uint32_t number) const { return channel(number, kRxControl); }

  std::uint32_t filter() const { return read(kFilter); }
  bool obeys_pause() const { return (read(kRxFlow) & kRxFlowRfe) != 0; }
  bool receive_on() const { return (read(map_.mac_config) & map_.receive_enable) != 0; }
  bool transmit_on() const { return (read(map_.transmit_config) & map_.transmit_enable) != 0; }
  bool jumbo_on() const { return (read(map_.mac_config) & map_.jumbo) != 0; }
  bool watchdog_on() const { return (read(map_.mac_config) & map_.watchdog_off) == 0; }
  bool checksum_on() const { return (read(map_.mac_config) & map_.checksum) != 0; }
  bool timestamps_on() const {
    constexpr std::uint32_t both = kTimestampEnable | kTimestampAll;
    return (read(map_.timestamp_control) & both) == both;
  }
  std::uint32_t longest_header() const { return 64u << (read(map_.header_register) >> map_.header_shift & 0x7); }
  std::uint32_t channel_of_queue(std::uint32_t queue) const {
    return read(map_.rxq_dma_map + queue / 4 * 4) >> queue % 4 * 8 & 0xf;
  }
  // VLAN priorities whose frames go to a queue, a bit for each. All others go to queue 0.
  std::uint32_t priorities(std::uint32_t queue) const { return read(map_.rxq_ctrl2 + queue / 4 * 4) >> queue % 4 * 8 & 0xff; }
  std::uint32_t queue_of_priority(std::uint32_t priority, std::uint32_t queues) const;

  std::uint32_t rx_op(std::uint32_t q) const { return queue(q, map_.rx_op); }
  std::uint32_t queue_size(std::uint32_t q) const { return ((rx_op(q) >> map_.rqs_shift & 0x3ff) + 1) * 256; }
  // Fill level above which PAUSE is sent, and below which it is taken back.
  std::uint32_t pause_level(std::uint32_t q) const { return level(q, map_.rfa_shift); }
  std::uint32_t resume_level(std::uint32_t q) const { return level(q, map_.rfd_shift); }

  std::uint32_t interrupt_mode() const { return read(map_.dma_mode) >> map_.intm_shift & 0x3; }
  // Beats of a burst on the bus, by a channel's transmit or receive control and the bus mode.
  std::uint32_t burst_beats(std::uint32_t number, std::uint32_t control) const;

 private:
  // Both cores have these at the same offsets; registers.cc checks it.
  static constexpr std::uint32_t kFilter = 0x0008, kRxFlow = 0x0090, kControl = 0x00, kTxControl = 0x04, kRxControl = 0x08;

  std::uint32_t level(std::uint32_t q, std::uint32_t shift) const;

  const DwmacConfig& config_;
  const CoreMap& map_;
  std::vector<std::uint32_t> words_;
};

}  // namespace ringside::dwmac
