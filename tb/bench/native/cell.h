// What is measured: one image of driver/native.toml in one situation.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/native/measurement.h"
#include "model/base/units.h"
#include "model/core/image.h"

namespace ringside::native {

inline constexpr Bytes kRam = mebibytes(64);
inline constexpr std::uint32_t kPackets = 128;  // of a batch: two full polls and the one that finds nothing; fits L2
inline constexpr std::uint32_t kLength = 60;    // bytes, without frame check sequence
inline constexpr std::uint32_t kWarmUp = 50;    // batches, six times round the ring

struct Situation {
  std::string name;
  std::string program;
  bool cold;
};

struct Cell {
  std::string compiler, zeroing, buffer;
  Situation situation;

  std::string image() const { return compiler + "-" + zeroing + "-" + buffer; }
  std::string name() const { return image() + ", " + situation.name; }
  std::filesystem::path file() const;
};

// All cells: {gcc, clang} x {none, zero} x {stack, rq} x situations, the last varying slowest.
std::vector<Cell> all_cells();

// What `image` is told for a cell. Whoever runs it adds the calls.
guest::measurement request_for(const Cell& cell, const Image& image, std::uint32_t batches);

// Throws std::runtime_error if the image has not dropped every packet.
void check_dropped(const Cell& cell, const guest::measurement& result);

}  // namespace ringside::native
