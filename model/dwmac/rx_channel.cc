#include "model/dwmac/rx_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ringside::dwmac {

namespace {

std::span<const std::uint8_t> bytes_of(const dma_desc& desc) {
  return {reinterpret_cast<const std::uint8_t*>(&desc), sizeof desc};
}

}  // namespace

RxChannel::RxChannel(Context& context, const Registers& registers, Mac::Queues& queues, InterruptLines& lines,
                     std::uint32_t number)
    : context_(context),
      registers_(registers),
      queues_(queues),
      lines_(lines),
      number_(number),
      format_(rx_format(context.config)),
      ring_(context, *this, RingKind::receive, number),
      watchdog_(context.timeline, *this, context.config.riwt_reload) {}

void RxChannel::start(Time now) {
  if (ring_.running()) return;
  ring_.start(now);
  advance(now);
}

void RxChannel::stop(Time now) {
  if (!ring_.running()) return;
  ring_.stop();
  lines_.raise(now, number_, kIntRps);
}

// Forgets the frame under way; its queue has been flushed.
void RxChannel::reset(PhysAddr base) {
  ring_.stop();
  ring_.set_base(base);
  watchdog_.cancel();
  queue_ = nullptr;
  active_ = busy_ = context_due_ = false;
  leaving_ = earlier_header_ = 0;
  ++round_;
}

void RxChannel::frame_arrived(Time now, bool next) {
  if (next && ring_.empty()) ring_.need(now, true);
  advance(now);
}

void RxChannel::advance(Time now) {
  while (!busy_ && ring_.running()) {
    if (!active_) {
      if (!context_due_ && !find_frame()) return;
      if (ring_.empty()) {
        publish_wait(now);
        return ring_.need(now, false);
      }
      begin_descriptor(now);
    }
    if (context_due_)
      close_context(start_);
    else if (!move(now))
      return;
  }
}

void RxChannel::publish_wait(Time now) const {
  if (context_.details != nullptr && queue_ != nullptr) context_.details->waits(now, queue_->head()->sequence, Resource::descriptor);
}

// Queues that share a channel are served in the order of their numbers.
bool RxChannel::find_frame() {
  for (std::uint32_t q = 0; queue_ == nullptr && q < queues_.size(); ++q) {
    if (registers_.channel_of_queue(q) != number_ || queues_[q]->head() == nullptr) continue;
    queue_ = queues_[q].get();
    moved_ = 0;
    first_ = true;
  }
  return queue_ != nullptr;
}

void RxChannel::begin_descriptor(Time now) {
  entry_ = ring_.take(now);
  active_ = true;
  part_ = filled_ = leaving_ = 0;
  start_ = now;
  ++context_.counters.rx_descriptors;
  const RxBuffers buffers = format_.buffers(entry_.desc);
  ioc_ = buffers.ioc;
  if (!context_due_) {
    if (context_.details != nullptr) context_.details->moves(now, queue_->head()->sequence);
    start_ = std::max(now, queue_->head()->ready);
    if (first_) moving_since_ = stored_ = start_;
    place_buffers(buffers);
  }
  start_ += context_.config.rx_descriptor;
}

// How much each buffer takes. Buffers are as long as RBSZ says. Only the first of a frame may begin within a beat.
void RxChannel::place_buffers(const RxBuffers& buffers) {
  const std::uint32_t size = (registers_.rx_control(number_) & kChRxRbszMask) >> kChRxRbszShift;
  const std::uint32_t width = context_.fabric.bus_width();
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto offset = static_cast<std::uint32_t>(buffers.address[i].value % width);
    const bool kept = first_ && i == 0;
    address_[i] = kept ? buffers.address[i] : PhysAddr{buffers.address[i].value - offset};
    capacity_[i] = !buffers.valid[i] ? 0 : kept ? size - std::min(size, offset) : size;
  }
  split_ = false;
  if ((registers_.channel_control(number_) & kChControlSph) == 0) return;
  // Split header: payload is in second buffers only, from the frame's first descriptor to its last.
  if (!first_) {
    capacity_[0] = 0;
    return;
  }
  const RxFrame& frame = *queue_->head();
  const std::uint32_t header = frame.status.info.header;
  split_ = header != 0 && header <= registers_.longest_header() && header <= capacity_[0] &&
           header + kFcsBytes < frame.bytes.size();
  if (split_) capacity_[0] = header;
}

// True if the bus is busy with the frame now; false if more of it must arrive first.
bool RxChannel::move(Time now) {
  RxFrame& frame = *queue_->head();
  Time at = std::max(start_, now);
  for (;;) {
    for (; part_ < 2 && filled_ == capacity_[part_]; ++part_) filled_ = 0;
    const std::uint32_t here = frame.arrived(now) - moved_;
    if (here == 0) {
      if (!frame.complete) return wait_for(now, frame, moved_ + 1);
      close(at);
      return true;
    }
    if (part_ == 2) {
      close(at);
      return true;
    }
    const std::uint32_t room = capacity_[part_] - filled_;
    std::uint32_t chunk = std::min(here, room);
    if (!frame.complete) {
      chunk = std::min(burst_bytes(), room);
      if (here < chunk) return wait_for(now, frame, moved_ + chunk);
    }
    const DmaFabric::Posted posted = context_.write(at, DmaUse::payload, PhysAddr{address_[part_].value + filled_},
                                                    {frame.bytes.data() + moved_, chunk}, frame.sequence);
    at = start_ = posted.accepted;
    stored_ = posted.visible;
    frame.touched = true;
    moved_ += chunk;
    filled_ += chunk;
    leaving_ += chunk;
    if (frame.complete) continue;
    busy_ = true;
    schedule(at, Step::chunk);
    return true;
  }
}

// The end of the frame may come before so many bytes are there.
bool RxChannel::wait_for(Time now, const RxFrame& frame, std::uint32_t count) {
  if (count <= frame.bytes.size() && frame.time_of(count) > now) schedule(frame.time_of(count), Step::wake);
  return false;
}

void RxChannel::close(Time at) {
  const RxFrame& frame = *queue_->head();
  last_ = frame.complete && moved_ == frame.bytes.size();
  closed_ = frame.status;
  closed_.first = first_;
  closed_.last = last_;
  closed_.header = split_ ? frame.status.info.header : 0;
  if (last_ && context_.observer != nullptr) context_.observer->stored(context_.timeline.now(), frame.sequence, moving_since_, stored_);
  closed_.earlier_header = earlier_header_;
  if (split_) earlier_header_ = closed_.header;
  if (!last_) closed_.length = context_.config.partial_length == "zero" ? 0 : moved_;
  write_back_ = context_.write(at, DmaUse::completion, entry_.at, bytes_of(format_.close(closed_)), frame.sequence);
  if (context_.details != nullptr) context_.details->occupied(context_.timeline.now(), number_, write_back_.accepted, Resource::fabric);
  busy_ = true;
  schedule(write_back_.accepted, Step::done);
}

void RxChannel::close_context(Time at) {
  ++context_.counters.rx_contexts;
  write_back_ = context_.write(at, DmaUse::completion, entry_.at, bytes_of(format_.context(timestamp_)));
  last_ = false;
  busy_ = true;
  schedule(write_back_.accepted, Step::done);
}

void RxChannel::fire(Time now, std::uint64_t argument) {
  if (argument >> 2 != round_) return;
  switch (static_cast<Step>(argument & 3)) {
    case Step::chunk:
      queue_->take(now, leaving_);
      leaving_ = 0;
      busy_ = false;
      return advance(now);
    case Step::done:
      return done(now);
    case Step::wake:
      return advance(now);
    case Step::raise:
      return lines_.raise(now, number_, kIntRi);
  }
}

void RxChannel::done(Time now) {
  active_ = busy_ = false;
  first_ = false;
  if (leaving_ != 0) queue_->take(now, leaving_);
  leaving_ = 0;
  context_due_ = false;
  if (last_) frame_done(now);
  last_ = false;
  ring_.release(now);
  advance(now);
}

void RxChannel::frame_done(Time now) {
  const RxFrame& frame = *queue_->head();
  context_due_ = frame.status.timestamp;
  timestamp_ = frame.arrival;
  const std::string_view cause = format_.discarded(closed_);
  if (context_.observer != nullptr)
    context_.observer->completed(now, frame.sequence, write_back_.visible, entry_.at, !cause.empty());
  if (cause.empty()) {
    ++context_.counters.completed;
    while (!visible_.empty() && visible_.front() <= now) visible_.pop();
    visible_.push(write_back_.visible);
  } else {
    ++context_.counters.error_frames;
    context_.drop(now, frame.sequence, cause);
  }
  queue_->pop();
  queue_ = nullptr;
  if (ioc_) {
    watchdog_.cancel();
    schedule(context_.fabric.response(write_back_), Step::raise);
  } else if (watchdog_period().value != 0) {
    watchdog_.load(now, watchdog_period());
  }
}

Time RxChannel::watchdog_period() const {
  const CoreMap& map = registers_.map();
  const std::uint32_t value = registers_.channel(number_, map.rx_watchdog);
  const std::uint32_t unit = map.watchdog_unit_shift == 0 ? 0 : value >> map.watchdog_unit_shift & 0x3;
  return to_time(Cycle{std::uint64_t{value & kRwtMask} * 256 << unit}, context_.config.csr_clock);
}

std::uint32_t RxChannel::burst_bytes() const {
  return registers_.burst_beats(number_, registers_.rx_control(number_)) * context_.fabric.bus_width();
}

void RxChannel::watchdog_expired(Time now) {
  ++context_.counters.riwt_expired;
  lines_.raise(now, number_, kIntRi);
}

void RxChannel::starved(Time now) {
  ++context_.counters.rbu_events;
  lines_.raise(now, number_, kIntRbu);
}

void RxChannel::bus_error(Time now) {
  ++context_.counters.bus_errors;
  ring_.stop();
  lines_.raise(now, number_, kIntFbe);
}

std::uint64_t RxChannel::completions_in_flight(Time now) const {
  std::uint64_t count = 0;
  for (std::uint64_t i = visible_.end_index(); i != visible_.first_index() && visible_.at(i - 1) > now; --i) ++count;
  return count;
}

std::string RxChannel::waiting_for() const {
  std::string text = fmt::format("RX channel {}: {}", number_, ring_.waiting_for());
  if (busy_) text += "; the bus is busy with its frame";
  if (queue_ != nullptr) text += fmt::format("; {} B of a frame moved", moved_);
  if (context_due_) text += "; a timestamp waits for a descriptor";
  return text + '\n';
}

}  // namespace ringside::dwmac
