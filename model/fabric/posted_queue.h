// Posted writes on their way to memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/fabric/ring_buffer.h"

namespace ringside {

// Keeps the bytes of writes, first in, first out, in one circular buffer that grows to the most that was ever in
// flight.
class PostedQueue {
 public:
  struct Write {
    PhysAddr address;
    std::uint32_t length;
    std::uint32_t tlps;
    std::uint64_t first_credit;  // CreditPool's name of the first TLP
    std::uint64_t position;      // where the payload starts; multiples of the capacity are the same place
  };

  PostedQueue();

  void push(PhysAddr address, std::span<const std::uint8_t> data, std::uint32_t tlps, std::uint64_t first_credit);

  const Write& front() { return writes_.front(); }
  std::uint64_t size() const { return writes_.size(); }
  std::span<const std::uint8_t> front_data() { return {payload_.data() + (front().position & mask()), front().length}; }
  void pop();

 private:
  std::uint64_t mask() const { return payload_.size() - 1; }
  std::uint64_t place(std::uint64_t length) const;
  void grow(std::uint64_t length);

  RingBuffer<Write> writes_;
  std::vector<std::uint8_t> payload_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace ringside
