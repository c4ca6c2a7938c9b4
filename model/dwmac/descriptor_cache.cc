#include "model/dwmac/descriptor_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ringside::dwmac {

void DescriptorCache::set_base(PhysAddr base) {
  base_ = base;
  current_ = fetched_ = limit_ = 0;
  while (!cache_.empty()) cache_.pop();
  in_flight_ = in_use_ = suspended_ = blocked_ = again_ = false;
  used_ = true;
  ++round_;
}

// Until the channel starts, the ring's length may not be known.
void DescriptorCache::set_tail(Time now, PhysAddr tail) {
  tail_ = tail;
  if (!running_) return;
  ++context_.counters.tail_writes;
  extend_limit();
  publish_level(now);
  fetch(now);
}

void DescriptorCache::publish_level(Time now) const {
  if (context_.details != nullptr) context_.details->ring(now, kind_, number_, limit_ - current_, length_);
}

void DescriptorCache::extend_limit() {
  const std::uint64_t tail = (tail_.value - base_.value) / sizeof(dma_desc) % length_;
  const std::uint64_t distance = (tail + length_ - current_ % length_) % length_;
  limit_ = current_ + (distance == 0 ? length_ : distance);
  suspended_ = blocked_ = false;
  again_ = in_flight_;
}

void DescriptorCache::start(Time now) {
  running_ = true;
  extend_limit();
  publish_level(now);
  fetch(now);
}

DescriptorCache::Entry DescriptorCache::take(Time now) {
  const Entry entry = cache_.front();
  cache_.pop();
  in_use_ = true;
  fetch(now);
  return entry;
}

void DescriptorCache::release(Time now) {
  ++current_;
  in_use_ = false;
  used_ = true;
  publish_level(now);
  fetch(now);
}

void DescriptorCache::need(Time now, bool retry) {
  if (retry) suspended_ = blocked_ = false;
  fetch(now);
}

void DescriptorCache::fetch(Time now) {
  if (!running_ || suspended_ || in_flight_) return;
  if (!cache_.empty() && (blocked_ || cache_.size() > context_.config.prefetch_threshold)) return;
  if (blocked_ && in_use_) return;
  const std::uint64_t to_limit = limit_ - std::min(limit_, fetched_);
  const std::uint64_t count = std::min({burst_, capacity_ - std::min(capacity_, cache_.size()), to_limit, length_ - fetched_ % length_});
  if (count == 0) {
    if (cache_.empty() && !in_use_ && to_limit == 0) suspend(now);
    return;
  }
  in_flight_ = true;
  ++context_.counters.descriptor_fetches;
  context_.counters.descriptors_fetched += count;
  const DmaUse use = kind_ == RingKind::receive ? DmaUse::receive_descriptor : DmaUse::send_descriptor;
  context_.read(now, use, at(fetched_), static_cast<std::uint32_t>(count * sizeof(dma_desc)), *this, round_);
}

void DescriptorCache::on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) {
  if (tag != round_) return;
  in_flight_ = false;
  if (!ok) return client_.bus_error(now);
  const std::size_t count = data.size() / sizeof(dma_desc);
  std::size_t owned = 0;
  for (; owned < count; ++owned) {
    Entry entry{{}, at(fetched_)};
    std::memcpy(&entry.desc, data.data() + owned * sizeof(dma_desc), sizeof(dma_desc));
    if ((entry.desc.des3 & kDes3Own) == 0) break;
    cache_.push(entry);
    ++fetched_;
  }
  context_.counters.descriptors_discarded += count - owned;
  blocked_ = owned < count && !again_;
  again_ = false;
  if (blocked_ && cache_.empty() && !in_use_) return suspend(now);
  // Another burst may be due before the client uses this one.
  fetch(now);
  if (owned != 0) client_.descriptors_arrived(now);
}

void DescriptorCache::suspend(Time now) {
  suspended_ = true;
  if (!used_) return;
  used_ = false;
  client_.starved(now);
}

std::string DescriptorCache::waiting_for() const {
  if (!running_) return "stopped";
  if (in_flight_) return "fetches descriptors";
  if (suspended_ && fetched_ >= limit_) return fmt::format("suspended at the tail, {:#x}", tail_.value);
  if (suspended_) return fmt::format("suspended: the driver owns the descriptor at {:#x}", current().value);
  return fmt::format("{} descriptors ready, current {:#x}, tail {:#x}", cache_.size(), current().value, tail_.value);
}

}  // namespace ringside::dwmac
