#include "model/connectx/completion_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace ringside::connectx {

namespace {

std::span<const std::uint8_t> as_bytes(const cqe64& entry) {
  return {reinterpret_cast<const std::uint8_t*>(&entry), sizeof entry};
}

}  // namespace

CompletionQueue::CompletionQueue(Context& context, std::uint32_t number, const Layout& layout, Moderation moderation,
                                 EventQueue& events, SpaceClient& client)
    : context_(context),
      client_(client),
      events_(events),
      number_(number),
      layout_(layout),
      moderation_(moderation),
      low_water_(static_cast<std::uint32_t>(std::min<std::uint64_t>(context.config.cq_low_water, size() / 2))) {}

void CompletionQueue::set_moderation(Time now, Moderation moderation) {
  moderation_ = moderation;
  consider_event(now);
}

bool CompletionQueue::has_space(Time now) {
  if (free_entries() > 0) [[likely]]
    return true;
  if (!full_) {
    full_ = true;
    full_since_ = now;
  }
  if (!record_outstanding_) read_record(now);
  return false;
}

CompletionQueue::Written CompletionQueue::write(Time now, cqe64& entry, std::optional<std::uint64_t> packet) {
  entry.op_own |= (producer_ >> layout_.log_size) & 1;
  const PhysAddr slot = layout_.buffer + PhysAddr{(producer_ & (size() - 1)) * sizeof(cqe64)};
  const DmaFabric::Posted posted = context_.write(now, DmaUse::completion, slot, as_bytes(entry), packet);
  ++producer_;
  ++since_event_;
  last_completion_ = now;
  if (free_entries() < low_water_ && !record_outstanding_ && now >= next_record_read_) read_record(now);
  if (armed_) consider_event(now);
  return {posted, slot};
}

void CompletionQueue::read_record(Time now) {
  record_outstanding_ = true;
  record_issued_ = now;
  next_record_read_ = now + context_.config.record_poll_interval;
  ++context_.counters.cq_record_reads;
  context_.read(now, DmaUse::record, layout_.record, sizeof(be32), *this, 0);
}

void CompletionQueue::on_read(Time now, std::uint64_t, std::span<const std::uint8_t> data, bool ok) {
  record_outstanding_ = false;
  if (dead_) return;
  if (!ok) return overrun(now);
  be32 word;
  std::memcpy(&word, data.data(), sizeof word);
  const std::uint32_t advance = (word - consumer_) & kCqIndexMask;
  // An index ahead of the producer leaves no way to tell which entries are free.
  if (advance > producer_ - consumer_) return overrun(now);
  consumer_ += advance;
  if (!full_) return;
  if (free_entries() > 0) {
    full_ = false;
    client_.resume(now);
  } else if (record_issued_ >= full_since_) {
    overrun(now);
  } else {
    read_record(now);
  }
}

void CompletionQueue::overrun(Time now) {
  dead_ = true;
  armed_ = false;
  ++context_.counters.cq_errors;
  eqe entry{};
  entry.type = kEventCqError;
  entry.data[0] = number_;
  entry.data[2] = kCqErrorOverrun;
  events_.push(now, entry);
  client_.resume(now);
}

void CompletionQueue::arm(Time now, std::uint32_t word) {
  if (dead_) return;
  armed_ = (word & kCqArmSolicited) == 0;
  armed_at_ = word & kCqIndexMask;
  consider_event(now);
}

void CompletionQueue::consider_event(Time now) {
  const std::uint32_t beyond = (producer_ - armed_at_) & kCqIndexMask;
  if (!armed_ || beyond == 0 || beyond > kCqIndexMask / 2) return;
  const bool by_count = moderation_.max_count != 0 && since_event_ >= moderation_.max_count;
  Time due{};
  if (moderation_.from_cqe)
    due = last_completion_ + moderation_.period;
  else if (event_seen_)
    due = last_event_ + moderation_.period;
  if (!by_count && now < due) {
    if (due < timer_at_) {
      timer_at_ = due;
      context_.timeline.schedule(due, *this);
    }
    return;
  }
  armed_ = false;
  event_seen_ = true;
  since_event_ = 0;
  last_event_ = now;
  eqe entry{};
  entry.type = kEventCompletion;
  entry.data[6] = number_;
  events_.push(now, entry);
}

void CompletionQueue::fire(Time now, std::uint64_t) {
  if (now >= timer_at_) timer_at_ = Time::max();
  consider_event(now);
}

std::string CompletionQueue::waiting_for() const {
  if (destroyed_) return {};
  return fmt::format("CQ {}: producer {}, known consumer {}, size {}{}{}{}\n", number_, producer_, consumer_, size(),
                     dead_ ? ", in error" : "", full_ ? ", waits for its consumer index" : "",
                     armed_ ? fmt::format(", armed at {}", armed_at_) : "");
}

}  // namespace ringside::connectx
