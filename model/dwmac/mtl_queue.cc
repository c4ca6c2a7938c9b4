#include "model/dwmac/mtl_queue.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "model/dwmac/hw/eqos_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"

namespace ringside::dwmac {

namespace {

// What the pause low threshold takes off the pause time before PAUSE is sent again, in quanta (MAC_Q0_Tx_Flow_Ctrl.PLT).
constexpr std::array<std::uint32_t, 8> kPauseLowThreshold{4, 28, 36, 144, 256, 512, 512, 512};

static_assert(eqos::kRxOpEhfc == xgmac::kRxOpEhfc);

enum EventKind : std::uint64_t { kOverflow, kPause };

}  // namespace

std::uint32_t RxFrame::arrived(Time now) const {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  if (complete) return size;
  std::uint64_t count = size;
  if (now < arrival) {
    const auto part = static_cast<unsigned __int128>((now - head_at).value) * (size - head);
    count = head + static_cast<std::uint64_t>(part / (arrival - head_at).value);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, cut));
}

Time RxFrame::time_of(std::uint32_t count) const {
  if (count <= head) return head_at;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const auto part = static_cast<unsigned __int128>((arrival - head_at).value) * (count - head);
  return head_at + Time{static_cast<std::uint64_t>((part + (size - head) - 1) / (size - head))};
}

std::uint32_t MtlQueue::add(const Frame& frame, const RxStatus& status) {
  const std::uint32_t slot = frames_.acquire();
  RxFrame& f = frames_[slot];
  f.sequence = frame.sequence;
  f.arrival = frame.arrival;
  f.ready = frame.arrival + context_.config.rx_latency;
  f.bytes.resize(frame.bytes.size() + kFcsBytes);
  std::memcpy(f.bytes.data(), frame.bytes.data(), frame.bytes.size());
  std::memset(f.bytes.data() + frame.bytes.size(), 0, kFcsBytes);
  f.bytes.resize(status.length);
  f.status = status;
  f.complete = true;
  f.touched = false;
  order_.push(slot);
  return slot;
}

bool MtlQueue::push(Time now, const Frame& frame, const RxStatus& status) {
  if (fill(now) + status.length > registers_.queue_size(number_)) return refuse(now, frame.sequence);
  add(frame, status);
  publish_stored(now, frame.sequence, status.length);
  ++context_.counters.buffered;
  stored_ += status.length;
  watch_level(now);
  return true;
}

bool MtlQueue::refuse(Time now, std::uint64_t sequence) const {
  if (context_.details != nullptr) context_.details->waits(now, sequence, Resource::buffer_room);
  return false;
}

// A frame that arrives is said to be there as a whole.
void MtlQueue::publish_stored(Time now, std::uint64_t sequence, std::uint32_t bytes) const {
  if (context_.details != nullptr) context_.details->buffered(now, sequence, bytes, registers_.channel_of_queue(number_));
}

void MtlQueue::publish_left(Time now, std::uint64_t sequence, std::uint32_t bytes) const {
  if (context_.details != nullptr) context_.details->freed(now, sequence, bytes, now);
}

void MtlQueue::announce_reset(Time now) {
  if (order_.empty()) return;
  const std::int64_t bytes = stored_ + (arriving_ ? newest().status.length : 0);
  publish_left(now, head()->sequence, static_cast<std::uint32_t>(bytes));
}

bool MtlQueue::begin(Time now, const Frame& frame, const RxStatus& status) {
  const std::uint32_t head = threshold();
  if (fill(now) + head > registers_.queue_size(number_)) return refuse(now, frame.sequence);
  RxFrame& f = frames_[add(frame, status)];
  publish_stored(now, frame.sequence, status.length);
  f.complete = false;
  f.ready = now + context_.config.rx_latency;
  f.head = head;
  f.head_at = now;
  f.cut = status.length;
  arriving_ = true;
  expect_overflow(now);
  watch_level(now);
  return true;
}

bool MtlQueue::end(Time now, const RxStatus& status) {
  RxFrame& f = newest();
  arriving_ = false;
  const std::uint32_t length = f.arrived(now);
  const bool overflow = length < status.length;
  const std::uint32_t lost = overflow && !f.touched ? f.status.length : f.status.length - length;
  if (lost != 0) publish_left(now, f.sequence, lost);
  if (overflow && !f.touched) {
    frames_.release(order_.at(order_.end_index() - 1));
    order_.pop_newest();
    return false;
  }
  f.status = status;
  f.status.length = length;
  f.status.overflow = overflow;
  f.bytes.resize(length);
  f.complete = true;
  ++context_.counters.buffered;
  stored_ += length;
  watch_level(now);
  return true;
}

void MtlQueue::take(Time now, std::uint32_t bytes) {
  publish_left(now, head()->sequence, bytes);
  stored_ -= bytes;
  watch_level(now);
}

void MtlQueue::pop() {
  if (head()->complete) --context_.counters.buffered;
  frames_.release(order_.front());
  order_.pop();
}

void MtlQueue::reset() {
  while (!order_.empty()) pop();
  stored_ = 0;
  arriving_ = pausing_ = false;
}

std::uint64_t MtlQueue::fill(Time now) {
  const std::int64_t bytes = stored_ + (arriving_ ? newest().arrived(now) : 0);
  return static_cast<std::uint64_t>(bytes);
}

// The FIFO is full then unless something leaves it.
void MtlQueue::expect_overflow(Time now) {
  RxFrame& f = newest();
  const std::uint64_t room = registers_.queue_size(number_) - fill(now);
  const std::uint64_t full = f.arrived(now) + room + 1;
  if (full <= f.cut) context_.timeline.schedule(f.time_of(static_cast<std::uint32_t>(full)), *this, f.sequence << 1 | kOverflow);
}

void MtlQueue::fire(Time now, std::uint64_t argument) {
  if ((argument & 1) == kPause) {
    if (argument >> 1 == pause_round_ && pausing_) refresh_pause(now);
    return;
  }
  if (!arriving_ || newest().sequence != argument >> 1) return;
  RxFrame& f = newest();
  if (fill(now) <= registers_.queue_size(number_)) return expect_overflow(now);
  f.cut = f.arrived(now) - static_cast<std::uint32_t>(fill(now) - registers_.queue_size(number_));
}

// PAUSE needs flow control to be on in the queue and in the MAC.
void MtlQueue::watch_level(Time now) {
  const std::uint64_t bytes = fill(now);
  context_.counters.fifo_peak = std::max(context_.counters.fifo_peak, bytes);
  const std::uint32_t flow = registers_.read(registers_.map().tx_flow_ctrl(number_));
  if ((registers_.rx_op(number_) & eqos::kRxOpEhfc) == 0 || (flow & kTxFlowTfe) == 0) return;
  if (!pausing_ && bytes > registers_.pause_level(number_)) {
    pausing_ = true;
    ++pause_round_;
    refresh_pause(now);
  } else if (pausing_ && bytes < registers_.resume_level(number_)) {
    pausing_ = false;
    port_.send_pause(now, 0);
  }
}

// The other end is silent for the pause time; it is asked again before that is over.
void MtlQueue::refresh_pause(Time now) {
  const std::uint32_t flow = registers_.read(registers_.map().tx_flow_ctrl(number_));
  const std::uint32_t quanta = flow >> kTxFlowPtShift;
  const std::uint32_t early = kPauseLowThreshold[(flow & kTxFlowPltMask) >> kTxFlowPltShift];
  port_.send_pause(now, quanta);
  context_.timeline.schedule(now + port_.quanta_time(quanta > early ? quanta - early : 1), *this, pause_round_ << 1 | kPause);
}

std::uint32_t MtlQueue::debug(Time now) {
  const std::uint64_t bytes = fill(now);
  std::uint32_t level = 1;
  if (bytes == 0) level = 0;
  if (bytes > registers_.pause_level(number_)) level = 2;
  if (bytes + kMinFrameBytes > registers_.queue_size(number_)) level = 3;
  return static_cast<std::uint32_t>(frames()) << kRxDebugCountShift | level << kRxDebugLevelShift |
         (arriving_ ? kRxDebugRwc : 0);
}

std::string MtlQueue::waiting_for(Time now) {
  if (order_.empty()) return {};
  return fmt::format("MTL queue {}: {} frames, {} of {} B{}\n", number_, frames(), fill(now), registers_.queue_size(number_),
                     pausing_ ? ", sends PAUSE" : "");
}

}  // namespace ringside::dwmac
