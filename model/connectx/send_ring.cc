#include "model/connectx/send_ring.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ringside::connectx {

// The cache holds what may be outstanding, and one WQE more, so that a long one never waits for room.
SendRing::SendRing(Context& context, PhysAddr buffer, std::uint32_t log_size, SendRingClient& client)
    : context_(context),
      client_(client),
      buffer_(buffer),
      log_size_(log_size),
      capacity_(static_cast<std::uint32_t>(context.config.sq_fetch * context.config.sq_reads) + kMaxSendWqeBbs),
      mask_(std::bit_ceil(capacity_) - 1),
      cache_((std::size_t{mask_} + 1) * kSendWqeBb) {
  fetches_.reserve(context.config.sq_reads);
}

void SendRing::restart() {
  ++generation_;
  consumed_ = cached_ = requested_ = posted_ = 0;
  fetches_.clear();
}

bool SendRing::post(Time now, std::uint16_t end) {
  posted_ += static_cast<std::uint16_t>(end - posted_);
  if (posted_ - consumed_ > size()) return false;
  fetch(now);
  return true;
}

void SendRing::fetch(Time now) {
  const auto most = static_cast<std::uint32_t>(context_.config.sq_fetch);
  while (fetches_.size() < context_.config.sq_reads) {
    const std::uint32_t slot = requested_ & (size() - 1);
    const std::uint32_t count = std::min({posted_ - requested_, most, size() - slot});
    if (count == 0 || requested_ - consumed_ + most > capacity_) return;
    const std::uint32_t first = requested_;
    requested_ += count;
    fetches_.push_back({requested_, false});
    ++context_.counters.sq_fetches;
    context_.counters.sq_blocks_fetched += count;
    context_.read(now, DmaUse::send_descriptor, buffer_ + PhysAddr{std::uint64_t{slot} * kSendWqeBb}, count * kSendWqeBb, *this,
                  std::uint64_t{generation_} << 32 | first);
  }
}

void SendRing::take(Time now, std::uint32_t count, std::uint8_t* to) {
  for (std::uint32_t i = 0; i < count; ++i) std::memcpy(to + i * kSendWqeBb, block(consumed_ + i), kSendWqeBb);
  consumed_ += count;
  if (requested_ != posted_) fetch(now);
}

void SendRing::on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) {
  if (tag >> 32 != generation_) return;
  if (!ok) return client_.ring_failed(now);
  const auto first = static_cast<std::uint32_t>(tag);
  const auto count = static_cast<std::uint32_t>(data.size() / kSendWqeBb);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::memcpy(cache_.data() + ((first + i) & mask_) * kSendWqeBb, data.data() + i * kSendWqeBb, kSendWqeBb);
  }
  // Reads may complete out of order; blocks become usable in order.
  for (Fetch& f : fetches_) {
    if (f.end == first + count) f.arrived = true;
  }
  const std::uint32_t before = cached_;
  while (!fetches_.empty() && fetches_.front().arrived) {
    cached_ = fetches_.front().end;
    fetches_.erase(fetches_.begin());
  }
  if (requested_ != posted_) fetch(now);
  if (cached_ != before) client_.blocks_arrived(now);
}

}  // namespace ringside::connectx
