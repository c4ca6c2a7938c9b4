// What a scenario says besides hardware: how long to run, which driver, on which machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/parameter.h"

namespace ringside {

inline constexpr std::uint64_t kMostCores = 4;  // of a board; NR_CPUS of the guest

// What belongs to one driver and the board that it runs on.
inline constexpr Need kOnMlx5e{{"driver.name", "mlx5e"}};
inline constexpr Need kOnStmmac{{"driver.name", "stmmac"}};

// run.*: when a run ends, and what makes it repeatable.
struct RunConfig {
  std::uint64_t packets = 200'000;
  std::uint64_t warmup = 20'000;
  Time time = {};
  std::uint64_t converge = 0;  // ppm
  std::uint64_t seed = 1;
  Time watchdog = milliseconds(10);
  Time quantum = nanoseconds(20);

  void visit(ParameterVisitor& v);
};

// driver.*: what the guest is built from, and what a user would set with ethtool, ip and xdp-loader. What each driver does
// when nothing is set is in drivers/<driver.name>.toml.
struct DriverConfig {
  std::string name = "mlx5e";
  std::string compiler = "gcc";
  std::vector<std::string> flags;
  std::string image;
  std::string rx = "net-prefetch";
  std::string xdp = "drop";
  std::string stack = "raw-drop";
  std::string reader = "iperf";
  std::uint64_t reader_cpu = 0;
  Bytes tcp_rmem = mebibytes(6);
  bool gro = true;
  std::uint64_t rx_ring = 0;
  std::uint64_t tx_ring = 512;
  std::uint64_t rx_queues = 1;
  std::uint64_t mtu = 1500;
  std::uint64_t rx_usecs = 0;
  std::uint64_t rx_frames = 0;
  bool cqe_moderation = true;
  std::uint64_t napi_budget = 64;
  bool rx_striding_rq = true;
  bool xdp_tx_mpwqe = true;
  bool dma_coherent = true;
  bool rx_split_header = false;
  bool promisc = false;
  bool pause = false;

  void visit(ParameterVisitor& v);

  // Compiler flags for the form of the driver that these parameters choose.
  std::vector<std::string> variant_flags() const;
};

// XDP programs of the images that Ringside builds; "none" is the absence of one.
std::vector<std::string> xdp_programs();
// One of them that cannot work on packets in several buffers, and the largest MTU at which there is one.
bool wants_one_buffer(std::string_view program);
// It leaves none to the stack.
bool takes_every_packet(std::string_view program);
// It sends packets out of an interface that a device map names.
bool redirects(std::string_view program);
inline constexpr std::uint64_t kOneBufferMtu = 3498;
// The largest MTU at which stmmac runs any program.
inline constexpr std::uint64_t kStmmacXdpMtu = 1500;

// residual.*: work per packet of a real kernel that the driver's port does not contain. One number for each path through
// the driver, from hardware/platform/<platform.name>.toml.
struct ResidualConfig {
  Time drop{};
  Time tx{};
  Time tcp{};

  void visit(ParameterVisitor& v);
};

// The names that choose hardware data files: hardware/cpu/<cpu.model>.toml and so on.
struct PlatformConfig {
  std::string cpu_model = "xeon-8380";
  std::uint64_t cores = 1;
  std::string nic_model = "connectx-6-dx";
  std::string dwmac_model = "dwxgmac-3.20a";
  std::string name = "bare";

  void visit(ParameterVisitor& v);
};

}  // namespace ringside
