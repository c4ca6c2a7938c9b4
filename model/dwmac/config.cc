#include "model/dwmac/config.h"

#include <array>
#include <string_view>

namespace ringside {

void DwmacConfig::visit(ParameterVisitor& v) {
  using enum ParameterVisitor::Origin;
  static constexpr std::array<std::string_view, 2> kCores{"xgmac", "eqos"};
  static constexpr std::array<std::string_view, 2> kZeroBuffers{"skip", "write"};
  static constexpr std::array<std::string_view, 2> kPartialLengths{"so-far", "zero"};
  static constexpr Need kXgmac{{"dwmac.core", "xgmac"}};
  v.choice({"dwmac.core", "", "", "Family of the core: descriptor format and register map."}, required, core, kCores);
  v.number({"dwmac.version", "", "", "Version byte that the core reports: 0x32 (50) is 3.20, 0x52 (82) is 5.20."}, required,
           version, 0x20, 0x7f);
  v.number({"dwmac.rx_channels", "channels", "", "Receive DMA channels, each with an MTL queue."}, required, rx_channels, 1, 8);
  v.number({"dwmac.tx_channels", "channels", "", "Transmit DMA channels."}, required, tx_channels, 1, 8);
  v.size({"dwmac.rx_fifo", "KiB", "", "Receive FIFO of all queues together."}, required, rx_fifo, kibibytes(2), kibibytes(256));
  v.size({"dwmac.tx_fifo", "KiB", "", "Transmit FIFO that the core reports."}, required, tx_fifo, kibibytes(2), kibibytes(256));
  v.number({"dwmac.descriptor_cache", "entries", "", "Prefetched descriptors of one channel and direction."}, required,
           descriptor_cache, 1, 128);
  v.number({"dwmac.prefetch_threshold", "entries", "", "Cached descriptors at or below which the next burst is fetched."},
           required, prefetch_threshold, 0, 127);
  v.frequency({"dwmac.csr_clock", "MHz", "", "Clock of the registers and of the receive interrupt watchdog."}, required,
              csr_clock, megahertz(1), megahertz(2000));
  v.time({"dwmac.rx_latency", "ns", "", "From a frame's last bit to its first data on the bus."}, required, rx_latency,
         nanoseconds(0), microseconds(100));
  v.time({"dwmac.rx_descriptor", "ns", "", "Time that the receive DMA takes for a descriptor besides the transfers."}, required,
         rx_descriptor, nanoseconds(0), microseconds(100));
  v.time({"dwmac.tx_latency", "ns", "", "From a frame's last byte in the transmit FIFO to the wire."}, required, tx_latency,
         nanoseconds(0), microseconds(100));
  v.number({"dwmac.tx_frames", "frames", "", "Frames of a channel between descriptor and status; 1 while OSP is off."}, required,
           tx_frames, 1, 64);
  v.flag({"dwmac.riwt_reload", "", "", "Each frame without IOC starts the receive interrupt watchdog anew."}, required,
         riwt_reload);
  v.choice({"dwmac.zero_buffer", "", "", "What XGMAC does with a buffer address of 0: skip the buffer, or write to address 0.", {kXgmac}},
           required, zero_buffer, kZeroBuffers);
  v.choice({"dwmac.partial_length", "", "",
            "Length in a descriptor that is not a frame's last: bytes of the frame so far, or zero."},
           required, partial_length, kPartialLengths);
  v.bandwidth({"dwmac.port_rate", "Gbps", "", "Rate of the port."}, required, port_rate, Bandwidth{10'000'000},
              gigabits_per_second(100));
}

}  // namespace ringside
