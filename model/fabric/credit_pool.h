// Flow-control credits of one class as a time recurrence.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/units.h"
#include "model/fabric/ring_buffer.h"

namespace ringside {

inline constexpr std::uint32_t kDataCreditBytes = 16;  // PCIe base specification 2.6.1

constexpr std::uint32_t data_credits(std::uint32_t payload) {
  return (payload + kDataCreditBytes - 1) / kDataCreditBytes;
}

// A transmitter's view of a receiver's buffer: a header credit per TLP and a data credit per 16 bytes of payload, which
// come back in the order in which they were taken. 0 credits means unlimited.
class CreditPool {
 public:
  CreditPool(std::uint64_t headers, std::uint64_t data) : headers_(headers), data_(data) {}

  bool unlimited() const { return headers_ == 0 && data_ == 0; }

  // Earliest time from `from` on at which one header and `data` data credits are there. Calls ask for TLPs in order.
  Time room(Time from, std::uint32_t data) {
    while (!taken_.empty() &&
           ((headers_ != 0 && taken_.size() + 1 > headers_) || (data_ != 0 && data_used_ + data > data_))) {
      returned_ = std::max(returned_, taken_.front().back);
      data_used_ -= taken_.front().data;
      taken_.pop();
    }
    return std::max(from, returned_);
  }

  // Takes what room() found. The credits are back at the transmitter at `back`. Returns the name for postpone().
  std::uint64_t take(Time back, std::uint32_t data) {
    if (unlimited()) return 0;
    data_used_ += data;
    return taken_.push({back, data});
  }

  // The receiver turned out to be slower: the credits of `count` packets from `first` on are not back before `back`.
  void postpone(std::uint64_t first, std::uint64_t count, Time back) {
    for (std::uint64_t i = std::max(first, taken_.first_index()); i < first + count && i < taken_.end_index(); ++i)
      taken_.at(i).back = std::max(taken_.at(i).back, back);
  }

 private:
  struct Entry {
    Time back;
    std::uint32_t data;
  };

  std::uint64_t headers_;
  std::uint64_t data_;
  std::uint64_t data_used_ = 0;
  Time returned_{};  // when the latest credits that were needed again had come back
  RingBuffer<Entry> taken_;
};

}  // namespace ringside
