#include "model/fabric/posted_queue.h"

#include <cstring>

namespace ringside {

PostedQueue::PostedQueue() : payload_(kibibytes(64).value) {}

void PostedQueue::push(PhysAddr address, std::span<const std::uint8_t> data, std::uint32_t tlps,
                       std::uint64_t first_credit) {
  while (place(data.size()) + data.size() - head_ > payload_.size()) grow(data.size());
  const std::uint64_t position = place(data.size());
  std::memcpy(payload_.data() + (position & mask()), data.data(), data.size());
  tail_ = position + data.size();
  writes_.push({address, static_cast<std::uint32_t>(data.size()), tlps, first_credit, position});
}

void PostedQueue::pop() {
  head_ = front().position + front().length;
  writes_.pop();
  if (writes_.empty()) head_ = tail_ = 0;
}

// A payload stays in one piece: it starts over at the beginning when it would run past the end.
std::uint64_t PostedQueue::place(std::uint64_t length) const {
  const std::uint64_t offset = tail_ & mask();
  return offset + length > payload_.size() ? tail_ + payload_.size() - offset : tail_;
}

void PostedQueue::grow(std::uint64_t length) {
  std::uint64_t capacity = payload_.size() * 2;
  while (capacity < length) capacity *= 2;
  std::vector<std::uint8_t> larger(capacity);
  std::uint64_t end = 0;
  for (std::uint64_t i = writes_.first_index(); i != writes_.end_index(); ++i) {
    Write& write = writes_.at(i);
    std::memcpy(larger.data() + end, payload_.data() + (write.position & mask()), write.length);
    write.position = end;
    end += write.length;
  }
  payload_.swap(larger);
  head_ = 0;
  tail_ = end;
}

}  // namespace ringside
