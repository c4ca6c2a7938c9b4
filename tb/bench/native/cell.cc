#include "tb/bench/native/cell.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tb/board/bare_core.h"
#include "tb/scenario/data_dir.h"

namespace ringside::native {

namespace {

constexpr std::uint64_t kLargePage = 2 << 20;
constexpr std::uint64_t kBar = guest::kRamBase + 0x2'0000;  // above the boot stack

}  // namespace

std::filesystem::path Cell::file() const { return data_directory() / "native-images" / (image() + ".elf"); }

std::vector<Cell> all_cells() {
  const std::vector<Situation> situations{{"drop, warm", "drop", false},
                                          {"drop, cold", "drop", true},
                                          {"drop-read, warm", "drop-read", false},
                                          {"drop-read, cold", "drop-read", true}};
  std::vector<Cell> cells;
  for (const Situation& situation : situations) {
    for (const char* compiler : {"gcc", "clang"}) {
      for (const char* zeroing : {"none", "zero"}) {
        for (const char* buffer : {"stack", "rq"}) cells.push_back({compiler, zeroing, buffer, situation});
      }
    }
  }
  return cells;
}

guest::measurement request_for(const Cell& cell, const Image& image, std::uint32_t batches) {
  guest::measurement request{};
  guest::board_info& board = request.board;
  board.magic = guest::kBoardMagic;
  board.version = guest::kContractVersion;
  board.ram_size = kRam.value;
  board.heap_base = (image.end() + kLargePage - 1) / kLargePage * kLargePage;
  board.heap_size = guest::kRamBase + kRam.value - board.heap_base;
  board.stack_top = bare_stack_top();
  board.nic_bar = kBar;
  board.rx_ring = 1024;
  board.mtu = 1500;
  board.rx_usecs = 3;
  board.rx_frames = 32;
  board.napi_budget = 64;
  board.rx_striding_rq = 1;
  board.xdp_tx_mpwqe = 1;
  cell.situation.program.copy(board.xdp_program, sizeof board.xdp_program - 1);
  request.batches = batches;
  request.packets = kPackets;
  request.length = kLength;
  request.cold = cell.situation.cold ? 1 : 0;
  return request;
}

void check_dropped(const Cell& cell, const guest::measurement& result) {
  const std::uint64_t expected = std::uint64_t{result.batches} * result.packets;
  if (result.dropped != expected) {
    throw std::runtime_error(fmt::format("{}: {} packets dropped of {}", cell.name(), result.dropped, expected));
  }
}

}  // namespace ringside::native
