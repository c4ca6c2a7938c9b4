// The receive packet buffer: frames in order of arrival, between the MAC and the receive engine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/base/units.h"

namespace ringside::connectx {

class ReceiveQueue;

// A FIFO of frames in a fixed amount of memory, without allocation. The space of a frame that has been popped stays
// taken until the time given, when the link has its last byte.
class PacketBuffer {
 public:
  struct Packet {
    std::uint64_t sequence;
    Time arrival;
    ReceiveQueue* queue;
    std::uint32_t offset;
    std::uint32_t length;
  };

  // `largest`: upper bound of the length of one frame.
  PacketBuffer(Bytes capacity, std::uint32_t largest)
      : capacity_(capacity.value),
        bytes_(capacity.value + largest),
        packets_(std::bit_ceil(capacity.value / kSmallest + 1)) {}

  bool empty() const { return head_ == tail_; }
  std::uint64_t packets() const { return tail_ - head_; }
  std::uint64_t used() const { return used_; }

  // True if a frame of `length` bytes has room at `now`.
  bool fits(Time now, std::uint32_t length) {
    if (leaving_ != 0 && now >= leaves_at_) {
      used_ -= leaving_;
      leaving_ = 0;
    }
    return used_ + length <= capacity_ && packets() < packets_.size();
  }

  // Only if it fits.
  void push(std::uint64_t sequence, Time arrival, ReceiveQueue* queue, std::span<const std::uint8_t> frame) {
    const auto length = static_cast<std::uint32_t>(frame.size());
    // Starting over whenever it is empty keeps a lightly used buffer in the host's cache. The bytes of the frame that
    // leaves have been copied by the link already.
    if (empty() || write_ + length > bytes_.size()) write_ = 0;
    std::memcpy(bytes_.data() + write_, frame.data(), length);
    packets_[tail_++ & (packets_.size() - 1)] = {sequence, arrival, queue, write_, length};
    write_ += length;
    used_ += length;
  }

  const Packet& front() const { return packets_[head_ & (packets_.size() - 1)]; }
  std::span<std::uint8_t> front_bytes() { return {bytes_.data() + front().offset, front().length}; }

  // Removes the oldest frame; its space is free at once.
  void drop() { used_ -= packets_[head_++ & (packets_.size() - 1)].length; }

  // Removes the oldest frame; its space is free from `leaves_at`, which is never before that of an earlier frame.
  void pop(Time now, Time leaves_at) {
    fits(now, 0);
    leaving_ += packets_[head_++ & (packets_.size() - 1)].length;
    leaves_at_ = leaves_at;
  }

 private:
  static constexpr std::uint64_t kSmallest = 60;  // bytes of a minimum frame without FCS

  std::uint64_t capacity_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Packet> packets_;  // ring, a power of two
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t leaving_ = 0;
  Time leaves_at_;
  std::uint32_t write_ = 0;
};

}  // namespace ringside::connectx
