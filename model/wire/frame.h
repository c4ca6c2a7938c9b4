// A frame on the wire and who takes it.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/units.h"

namespace ringside {

inline constexpr std::uint32_t kFcsBytes = 4;
inline constexpr std::uint32_t kMinFrameBytes = 64;       // with FCS; shorter frames are runts
inline constexpr std::uint32_t kWireOverheadBytes = 20;   // preamble 7, start delimiter 1, gap 12 (IEEE 802.3)

struct Frame {
  std::uint64_t sequence;               // counts offered frames from 0
  Time arrival;                         // last bit, FCS included
  std::span<const std::uint8_t> bytes;  // without FCS; valid during the call only
};

class FrameSink {
 public:
  virtual void on_frame(Time now, const Frame& frame) = 0;

  // A sink that forwards frames before they are complete gives the number of bytes that it wants to hear of first; 0: none.
  // Frames that are longer are announced when so many bytes have arrived. Frame::arrival is in the future then.
  virtual std::uint32_t head_bytes() const { return 0; }
  virtual void on_head(Time, const Frame&) {}

 protected:
  ~FrameSink() = default;
};

}  // namespace ringside
