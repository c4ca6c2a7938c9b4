#include "model/connectx/receive_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "model/base/errors.h"

namespace ringside::connectx {

namespace {

// Tags of reads: generation and, for a WQE fetch, the counter of its first WQE.
constexpr std::uint64_t kRecordTag = 1ull << 63;
constexpr std::uint64_t tag_of(std::uint16_t generation, std::uint32_t first) {
  return std::uint64_t{generation} << 32 | first;
}

}  // namespace

ReceiveQueue::ReceiveQueue(Context& context, std::uint32_t number, const Layout& layout, CompletionQueue& completions,
                           QueueClient& client)
    : context_(context),
      client_(client),
      completions_(completions),
      number_(number),
      layout_(layout),
      low_water_(static_cast<std::uint32_t>(std::min<std::uint64_t>(context.config.record_low_water, size() / 2))),
      cache_size_(static_cast<std::uint32_t>(context.config.wqe_cache)),
      slot_mask_(std::bit_ceil(cache_size_) - 1),
      slots_(slot_mask_ + 1) {
  fetches_.reserve(context.config.wqe_reads);
}

void ReceiveQueue::destroy(Time now) {
  destroyed_ = true;
  set_state(now, kRqReset);
}

void ReceiveQueue::set_state(Time now, RqState state) {
  const bool starts = state == kRqReady && state_ == kRqReset;
  if (state == kRqError && state_ != kRqError) ++context_.counters.rq_errors;
  state_ = state;
  if (state != kRqReady || starts) restart();
  if (starts) read_record(now);
  if (state != kRqReady) client_.resume(now);
}

void ReceiveQueue::restart() {
  ++generation_;
  consumed_ = cached_ = requested_ = posted_ = 0;
  fetches_.clear();
  next_index_ = 0;
  strides_left_ = 0;
  wanted_ = false;
  record_outstanding_ = false;
}

void ReceiveQueue::want(Time now) {
  wanted_ = true;
  if (!fetches_.empty() || record_outstanding_) return;
  poll_again(now);
}

ReceiveQueue::Wqe ReceiveQueue::take(Time now) {
  const Slot& slot = slots_[consumed_ & slot_mask_];
  if (!has_wqe() || slot.counter != consumed_) {
    throw InvariantError(now, context_.name,
                         fmt::format("RQ {}: WQE {} is not next to be consumed", number_, consumed_));
  }
  const Wqe wqe{static_cast<std::uint16_t>(consumed_), {slot.segments, std::size_t{1} << (layout_.log_stride - 4)}};
  ++consumed_;
  ++context_.counters.wqes_consumed;
  publish_level(now);
  if (requested_ != posted_) fetch(now);
  if (posted_ - consumed_ < low_water_ && !record_outstanding_ && now >= next_record_read_) read_record(now);
  return wqe;
}

ReceiveQueue::Strides ReceiveQueue::take_strides(Time now, std::uint32_t count) {
  const std::uint32_t all = 1u << layout_.log_strides;
  if (strides_left_ == 0) {
    open_index_ = slots_[consumed_ & slot_mask_].index;
    open_data_ = take(now).segments[1];  // after the link
    strides_left_ = all;
  }
  const std::uint32_t first = all - strides_left_;
  strides_left_ -= count;
  return {static_cast<std::uint16_t>(open_index_), static_cast<std::uint16_t>(first), count, open_data_};
}

void ReceiveQueue::read_record(Time now) {
  record_outstanding_ = true;
  record_issued_ = now;
  next_record_read_ = now + context_.config.record_poll_interval;
  ++context_.counters.rq_record_reads;
  context_.read(now, DmaUse::record, layout_.record, sizeof(be32), *this, kRecordTag | tag_of(generation_, 0));
}

// Reads the record when the interval since the last read is over.
void ReceiveQueue::poll_again(Time now) {
  if (now >= next_record_read_) {
    read_record(now);
  } else if (!poll_scheduled_) {
    poll_scheduled_ = true;
    context_.timeline.schedule(next_record_read_, *this);
  }
}

void ReceiveQueue::fire(Time now, std::uint64_t) {
  poll_scheduled_ = false;
  if (wanted_ && fetches_.empty() && !record_outstanding_) poll_again(now);
}

void ReceiveQueue::on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) {
  const std::uint64_t plain = tag & ~kRecordTag;
  if (plain >> 32 != generation_ || !ready()) return;
  if (!ok) return set_state(now, kRqError);
  if (tag & kRecordTag) {
    be32 word;
    std::memcpy(&word, data.data(), sizeof word);
    on_record(now, word);
  } else {
    on_wqes(now, static_cast<std::uint32_t>(plain), data);
  }
}

void ReceiveQueue::on_record(Time now, std::uint32_t word) {
  record_outstanding_ = false;
  posted_ += static_cast<std::uint16_t>(word - posted_);
  if (posted_ - consumed_ > size()) return set_state(now, kRqError);  // more WQEs than the ring has
  publish_level(now);
  fetch(now);
  if (!wanted_ || !fetches_.empty()) return;
  wanted_ = false;
  client_.out_of_buffer(now, *this, record_issued_);
}

void ReceiveQueue::publish_level(Time now) const {
  if (context_.details != nullptr) context_.details->ring(now, RingKind::receive, number_, posted_ - consumed_, size());
}

std::uint32_t ReceiveQueue::next_fetch() const { return layout_.striding ? next_index_ : requested_ & (size() - 1); }

// Requests WQEs while there is room for a full read. A partial read waits until the queue would run low without it.
void ReceiveQueue::fetch(Time now) {
  const auto most = static_cast<std::uint32_t>(std::min(context_.config.wqe_fetch, context_.config.wqe_cache));
  const std::size_t reads = layout_.striding ? 1 : context_.config.wqe_reads;
  while (fetches_.size() < reads) {
    const std::uint32_t held = requested_ - consumed_;
    const std::uint32_t to_wrap = size() - next_fetch();
    const std::uint32_t count = std::min({posted_ - requested_, most, to_wrap});
    if (count == 0 || held + most > cache_size_) return;
    if (count < most && count < to_wrap && held >= most) return;
    const PhysAddr at = layout_.buffer + PhysAddr{std::uint64_t{next_fetch()} << layout_.log_stride};
    const std::uint32_t first = requested_;
    requested_ += count;
    fetches_.push_back({requested_, false});
    ++context_.counters.wqe_fetches;
    context_.counters.wqes_fetched += count;
    context_.read(now, DmaUse::receive_descriptor, at, count << layout_.log_stride, *this, tag_of(generation_, first));
  }
}

void ReceiveQueue::on_wqes(Time now, std::uint32_t first, std::span<const std::uint8_t> data) {
  if (layout_.striding) {
    store_linked(data);
  } else {
    store_in_order(first, data);
  }
  if (requested_ != posted_) fetch(now);
  if (wanted_ && has_wqe()) {
    wanted_ = false;
    client_.resume(now);
  }
}

void ReceiveQueue::store(std::uint32_t counter, std::uint32_t index, const std::uint8_t* wqe) {
  Slot& slot = slots_[counter & slot_mask_];
  slot.counter = counter;
  slot.index = index;
  std::memcpy(slot.segments, wqe, std::size_t{1} << layout_.log_stride);
}

void ReceiveQueue::store_in_order(std::uint32_t first, std::span<const std::uint8_t> data) {
  const auto count = static_cast<std::uint32_t>(data.size() >> layout_.log_stride);
  for (std::uint32_t i = 0; i < count; ++i) {
    store(first + i, (first + i) & (size() - 1), data.data() + (std::size_t{i} << layout_.log_stride));
  }
  // Reads may complete out of order; WQEs become usable in order.
  for (Fetch& f : fetches_) {
    if (f.end == first + count) f.arrived = true;
  }
  while (!fetches_.empty() && fetches_.front().arrived) {
    cached_ = fetches_.front().end;
    fetches_.erase(fetches_.begin());
  }
}

// Keeps the entries that are next on the list. The others were read for nothing.
void ReceiveQueue::store_linked(std::span<const std::uint8_t> data) {
  const std::uint32_t first = next_index_;
  const auto count = static_cast<std::uint32_t>(data.size() >> layout_.log_stride);
  for (std::uint32_t i = 0; i < count && next_index_ == first + i; ++i) {
    const std::uint8_t* wqe = data.data() + (std::size_t{i} << layout_.log_stride);
    store(cached_++, next_index_, wqe);
    wqe_srq_next_seg link;
    std::memcpy(&link, wqe, sizeof link);
    next_index_ = link.next_wqe_index & (size() - 1);
  }
  requested_ = cached_;
  fetches_.clear();
}

std::string ReceiveQueue::waiting_for() const {
  if (destroyed_) return {};
  return fmt::format("RQ {}: state {}, consumed {}, cached to {}, requested to {}, known posted {}{}{}{}{}\n", number_,
                     static_cast<std::uint32_t>(state_), consumed_, cached_, requested_, posted_,
                     striding() ? fmt::format(", strides left {}", strides_left_) : "",
                     fetches_.empty() ? "" : ", WQE reads outstanding",
                     record_outstanding_ ? ", record read outstanding" : "",
                     wanted_ ? ", a packet waits for a WQE" : "");
}

}  // namespace ringside::connectx
