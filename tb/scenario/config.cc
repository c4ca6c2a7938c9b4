#include "tb/scenario/config.h"

#include <array>
#include <string_view>

namespace ringside {
namespace {

using Origin = ParameterVisitor::Origin;
using namespace std::string_view_literals;

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
constexpr std::array kDrivers{"mlx5e"sv, "stmmac"sv};
constexpr std::array kReceivePaths{"copy"sv, "zero-copy"sv, "zero-copy-max-len"sv, "prefetch"sv, "net-prefetch"sv};
constexpr std::array kStacks{"raw-drop"sv, "digest"sv, "udp-no-port"sv, "sink"sv, "tcp"sv};
constexpr std::array kReaders{"iperf"sv, "verify"sv};
constexpr std::array kCompilers{"gcc"sv, "clang"sv};

// What Ringside's drivers never look at may matter to an image that somebody brings.
constexpr ParameterState kImage{"driver.image", "", false};
constexpr Need kBuilt{{"driver.image", ""}};
constexpr Need kSeveralCores{{"cpu.cores", "1", false}};
constexpr Need kTcp{{"driver.stack", "tcp"}, kImage};
constexpr Need kStack{{"driver.xdp", "drop, drop-read, tx, redirect, redirect-same", false}, kImage};
constexpr Need kSends{{"driver.xdp", "tx, redirect, redirect-same, tx-frags, adjust-tx"}, kImage};

}  // namespace

void RunConfig::visit(ParameterVisitor& v) {
  constexpr auto kDefault = Origin::default_value;
  v.number({"run.packets", "packets", "chosen: an answer within seconds", "Packets delivered and measured after the warm-up; 0 means no limit."},
           kDefault, packets, 0, kUnlimited);
  v.number({"run.warmup", "packets", "chosen: fills rings, caches and predictors", "Packets delivered before measuring starts."},
           kDefault, warmup, 0, kUnlimited);
  v.time({"run.time", "ms", "chosen", "Simulated time after which the run ends; 0 means no limit."}, kDefault, time, {},
         seconds(1000));
  v.number({"run.converge", "ppm", "chosen", "Ends the run when Mpps is known to this precision, such as \"0.2 %\"; 0 is off."},
           kDefault, converge, 0, 1'000'000);
  v.number({"run.seed", "", "chosen", "Seed of everything random in the traffic."}, kDefault, seed, 0, kUnlimited);
  v.time({"run.watchdog", "ms", "chosen: a thousand times the longest expected pause",
          "Simulated time without any progress of the guest after which the run is an error; 0 is off."},
         kDefault, watchdog, {}, seconds(1000));
  v.time({"run.quantum", "ns", "measured: docs/timing-model.md", "How far one of several cores may run ahead of the others.", {kSeveralCores}}, kDefault,
         quantum, picoseconds(100), microseconds(2));
}

void DriverConfig::visit(ParameterVisitor& v) {
  constexpr auto kDefault = Origin::default_value;
  constexpr auto kRequired = Origin::required;  // from drivers/<driver.name>.toml
  v.choice({"driver.name", "", "chosen", "The driver that the guest runs."}, kDefault, name, kDrivers);
  v.choice({"driver.compiler", "", "chosen", "The compiler that builds the guest image.", {kBuilt}}, kDefault, compiler, kCompilers);
  v.list({"driver.flags", "", "chosen", "Compiler flags after the kernel-like ones, such as \"-fstack-protector-strong\".", {kBuilt}},
         kDefault, flags);
  v.text({"driver.image", "", "chosen", "Path of a guest image to run instead of building one; empty builds it."}, kDefault,
         image);
  v.choice({"driver.rx", "", "today's kernel",
            "How far the receive path of stmmac has come in the series \"stmmac: RX performance improvement\"; each step contains "
            "those before it. Other drivers have one path.", {kOnStmmac, kBuilt}},
           kDefault, rx, kReceivePaths);
  v.text({"driver.xdp", "", "chosen", "Name of the XDP program in the image; none, or nothing, attaches none."}, kDefault, xdp);
  v.choice({"driver.stack", "", "chosen: the row of published figures that most others are compared with",
            "Where packets for the stack end: iptables -t raw -A PREROUTING -j DROP, the same after adding up their bytes, UDP "
            "without a socket, consumed where sockets would take them, or TCP sockets with a process that reads them.", {kStack}},
           kDefault, stack, kStacks);
  v.choice({"driver.reader", "", "chosen", "What the process behind a TCP socket does: reads as iperf -s, or compares what it reads, too.", {kTcp}},
           kDefault, reader, kReaders);
  v.number({"driver.reader_cpu", "", "chosen: where the driver runs", "The CPU that the processes behind TCP sockets run on, as taskset -c.", {kTcp}},
           kDefault, reader_cpu, 0, kMostCores - 1);
  v.size({"driver.tcp_rmem", "MiB", "net.ipv4.tcp_rmem[2], Linux: what autotuning reaches in a long transfer",
           "Memory of a TCP socket for what has not been read, as SO_RCVBUF.", {kTcp}},
          kDefault, tcp_rmem, kibibytes(4), mebibytes(1024));
  v.flag({"driver.gro", "", "Linux default", "Generic receive offload, as ethtool -K gro.", {kStack}}, kDefault, gro);
  v.number({"driver.rx_ring", "entries", "", "RX ring size, a power of two, as ethtool -G rx."}, kRequired, rx_ring, 16, 8192);
  v.number({"driver.tx_ring", "entries", "DMA_DEFAULT_TX_SIZE, Linux", "TX ring size, a power of two, as ethtool -G tx.", {kOnStmmac}},
           kDefault, tx_ring, 64, 1024);
  v.number({"driver.rx_queues", "queues", "chosen: packets without a VLAN tag go to the first one",
            "Receive queues, each with a DMA channel, as ethtool -L rx. VLAN priority p goes to queue p modulo their number.", {kOnStmmac}},
           kDefault, rx_queues, 1, 8);
  v.number({"driver.mtu", "bytes", "Ethernet default; 9978 is what Linux reports as maxmtu of a ConnectX",
            "Maximum transmission unit, as ip link set mtu. Above 3498 with an XDP program, above 3690 without, packets lie in several buffers."},
           kDefault, mtu, 68, 9978);
  v.number({"driver.rx_usecs", "us", "", "Interrupt moderation time, as ethtool -C rx-usecs."}, kRequired, rx_usecs, 0, 4095);
  v.number({"driver.rx_frames", "packets", "", "Interrupt moderation count, as ethtool -C rx-frames."}, kRequired, rx_frames, 0,
           65535);
  v.flag({"driver.cqe_moderation", "", "mlx5e default for RX, Linux",
          "The moderation time starts at the last completion rather than at the last event.", {kOnMlx5e}},
         kDefault, cqe_moderation);
  v.number({"driver.napi_budget", "packets", "NAPI_POLL_WEIGHT, Linux", "Packets that one NAPI poll may take."}, kDefault,
           napi_budget, 1, 1024);
  v.flag({"driver.rx_striding_rq", "", "mlx5e default where the device can, Linux",
          "Multi-packet receive WQEs, as ethtool --set-priv-flags rx_striding_rq.", {kOnMlx5e}},
         kDefault, rx_striding_rq);
  v.flag({"driver.xdp_tx_mpwqe", "", "mlx5e default where the device can, Linux",
          "Multi-packet send WQEs for XDP_TX, as ethtool --set-priv-flags xdp_tx_mpwqe.", {kOnMlx5e, kSends}},
         kDefault, xdp_tx_mpwqe);
  v.flag({"driver.dma_coherent", "", "servers and PCs: yes",
          "Whether the device tree says that DMA is coherent; memory.dma_snoops is whether it is."},
         kDefault, dma_coherent);
  v.flag({"driver.rx_split_header", "", "stmmac on platforms that veto it, Linux",
          "Headers and payload in buffers of their own, as ethtool -G tcp-data-split on.", {kOnStmmac}},
         kDefault, rx_split_header);
  v.flag({"driver.promisc", "", "Linux default", "Frames for other stations come through, as ip link set promisc on.", {kOnStmmac}},
         kDefault, promisc);
  v.flag({"driver.pause", "", "", "PAUSE frames when a receive queue fills, as ethtool -A tx on.", {kOnStmmac}}, kRequired, pause);
}

// The default is what the sources say without a flag, so that prebuilt images serve.
std::vector<std::string> DriverConfig::variant_flags() const {
  if (name != "stmmac" || rx == kReceivePaths.back()) return {};
  std::string macro = "-DSTMMAC_RX=STMMAC_RX_";
  for (const char c : rx) macro += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return {macro};
}

std::vector<std::string> xdp_programs() {
  return {"drop",     "drop-read", "pass",   "tx",              "redirect",  "redirect-same", "tx-frags",
          "checksum", "adjust",    "adjust-checksum", "adjust-tx", "none"};
}

bool wants_one_buffer(std::string_view program) { return program == "drop-read" || program == "tx"; }

bool redirects(std::string_view program) { return program == "redirect" || program == "redirect-same"; }

bool takes_every_packet(std::string_view program) {
  return program == "drop" || program == "drop-read" || program == "tx" || redirects(program);
}

void ResidualConfig::visit(ParameterVisitor& v) {
  static constexpr Need kResidualTx{{"driver.xdp", "tx, redirect, redirect-same"}};
  static constexpr Need kResidualTcp{{"driver.stack", "tcp"}};
  v.time({"residual.drop", "ns", "", "Work of a kernel around each packet that the driver drops or passes on, which the port lacks."},
         Origin::required, drop, Time{}, microseconds(10));
  v.time({"residual.tx", "ns", "", "The same around each packet that the driver sends back or on.", {kResidualTx}}, Origin::required, tx, Time{},
         microseconds(10));
  v.time({"residual.tcp", "ns", "", "The same around each packet that a process reads from a TCP socket.", {kResidualTcp}}, Origin::required, tcp,
         Time{}, microseconds(100));
}

void PlatformConfig::visit(ParameterVisitor& v) {
  v.text({"cpu.model", "", "chosen", "The CPU: a file of hardware/cpu and hardware/memory."}, Origin::default_value, cpu_model);
  v.number({"cpu.cores", "CPUs", "chosen: one that does all",
            "CPUs of the board. Above one, the guest's kernel is built with CONFIG_SMP and brings all of them up."},
           Origin::default_value, cores, 1, kMostCores);
  v.text({"nic.model", "", "chosen", "The network adapter that mlx5e drives: a file of hardware/nic.", {kOnMlx5e}}, Origin::default_value, nic_model);
  v.text({"dwmac.model", "", "chosen", "The Synopsys core that stmmac drives: a file of hardware/dwmac.", {kOnStmmac}}, Origin::default_value,
         dwmac_model);
  v.text({"platform.name", "", "chosen", "The machine whose kernel is calibrated for: a file of hardware/platform."},
         Origin::default_value, name);
}

}  // namespace ringside
