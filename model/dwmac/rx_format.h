// Receive descriptors of both cores, read and written.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/base/units.h"
#include "model/dwmac/config.h"
#include "model/dwmac/frame_parser.h"
#include "model/dwmac/hw/desc.h"

namespace ringside::dwmac {

// What the driver asks for.
struct RxBuffers {
  std::array<PhysAddr, 2> address;
  std::array<bool, 2> valid;
  bool ioc;  // interrupt on completion
};

// What the device has to say about a frame, or about the part of it that a descriptor holds.
struct RxStatus {
  bool first = false;
  bool last = false;
  bool watchdog = false;
  bool giant = false;
  bool overflow = false;
  bool filter_failed = false;
  bool checksums = false;    // they were looked at
  bool timestamp = false;    // a context descriptor follows
  std::uint32_t length = 0;  // of the frame with FCS; of the frame so far if not last
  std::uint32_t header = 0;  // split header: bytes in buffer 1
  std::uint32_t earlier_header = 0;  // those of the channel's last frame that was split
  FrameInfo info;
};

class RxFormat {
 public:
  virtual RxBuffers buffers(const dma_desc& desc) const = 0;

  // The write-back, OWN clear. Status other than `first` and `length` belongs to the last descriptor of a frame.
  virtual dma_desc close(const RxStatus& status) const = 0;

  // The context descriptor of a frame that arrived at `at`.
  virtual dma_desc context(Time at) const = 0;

  // Why the driver throws away a frame of this status: the name of its counter; empty if it does not.
  virtual std::string_view discarded(const RxStatus& status) const = 0;

 protected:
  ~RxFormat() = default;
};

// The format of the configured core.
const RxFormat& rx_format(const DwmacConfig& config);

}  // namespace ringside::dwmac
