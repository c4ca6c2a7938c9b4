// A DWXGMAC or EQOS between a mock bus backed by plain bytes and a hand-written driver, for tests of the device.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "model/base/timeline.h"
#include "model/dwmac/dwmac.h"
#include "model/dwmac/hw/common_regs.h"
#include "model/dwmac/hw/desc.h"
#include "model/dwmac/hw/eqos_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"
#include "model/guest/contract.h"
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::dwmac {

// Writes outside memory are kept apart.
class MockAxi : public AxiMaster {
 public:
  MockAxi(Timeline& timeline, std::uint64_t base, std::size_t size) : memory(timeline, base, size) {}

  connectx::MockFabric memory;
  Time response_latency = nanoseconds(100);
  std::uint32_t width = 16;
  AxiLimits limits;
  std::vector<std::pair<std::uint64_t, std::size_t>> lost;  // address, length

  Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override {
    if (memory.contains(address.value, data.size())) return memory.write(at, address, data);
    lost.emplace_back(address.value, data.size());
    return {at, at + memory.write_latency};
  }
  void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) override {
    memory.read(at, address, length, reader, tag);
  }
  void set_limits(const AxiLimits& l) override { limits = l; }
  Time response(const Posted& write) const override { return write.visible + response_latency; }
  std::uint32_t bus_width() const override { return width; }
};

struct Wires : InterruptSink {
  void interrupt(Time now, std::uint32_t vector) override { seen.emplace_back(now, vector); }
  std::vector<std::pair<Time, std::uint32_t>> seen;
};

struct Partner : LinkPartner {
  void pause(Time now, std::uint32_t quanta) override { pauses.emplace_back(now, quanta); }
  std::vector<std::pair<Time, std::uint32_t>> pauses;
};

struct Sent : FrameSink {
  void on_frame(Time now, const Frame& frame) override {
    at.push_back(now);
    frames.emplace_back(frame.bytes.begin(), frame.bytes.end());
  }
  std::vector<Time> at;
  std::vector<std::vector<std::uint8_t>> frames;
};

// A clock of 256 MHz: a unit of the receive interrupt watchdog is 1 us.
inline DwmacConfig bench_config(std::string core = "xgmac") {
  DwmacConfig c;
  c.core = std::move(core);
  c.version = c.is_xgmac() ? 0x32 : 0x52;
  c.rx_channels = 4;
  c.tx_channels = 2;
  c.rx_fifo = kibibytes(16);
  c.tx_fifo = kibibytes(16);
  c.descriptor_cache = 16;
  c.prefetch_threshold = 8;
  c.csr_clock = megahertz(256);
  c.rx_latency = nanoseconds(50);
  c.rx_descriptor = nanoseconds(10);
  c.tx_latency = nanoseconds(50);
  c.tx_frames = 4;
  c.riwt_reload = false;
  c.zero_buffer = "skip";
  c.partial_length = "so-far";
  c.port_rate = gigabits_per_second(8);  // a byte is 1 ns
  return c;
}

struct RxSetup {
  std::uint32_t entries = 8;
  std::uint32_t buffer = 2048;  // RBSZ
  std::uint32_t riwt = 0;
  std::uint32_t enable = kIntNie | kIntAie | kIntRi | kIntRbu | kIntTi;
  std::uint32_t queue_bytes = 16384;
  std::uint32_t op = kRxOpRsf | kRxOpDisTcpEf;
  std::uint32_t filter = kFilterPr;
  bool split = false;
  bool checksums = true;
  bool timestamps = false;
  bool jumbo = true;
  bool descriptor_cache = true;  // EQOS
  std::uint32_t channel = 0;
};

inline std::vector<std::uint8_t> plain_frame(std::size_t length, std::uint8_t seed = 0) {
  return connectx::plain_frame(length, seed);
}

// IPv4 with TCP or UDP and `payload` bytes of a pattern, checksums right.
inline std::vector<std::uint8_t> ip_frame(std::uint8_t protocol, std::size_t header, std::size_t payload) {
  std::vector<std::uint8_t> f = plain_frame(14 + 20 + header + payload);
  const std::size_t total = 20 + header + payload;
  const std::vector<std::uint8_t> ip{0x45, 0, static_cast<std::uint8_t>(total >> 8), static_cast<std::uint8_t>(total), 0, 1,
                                     0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  f[12] = 0x08, f[13] = 0;
  std::copy(ip.begin(), ip.end(), f.begin() + 14);
  if (protocol == 6) f[14 + 20 + 12] = 0x50;
  if (protocol == 17) f[14 + 20 + 4] = static_cast<std::uint8_t>((total - 20) >> 8), f[14 + 20 + 5] = static_cast<std::uint8_t>(total - 20);
  insert_checksums(f);
  return f;
}
inline std::vector<std::uint8_t> tcp_frame(std::size_t payload) { return ip_frame(6, 20, payload); }
inline std::vector<std::uint8_t> udp_frame(std::size_t payload) { return ip_frame(17, 8, payload); }
inline constexpr std::size_t kTcpHeaders = 14 + 20 + 20, kUdpHeaders = 14 + 20 + 8;

class Bench {
 public:
  static constexpr std::uint64_t kBase = guest::kRamBase;
  static constexpr std::uint64_t kRing = kBase, kRingStride = 0x10000, kTxRing = kBase + 0x80000;
  static constexpr std::uint64_t kBuffers = kBase + 0x100000, kBufferStride = 0x4000, kSecond = 0x2000;
  static constexpr std::uint64_t kTxBuffers = kBuffers + 256 * kBufferStride;
  static constexpr std::size_t kMemory = 0x100000 + 320 * kBufferStride;

  explicit Bench(DwmacConfig config = bench_config())
      : xgmac(config.is_xgmac()),
        fabric(timeline, kBase, kMemory),
        nic(sc_core::sc_gen_unique_name("nic"), config, timeline, fabric, wires),
        layout_(config),
        map(layout_.map()) {
    nic.set_observer(&seen);
    nic.set_link_partner(&partner);
    nic.set_transmit_sink(&sent);
    nic.register_statistics(statistics);
  }

  const bool xgmac;
  Timeline timeline;
  MockAxi fabric;
  Wires wires;
  Partner partner;
  Sent sent;
  Dwmac nic;
  connectx::Recorder seen;
  Statistics statistics;
  RxSetup setup;
  std::uint64_t offered = 0;

 private:
  Registers layout_;

 public:
  const CoreMap& map;

  Time now() const { return timeline.now(); }
  void run_for(Time t) { timeline.run_until(now() + t); }
  std::uint64_t stat(const std::string& name) const {
    for (const Statistic& s : statistics.all())
      if (s.name == name) return *s.value;
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  void write(std::uint32_t offset, std::uint32_t value) { nic.mmio_write(now(), offset, 4, value); }
  std::uint32_t read(std::uint32_t offset) { return static_cast<std::uint32_t>(nic.mmio_read(now(), offset, 4)); }
  std::uint32_t channel(std::uint32_t number, std::uint32_t offset) const {
    return map.channel + number * map.channel_stride + offset;
  }
  std::uint32_t status(std::uint32_t number = 0) { return read(channel(number, eqos::kChStatus)); }
  void clear(std::uint32_t bits, std::uint32_t number = 0) { write(channel(number, eqos::kChStatus), bits); }

  // Sets everything up but arms nothing, and starts the channel; the tail is at the ring's end.
  void open(const RxSetup& s = {}) {
    setup = s;
    configure_mac();
    const std::uint32_t c = s.channel;
    write(channel(c, eqos::kChControl), kChControlPblx8 | (s.split ? kChControlSph : 0));
    write(channel(c, eqos::kChRxListHigh), 0);
    write(channel(c, eqos::kChRxList), static_cast<std::uint32_t>(ring()));
    write(channel(c, map.rx_tail), static_cast<std::uint32_t>(ring() + 16 * s.entries));
    write(channel(c, map.rx_ring_length), s.entries - 1);
    write(channel(c, map.rx_watchdog), s.riwt);
    write(channel(c, map.int_enable), s.enable);
    write(channel(c, eqos::kChRxControl), 8u << kChPblShift | s.buffer << kChRxRbszShift | kChRxSr);
  }

  // With all descriptors armed and fetched as far as they go.
  void open_armed(const RxSetup& s = {}, bool ioc = true, bool second = false) {
    for (std::uint32_t i = 0; i < s.entries; ++i) arm(i, ioc, second, s.channel);
    open(s);
    run_for(microseconds(2));
  }

  std::uint64_t ring() const { return kRing + setup.channel * kRingStride; }
  dma_desc* desc(std::uint32_t index, std::uint32_t chan = 0) {
    return reinterpret_cast<dma_desc*>(fabric.memory.host(kRing + chan * kRingStride + 16 * std::uint64_t{index}));
  }
  static std::uint64_t buffer(std::uint32_t index, std::uint32_t which = 0) {
    return kBuffers + index * kBufferStride + which * kSecond;
  }

  void arm(std::uint32_t index, bool ioc = true, bool second = false, std::uint32_t chan = 0) {
    arm_at(index, buffer(index), second ? buffer(index, 1) : 0, ioc, chan);
  }
  void arm_at(std::uint32_t index, std::uint64_t first, std::uint64_t second, bool ioc = true, std::uint32_t chan = 0) {
    dma_desc d{static_cast<std::uint32_t>(first), 0, static_cast<std::uint32_t>(second), kDes3Own};
    if (ioc) d.des3 |= eqos::kRdes3Ioc;
    if (!xgmac) d.des3 |= eqos::kRdes3Buf1v | (second != 0 ? eqos::kRdes3Buf2v : 0);
    *desc(index, chan) = d;
  }
  void tail(std::uint32_t index) {
    write(channel(setup.channel, map.rx_tail), static_cast<std::uint32_t>(ring() + 16 * index));
  }

  bool closed(std::uint32_t index, std::uint32_t chan = 0) { return (desc(index, chan)->des3 & kDes3Own) == 0; }
  std::uint32_t length(std::uint32_t index) { return desc(index)->des3 & xgmac::kRdes3PlMask; }
  bool last(std::uint32_t index) { return (desc(index)->des3 & eqos::kRdes3Ld) != 0; }

  void offer(const std::vector<std::uint8_t>& bytes) { nic.on_frame(now(), {offered++, now(), bytes}); }
  void receive(const std::vector<std::uint8_t>& bytes) {
    offer(bytes);
    run_for(microseconds(5));
  }
  std::vector<std::uint8_t> memory(std::uint64_t at, std::size_t size) {
    return {fabric.memory.host(at), fabric.memory.host(at) + size};
  }
  std::vector<std::string> causes() const {
    std::vector<std::string> all;
    for (const auto& drop : seen.drops) all.push_back(drop.cause);
    return all;
  }

 private:
  void configure_mac() {
    const RxSetup& s = setup;
    write(map.mac_config, map.receive_enable | (s.jumbo ? map.jumbo : 0) | (s.checksums ? map.checksum : 0) |
                              (xgmac ? 2u << map.header_shift : eqos::kConfigTe));
    if (xgmac)
      write(map.transmit_config, map.transmit_enable);
    else
      write(map.header_register, 2u << map.header_shift);  // 256 bytes
    write(eqos::kMacPacketFilter, s.filter);
    if (s.timestamps) write(map.timestamp_control, kTimestampEnable | kTimestampAll);
    write(map.sys_bus, 0x0303'0000 | 0x7u << kSysBusBlenShift);  // 4 outstanding, up to 16 beats
    if (!xgmac) write(map.dma_mode, s.descriptor_cache ? eqos::kDmaModeDche : 0);
    for (std::uint32_t q = 0; q < 4; ++q) {
      write(map.queue + q * map.queue_stride + map.rx_op, s.op | (s.queue_bytes / 256 - 1) << map.rqs_shift);
    }
  }
};

}  // namespace ringside::dwmac
