// Runs the images on the machine's own core: the same bytes at the same addresses as on the simulated one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "tb/bench/native/cell.h"

namespace ringside::native {

struct SiliconRun {
  std::vector<double> ns;            // per packet, of each batch after the warm-up; what marks cost is taken off
  std::vector<double> front_end_ns;  // the longer of those before and after each batch; see machine.h
  bool large_pages = false;
};

class SiliconGuest {
 public:
  // Reads the image. Throws InputError.
  explicit SiliconGuest(const std::filesystem::path& file);

  // Maps the guest's RAM where the image is linked, runs `batches` after the warm-up, and unmaps it. One at a time.
  // Throws std::runtime_error when the addresses are taken or packets are missing. A panic of the image ends the process.
  SiliconRun run(const Cell& cell, std::uint32_t batches) const;

 private:
  Image image_;
  std::vector<std::uint8_t> bytes_;  // from guest::kImageBase on
};

}  // namespace ringside::native
