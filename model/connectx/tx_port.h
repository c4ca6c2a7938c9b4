// A port's transmit side: the buffer in front of the MAC, and the wire.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/timeline.h"
#include "model/connectx/context.h"
#include "model/fabric/ring_buffer.h"
#include "model/fabric/slot_pool.h"
#include "model/wire/frame.h"

namespace ringside::connectx {

// Frames take room in the buffer from the moment that their bytes are asked for until their last bit is on the wire.
// They leave in the order of send(), with preamble and gap. Bytes are
// kept only while somebody listens, and only then is there an event for each frame.
class TxPort final : public EventTarget {
 public:
  TxPort(Context& context, TransmitCounters& counters);

  // Who hears of each frame at its last bit; nullptr for nobody. Only while no frame is under way.
  void set_sink(FrameSink* sink) { sink_ = sink; }
  bool listened() const { return sink_ != nullptr; }

  // True if a frame of `length` bytes has room at `now`.
  bool has_room(Time now, std::uint32_t length);

  // Room for a frame, and for its bytes if somebody listens. The result names it.
  std::uint32_t reserve(std::uint32_t length);
  std::span<std::uint8_t> bytes(std::uint32_t frame) { return frames_[frame]; }

  // The frame is complete, or will be at `ready`, which does not fall from call to call: it leaves as soon as the wire is
  // free. Or it will never be.
  void send(Time ready, std::uint32_t frame, std::uint32_t length);
  void discard(std::uint32_t frame, std::uint32_t length);

  // When the oldest frame on the wire has left; Time::max() if there is none.
  Time next_room() { return leaving_.empty() ? Time::max() : leaving_.front().end; }

  std::string waiting_for() const;

  void fire(Time now, std::uint64_t frame) override;

 private:
  struct Leaving {
    Time end;
    std::uint32_t length;
  };

  Time duration(std::uint64_t size) const {
    return {(size * byte_time_ + (1ULL << kFractionBits) - 1) >> kFractionBits};
  }

  static constexpr unsigned kFractionBits = 20;

  Context& context_;
  TransmitCounters& counters_;
  const std::uint64_t byte_time_;  // in units of 2^-20 ps, rounded up
  FrameSink* sink_ = nullptr;

  Time wire_free_{};
  std::uint64_t used_ = 0;
  std::uint64_t incomplete_ = 0;  // the part of it whose bytes are on their way
  RingBuffer<Leaving> leaving_;
  SlotPool<std::vector<std::uint8_t>> frames_;
  std::uint64_t heard_ = 0;
};

}  // namespace ringside::connectx
