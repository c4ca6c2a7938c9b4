// What an image for measuring the poll loop and whoever runs it tell each other: the same image runs on a machine's own
// silicon and on the simulated core. Freestanding.
#pragma once

#include "model/guest/contract.h"

namespace ringside::guest {

// Points in time that the image announces, as a letter.
inline constexpr char kMarkBegin = 'b', kMarkEnd = 'e';

// The image is called as the contract says, with this around the board_info. `nic_bar` points to RAM: there is no device
// but the image's own. The runner maps [kRamBase, kRamBase + ram_size) and sets the stack up.
struct measurement {
  board_info board;
  std::uint32_t batches;  // each: `packets` completions are written, then polled; at most 7/16 of rx_ring
  std::uint32_t packets;
  std::uint32_t length;  // of a packet, without frame check sequence
  std::uint32_t cold;    // 1: packets and completions are flushed from the caches before they are polled
  // Called at each mark, on the image's stack. Null in the simulator, where marks go to the board's console and the
  // image leaves through the board's exit instead of returning.
  void (*mark)(char point);
  void (*panic)(const char* message);  // does not return
  std::uint64_t dropped;               // written by the image at its end: what rx_xdp_drop says
};

}  // namespace ringside::guest
