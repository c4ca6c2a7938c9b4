#include "tb/board/board_info.h"

#include <algorithm>
#include <cstring>

#include "model/guest/contract.h"

namespace ringside {

namespace {

constexpr std::uint64_t kBootStack = 64 * 1024;  // bytes, from the contract
constexpr std::uint64_t kLargePage = 2 << 20;

std::uint64_t aligned(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

template <std::size_t N>
void copy_text(const std::string& text, char (&field)[N]) {
  std::memcpy(field, text.data(), std::min(text.size(), N - 1));
}

}  // namespace

std::uint64_t uncached_size(const Scenario& scenario) {
  return scenario.driver.dma_coherent ? 0 : scenario.memory.uncached_size.value;
}

std::uint64_t write_board_info(const Scenario& scenario, const Image& image, PhysicalMemory& memory) {
  const DriverConfig& driver = scenario.driver;
  guest::board_info info{};
  info.magic = guest::kBoardMagic;
  info.version = guest::kContractVersion;
  info.ram_size = memory.size().value;
  info.heap_base = aligned(image.end(), kLargePage);
  info.dma_pool_size = uncached_size(scenario);
  info.dma_pool_base = memory.base().value + memory.size().value - info.dma_pool_size;
  info.heap_size = info.dma_pool_base - info.heap_base;
  info.stack_top = memory.base().value + 0x1000 + kBootStack;
  info.nic_bar = guest::kNicBar;
  info.tsc_khz = scenario.cpu.frequency.value;
  info.rx_ring = static_cast<std::uint32_t>(driver.rx_ring);
  info.mtu = static_cast<std::uint32_t>(driver.mtu);
  info.rx_usecs = static_cast<std::uint32_t>(driver.rx_usecs);
  info.rx_frames = static_cast<std::uint32_t>(driver.rx_frames);
  info.rx_cqe_moderation = driver.cqe_moderation ? 1 : 0;
  info.napi_budget = static_cast<std::uint32_t>(driver.napi_budget);
  info.rx_striding_rq = driver.rx_striding_rq ? 1 : 0;
  info.xdp_tx_mpwqe = driver.xdp_tx_mpwqe ? 1 : 0;
  info.csr_khz = driver.name == "stmmac" ? static_cast<std::uint32_t>(scenario.dwmac.csr_clock.value) : 0;
  info.dma_coherent = driver.dma_coherent ? 1 : 0;
  info.rx_split_header = driver.rx_split_header ? 1 : 0;
  info.pause = driver.pause ? 1 : 0;
  info.promisc = driver.promisc ? 1 : 0;
  info.tx_ring = static_cast<std::uint32_t>(driver.tx_ring);
  info.rx_queues = static_cast<std::uint32_t>(driver.rx_queues);
  info.gro = driver.gro ? 1 : 0;
  info.tcp_flows = static_cast<std::uint32_t>(scenario.traffic.flows);
  info.tcp_rmem = static_cast<std::uint32_t>(driver.tcp_rmem.value);
  info.tcp_verify = driver.reader == "verify" ? 1 : 0;
  info.cpus = static_cast<std::uint32_t>(scenario.platform.cores);
  info.reader_cpu = static_cast<std::uint32_t>(driver.reader_cpu);
  copy_text(driver.stack, info.stack);
  if (driver.xdp != "none") copy_text(driver.xdp, info.xdp_program);
  std::memcpy(memory.host(memory.base()), &info, sizeof info);
  return info.stack_top;
}

}  // namespace ringside
