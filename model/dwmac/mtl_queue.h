// A receive queue of the MTL: frames in a share of the FIFO, and PAUSE by its fill level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/timeline.h"
#include "model/dwmac/context.h"
#include "model/dwmac/registers.h"
#include "model/dwmac/rx_format.h"
#include "model/dwmac/transmit_port.h"
#include "model/fabric/ring_buffer.h"
#include "model/fabric/slot_pool.h"
#include "model/wire/frame.h"

namespace ringside::dwmac {

// A frame in the FIFO. In threshold mode it may still be arriving: its bytes are then known to the simulation only.
struct RxFrame {
  std::uint64_t sequence = 0;
  Time arrival{};  // last bit
  Time ready{};    // its data may be moved from then on
  std::vector<std::uint8_t> bytes;  // with FCS, four zero bytes: no frame is damaged on the wire, and nobody looks at it
  RxStatus status;
  bool complete = true;
  bool touched = false;  // a descriptor holds part of it
  // While it arrives: `head` bytes were there at `head_at`, and `cut` ends it early.
  std::uint32_t head = 0;
  Time head_at{};
  std::uint32_t cut = 0;

  std::uint32_t arrived(Time now) const;
  Time time_of(std::uint32_t count) const;  // when so many bytes are there
};

class MtlQueue final : public EventTarget {
 public:
  MtlQueue(Context& context, const Registers& registers, TransmitPort& port, std::uint32_t number)
      : context_(context), registers_(registers), port_(port), number_(number) {}

  bool store_and_forward() const { return (registers_.rx_op(number_) & kRxOpRsf) != 0; }
  std::uint32_t threshold() const { return registers_.map().threshold[registers_.rx_op(number_) & 0x3]; }

  // A complete frame. False if it has no room.
  bool push(Time now, const Frame& frame, const RxStatus& status);

  // Threshold mode: the head of a frame is there, and later its end, with the status as it turned out. begin() is false if
  // there is no room for the head. end() is false if the frame overflowed before any of it was moved; it is gone then.
  bool begin(Time now, const Frame& frame, const RxStatus& status);
  bool end(Time now, const RxStatus& status);

  // The oldest frame, nullptr if there is none. It stays where it is until pop().
  RxFrame* head() { return order_.empty() ? nullptr : &frames_[order_.front()]; }
  void take(Time now, std::uint32_t bytes);  // so many of its bytes have left
  void pop();

  // The latest frame was cut for lack of room.
  bool newest_overflowed() { return newest().status.overflow; }

  // Forgets all frames. The observer is told before they are taken out.
  void announce_reset(Time now);
  void reset();

  std::uint64_t frames() const { return order_.size(); }
  std::uint32_t debug(Time now);
  std::string waiting_for(Time now);

  void fire(Time now, std::uint64_t argument) override;

 private:
  std::uint32_t add(const Frame& frame, const RxStatus& status);
  bool refuse(Time now, std::uint64_t sequence) const;
  void publish_stored(Time now, std::uint64_t sequence, std::uint32_t bytes) const;
  void publish_left(Time now, std::uint64_t sequence, std::uint32_t bytes) const;
  RxFrame& newest() { return frames_[order_.at(order_.end_index() - 1)]; }
  std::uint64_t fill(Time now);
  void watch_level(Time now);
  void expect_overflow(Time now);
  void refresh_pause(Time now);

  Context& context_;
  const Registers& registers_;
  TransmitPort& port_;
  const std::uint32_t number_;

  SlotPool<RxFrame> frames_;
  RingBuffer<std::uint32_t> order_;
  std::int64_t stored_ = 0;  // bytes of complete frames, minus what has left of the one that arrives
  bool arriving_ = false;    // the newest frame is not complete
  bool pausing_ = false;
  std::uint64_t pause_round_ = 0;
};

}  // namespace ringside::dwmac
