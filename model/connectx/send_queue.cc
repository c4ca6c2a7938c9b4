#include "model/connectx/send_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/connectx/frame_limits.h"
#include "model/connectx/hw/cqe.h"
#include "model/connectx/tx_engine.h"

namespace ringside::connectx {

namespace {

constexpr std::uint32_t kFirstDataDs = 2;  // after control and Ethernet segments
constexpr std::uint32_t kMinPayload = kMinFrameBytes - kFcsBytes;
constexpr std::uint32_t kLongestFrame = kMaxFrame - kFcsBytes;

// What a timer is for, above the generation in its argument.
constexpr std::uint64_t kUmrDone = 0;
constexpr std::uint64_t kFramesPassed = 1ULL << 16;

// Tag of a payload read: generation, item, offset in the frame.
constexpr std::uint64_t tag_of(std::uint16_t generation, std::uint64_t item, std::uint32_t offset) {
  return std::uint64_t{generation} << 48 | (item & 0xffff'ffff) << 16 | offset;
}

constexpr std::uint32_t blocks_of(std::uint32_t ds) { return (ds * kSendWqeDs + kSendWqeBb - 1) / kSendWqeBb; }

}  // namespace

SendQueue::SendQueue(Context& context, std::uint32_t number, PhysAddr buffer, std::uint32_t log_size,
                     CompletionQueue& completions, MkeyTable& mkeys, TxEngine& engine)
    : context_(context),
      completions_(completions),
      mkeys_(mkeys),
      engine_(engine),
      number_(number),
      ring_(context, buffer, log_size, *this) {}

void SendQueue::destroy() {
  destroyed_ = true;
  set_state(kRqReset);
}

void SendQueue::set_state(RqState state) {
  if (state == kRqError && state_ != kRqError) ++context_.counters.sq_errors;
  if (state != kRqReady || state_ == kRqReset) forget();
  state_ = state;
}

void SendQueue::forget() {
  ++generation_;
  ring_.restart();
  for (; !items_.empty(); items_.pop()) {
    const Item& item = items_.front();
    if (item.kind == Kind::frame) engine_.port().discard(item.frame, item.length);
  }
  ds_ = ds_end_ = 0;
  updating_ = failed_ = awaited_ = false;
}

void SendQueue::ring(Time now, std::uint32_t opmod_idx_opcode, std::uint32_t qpn_ds) {
  if (state_ != kRqReady) {
    ++context_.counters.mmio_ignored;
    return;
  }
  const std::uint32_t index = opmod_idx_opcode >> 8 & 0xffff;
  const std::uint32_t end = index + std::max(blocks_of(qpn_ds & 0x3f), 1u);
  if (!ring_.post(now, static_cast<std::uint16_t>(end))) return set_state(kRqError);
  publish_level(now);
}

void SendQueue::publish_level(Time now) const {
  if (context_.details != nullptr) context_.details->ring(now, RingKind::send, number_, ring_.posted(), ring_.size());
}

void SendQueue::blocks_arrived(Time now) { engine_.run(now); }

void SendQueue::ring_failed(Time) { set_state(kRqError); }

bool SendQueue::step(Time now) {
  if (state_ != kRqReady || updating_ || failed_) return false;
  const bool moved = ds_ != ds_end_ ? next_packet(now) : begin(now);
  if (!items_.empty() && items_.front().missing == 0) retire(now);
  return moved;
}

bool SendQueue::begin(Time now) {
  if (ring_.fetched() == 0) return false;
  wqe_ctrl_seg ctrl;
  std::memcpy(&ctrl, ring_.front(), sizeof ctrl);
  index_ = static_cast<std::uint16_t>(ring_.next());
  const std::uint32_t ds = ctrl.qpn_ds & 0x3f;
  const std::uint32_t blocks = blocks_of(ds);
  const bool sound = ds != 0 && blocks <= ring_.posted() && ctrl.qpn_ds >> 8 == number_ &&
                     (ctrl.opmod_idx_opcode >> 8 & 0xffff) == index_;
  if (sound && ring_.fetched() < blocks) return false;
  ring_.take(now, sound ? blocks : 1, wqe_.bytes.data());
  publish_level(now);
  if (!sound) {
    fail(kSyndromeLocalQpOperation);
    return true;
  }
  ++context_.counters.send_wqes;
  switch (wqe_.opcode()) {
    case kWqeNop:
      ++context_.counters.send_nops;
      end_wqe();
      break;
    case kWqeUmr:
      updating_ = true;
      context_.timeline.schedule(now + context_.config.umr_latency, *this, kUmrDone | generation_);
      break;
    case kWqeSend:
    case kWqeEnhancedMpsw:
      if (ds <= kFirstDataDs && wqe_.opcode() == kWqeEnhancedMpsw) {
        fail(kSyndromeLocalQpOperation);
        break;
      }
      ds_ = kFirstDataDs;
      ds_end_ = std::max(ds, kFirstDataDs + 1);
      break;
    default:
      fail(kSyndromeLocalQpOperation);
  }
  return true;
}

bool SendQueue::next_packet(Time now) {
  if (wqe_.opcode() == kWqeSend) {
    wqe_.gather_send(mkeys_, kLongestFrame, packet_);
  } else {
    wqe_.gather_segment(mkeys_, ds_, kLongestFrame, packet_);
  }
  if (packet_.syndrome != 0) {
    fail(packet_.syndrome);
    return true;
  }
  if (!engine_.can_start(now, std::max(packet_.length, kMinPayload), packet_.reads)) return false;
  start_packet(now);
  ds_ = wqe_.opcode() == kWqeSend ? ds_end_ : packet_.ds;
  if (ds_ == ds_end_) end_wqe();
  return true;
}

void SendQueue::start_packet(Time now) {
  Item item = item_of(Kind::frame);
  item.missing = packet_.reads;
  item.length = std::max(packet_.length, kMinPayload);
  item.frame = engine_.port().reserve(item.length);
  const std::uint64_t number = items_.push(item);
  const bool listened = engine_.port().listened();
  std::uint32_t offset = 0;
  for (const Gather::Part& part : packet_.parts) {
    if (part.inlined == nullptr) {
      engine_.read_started();
      context_.read(now, DmaUse::transmit, part.address, part.length, *this, tag_of(generation_, number, offset));
    } else if (listened) {
      std::memcpy(engine_.port().bytes(item.frame).data() + offset, part.inlined, part.length);
    }
    offset += part.length;
  }
}

void SendQueue::end_wqe() {
  if (wqe_.wants_completion()) items_.push(item_of(Kind::completion));
}

void SendQueue::fail(std::uint8_t syndrome) {
  failed_ = true;
  Item item = item_of(Kind::error);
  item.syndrome = syndrome;
  items_.push(item);
}

void SendQueue::fire(Time now, std::uint64_t argument) {
  if ((argument & 0xffff) != generation_) return;
  if ((argument & kFramesPassed) != 0) {
    awaited_ = false;
    retire(now);
    engine_.run(now);
    return;
  }
  updating_ = false;
  ++context_.counters.umrs;
  const std::uint8_t syndrome = wqe_.apply_umr(mkeys_);
  if (syndrome != 0) {
    fail(syndrome);
  } else {
    end_wqe();
  }
  retire(now);
  engine_.run(now);
}

void SendQueue::on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) {
  if (tag >> 48 == generation_) {
    const std::uint64_t first = items_.first_index();
    const std::uint64_t number = first + static_cast<std::uint32_t>((tag >> 16) - first);
    Item& item = items_.at(number);
    --item.missing;
    if (!ok) {
      item.syndrome = kSyndromeLocalProtection;
    } else if (engine_.port().listened()) {
      std::memcpy(engine_.port().bytes(item.frame).data() + (tag & 0xffff), data.data(), data.size());
    }
    if (items_.front().missing == 0) retire(now);
  }
  engine_.read_done(now);
}

void SendQueue::retire(Time now) {
  while (!items_.empty() && items_.front().missing == 0) {
    Item& item = items_.front();
    if (item.kind == Kind::frame && item.syndrome == 0) {
      passed_ = engine_.pass(now);
      engine_.port().send(passed_, item.frame, item.length);
    } else if (!passed(now) || !complete(now, item)) {
      return;
    }
    items_.pop();
  }
}

// True if the frames before the oldest item are through the engine; otherwise retire() is called when they are.
bool SendQueue::passed(Time now) {
  if (passed_ <= now) return true;
  if (!awaited_) context_.timeline.schedule(passed_, *this, kFramesPassed | generation_);
  awaited_ = true;
  return false;
}

// Writes a completion; false if it cannot be written now, or ever.
bool SendQueue::complete(Time now, const Item& item) {
  if (completions_.dead()) {
    set_state(kRqError);
    return false;
  }
  if (!completions_.has_space(now)) return false;
  cqe64 entry{};
  if (item.syndrome == 0) {
    entry.sop_drop_qpn = std::uint32_t{item.opcode} << 24 | number_;
    entry.wqe_counter = item.index;
    entry.op_own = kCqeReq << 4;
    completions_.write(now, entry);
    return true;
  }
  auto& error = reinterpret_cast<err_cqe&>(entry);
  error.syndrome = item.syndrome;
  error.s_wqe_opcode_qpn = std::uint32_t{item.opcode} << 24 | number_;
  error.wqe_counter = item.index;
  error.op_own = kCqeReqErr << 4;
  completions_.write(now, entry);
  ++context_.counters.send_error_completions;
  set_state(kRqError);
  return false;  // nothing is left
}

std::string SendQueue::waiting_for() const {
  if (destroyed_) return {};
  return fmt::format("SQ {}: state {}, next block {}, fetched {}, posted {}, unfinished items {}{}{}\n", number_,
                     static_cast<std::uint32_t>(state_), ring_.next(), ring_.fetched(), ring_.posted(), items_.size(),
                     updating_ ? ", UMR under way" : "", ds_ != ds_end_ ? ", a packet waits to be read" : "");
}

}  // namespace ringside::connectx
