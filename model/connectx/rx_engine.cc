#include "model/connectx/rx_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/connectx/hw/cqe.h"

namespace ringside::connectx {

namespace {

constexpr std::uint32_t kLane = 0;  // all frames pass one engine

}  // namespace

RxEngine::RxEngine(Context& context, const Steering& steering, const MkeyTable& mkeys)
    : context_(context),
      steering_(steering),
      mkeys_(mkeys),
      buffer_(context.config.packet_buffer, kMaxFrame),
      packet_interval_(context.config.packet_interval()),
      longest_frame_(1500 + kFrameOverMtu),
      in_flight_(256) {}

void RxEngine::on_frame(Time now, const Frame& frame) {
  Counters& c = context_.counters;
  const auto length = static_cast<std::uint32_t>(frame.bytes.size());
  ++c.offered;
  if (length + kFcsBytes < kMinFrameBytes) {
    return drop(now, frame.sequence, c.rx_undersize_pkts_phy, "rx_undersize_pkts_phy");
  }
  if (length + kFcsBytes > longest_frame_) {
    return drop(now, frame.sequence, c.rx_oversize_pkts_phy, "rx_oversize_pkts_phy");
  }
  ++c.rx_packets_phy;
  c.rx_bytes_phy += length + kFcsBytes;
  if (!buffer_.fits(now, length)) {
    if (context_.details != nullptr) context_.details->waits(now, frame.sequence, Resource::buffer_room);
    return drop(now, frame.sequence, c.rx_discards_phy, "rx_discards_phy");
  }
  ReceiveQueue* queue = steering_.select(frame);
  if (queue == nullptr || !queue->ready()) {
    return drop(now, frame.sequence, c.rx_steer_missed_packets, "rx_steer_missed_packets");
  }
  if (queue->completions().dead()) return drop(now, frame.sequence, c.rx_cq_error, "rx_cq_error");
  buffer_.push(frame.sequence, frame.arrival, queue, frame.bytes);
  if (context_.details != nullptr) context_.details->buffered(now, frame.sequence, length, kLane);
  ++c.buffered;
  c.buffered_bytes_max = std::max(c.buffered_bytes_max, buffer_.used());
  if (!waiting_ && !scheduled_) advance(now);
}

void RxEngine::drop(Time now, std::uint64_t sequence, std::uint64_t& counter, std::string_view cause) {
  ++counter;
  ++context_.counters.dropped;
  if (context_.observer != nullptr) context_.observer->dropped(now, sequence, cause);
}

void RxEngine::drop_front(Time now, std::uint64_t& counter, std::string_view cause) {
  const std::uint64_t sequence = buffer_.front().sequence;
  if (context_.details != nullptr) context_.details->freed(now, sequence, buffer_.front().length, now);
  buffer_.drop();
  --context_.counters.buffered;
  drop(now, sequence, counter, cause);
}

void RxEngine::resume(Time now) {
  waiting_ = false;
  if (!advancing_ && !scheduled_) advance(now);
}

// Every frame that was there when the record was read had its chance; later ones wait for the next look.
void RxEngine::out_of_buffer(Time now, const ReceiveQueue& queue, Time issued) {
  while (!buffer_.empty() && buffer_.front().queue == &queue && buffer_.front().arrival <= issued) {
    drop_front(now, context_.counters.rx_out_of_buffer, "rx_out_of_buffer");
  }
  resume(now);
}

void RxEngine::fire(Time now, std::uint64_t) {
  scheduled_ = false;
  if (!waiting_) advance(now);
}

// Handles frames until the buffer is empty, the engine is busy, or the oldest frame has to wait.
void RxEngine::advance(Time now) {
  advancing_ = true;
  while (!buffer_.empty()) {
    ReceiveQueue& queue = *buffer_.front().queue;
    if (!queue.ready()) {
      drop_front(now, context_.counters.rx_steer_missed_packets, "rx_steer_missed_packets");
    } else if (queue.completions().dead()) {
      drop_front(now, context_.counters.rx_cq_error, "rx_cq_error");
    } else if (now < free_at_) {
      scheduled_ = true;
      context_.timeline.schedule(free_at_, *this);
      break;
    } else if (!deliver_or_wait(now, queue)) {
      waiting_ = true;
      break;
    }
  }
  advancing_ = false;
  check_conservation(now);
}

// False if the oldest frame needs a WQE or room for a completion; the queue will call back.
bool RxEngine::deliver_or_wait(Time now, ReceiveQueue& queue) {
  bool filler = false;
  if (queue.striding()) {
    const std::uint32_t length = PacketInspector::stored_length(buffer_.front_bytes());
    filler = queue.needs_filler(length);
    if (!filler && !queue.has_room(length)) {
      publish_wait(now, Resource::descriptor);
      queue.want(now);
      return false;
    }
  } else if (!queue.has_wqe()) {
    publish_wait(now, Resource::descriptor);
    queue.want(now);
    return false;
  }
  // Only now: a driver that keeps up frees completions before it posts the WQEs that can fill them.
  if (!queue.completions().has_space(now)) {
    publish_wait(now, Resource::completion_entry);
    return false;
  }
  if (filler) {
    fill(now, queue);
  } else {
    deliver(now);
  }
  return true;
}

void RxEngine::publish_wait(Time now, Resource resource) const {
  if (context_.details != nullptr) context_.details->waits(now, buffer_.front().sequence, resource);
}

// Gives up the rest of a multi-packet WQE. The packet that did not fit follows.
void RxEngine::fill(Time now, ReceiveQueue& queue) {
  const ReceiveQueue::Strides rest = queue.take_strides(now, queue.strides_left());
  cqe64 entry{};
  entry.wqe_id = rest.wqe;
  entry.byte_cnt = kMpwrqFiller | rest.count << kMpwrqStridesShift;
  entry.wqe_counter = rest.first;
  entry.op_own = kCqeRespSend << 4;
  free_at_ = std::max(free_at_, queue.completions().write(now, entry).posted.accepted);
  if (context_.details != nullptr) context_.details->occupied(now, kLane, free_at_, Resource::fabric);
  ++context_.counters.filler_completions;
}

void RxEngine::deliver(Time now) {
  const PacketBuffer::Packet packet = buffer_.front();
  if (context_.details != nullptr) context_.details->moves(now, packet.sequence);
  const PacketInfo info = inspector_.inspect(buffer_.front_bytes());
  const Placement placement = place(now, *packet.queue, info.bytes);
  if (placement.syndrome != 0) return fail(now, packet, placement);
  Time stored = now;
  for (std::uint32_t i = 0; i < placement.count; ++i) {
    const Piece& piece = placement.pieces[i];
    stored = context_.write(now, DmaUse::payload, piece.address, piece.bytes, packet.sequence).visible;
  }
  if (context_.observer != nullptr) context_.observer->stored(now, packet.sequence, now, stored);

  cqe64 entry{};
  entry.wqe_id = placement.wqe_id;
  entry.rss_hash_result = info.hash;
  entry.rss_hash_type = info.hash_type;
  entry.check_sum = info.checksum;
  entry.hds_ip_ext = info.checks;
  entry.l4_l3_hdr_type = info.layers;
  entry.vlan_info = info.vlan;
  entry.byte_cnt = placement.byte_cnt;
  entry.timestamp = packet.arrival / nanoseconds(1);
  entry.wqe_counter = placement.wqe_counter;
  entry.op_own = kCqeRespSend << 4;
  const CompletionQueue::Written written = packet.queue->completions().write(now, entry, packet.sequence);
  ++context_.counters.completed;
  if (context_.observer != nullptr) {
    context_.observer->completed(now, packet.sequence, written.posted.visible, written.slot, false);
  }
  finish(now, written);
}

// The packet is lost: an error completion takes its place, and the queue stops. The completion of a striding queue
// names WQE and strides, as others do.
void RxEngine::fail(Time now, const PacketBuffer::Packet& packet, const Placement& placement) {
  cqe64 entry{};
  auto& error = reinterpret_cast<err_cqe&>(entry);
  if (packet.queue->striding()) {
    entry.wqe_id = placement.wqe_id;
    entry.byte_cnt = placement.byte_cnt & kMpwrqStridesMask << kMpwrqStridesShift;
  }
  error.syndrome = placement.syndrome;
  error.wqe_counter = placement.wqe_counter;
  error.op_own = kCqeRespErr << 4;
  const CompletionQueue::Written written = packet.queue->completions().write(now, entry, packet.sequence);
  if (context_.observer != nullptr) {
    context_.observer->completed(now, packet.sequence, written.posted.visible, written.slot, true);
  }
  drop(now, packet.sequence, context_.counters.rx_wqe_err, "rx_wqe_err");
  finish(now, written);
  packet.queue->set_state(now, kRqError);
}

// The frame leaves the buffer when the link has taken its completion, and no later packet starts before: the engine has
// no queue of its own towards the link.
void RxEngine::finish(Time now, const CompletionQueue::Written& written) {
  const Time accepted = written.posted.accepted;
  if (context_.details != nullptr) {
    const bool by_fabric = accepted > now + packet_interval_;
    context_.details->freed(now, buffer_.front().sequence, buffer_.front().length, accepted);
    context_.details->occupied(now, kLane, std::max(now + packet_interval_, accepted), by_fabric ? Resource::fabric : Resource::engine);
  }
  buffer_.pop(now, accepted);
  --context_.counters.buffered;
  free_at_ = std::max(now + packet_interval_, accepted);

  const std::size_t mask = in_flight_.size() - 1;
  while (in_flight_head_ != in_flight_tail_ && in_flight_[in_flight_head_ & mask] <= now) ++in_flight_head_;
  if (in_flight_tail_ - in_flight_head_ > mask) {
    std::rotate(in_flight_.begin(), in_flight_.begin() + static_cast<std::ptrdiff_t>(in_flight_head_ & mask),
                in_flight_.end());
    in_flight_tail_ -= in_flight_head_;
    in_flight_head_ = 0;
    in_flight_.resize(in_flight_.size() * 2);
  }
  in_flight_[in_flight_tail_++ & (in_flight_.size() - 1)] = written.posted.visible;
}

// Where the bytes go, checked before anything is written. Takes the WQE or strides.
RxEngine::Placement RxEngine::place(Time now, ReceiveQueue& queue, std::span<const std::uint8_t> bytes) const {
  Placement placement;
  placement.byte_cnt = static_cast<std::uint32_t>(bytes.size());
  if (queue.striding()) {
    place_in_strides(now, queue, bytes, placement);
    return placement;
  }
  const ReceiveQueue::Wqe wqe = queue.take(now);
  placement.wqe_counter = wqe.counter;
  for (const wqe_data_seg& segment : wqe.segments) {
    const std::uint32_t room = segment.byte_count;
    const std::uint32_t key = segment.lkey;
    if (bytes.empty() || room == 0 || key == kTerminateScatterLkey) break;
    const std::size_t part = std::min<std::size_t>(room, bytes.size());
    add(placement, key, segment.addr, bytes.first(part));
    if (placement.syndrome != 0) return placement;
    bytes = bytes.subspan(part);
  }
  if (!bytes.empty()) placement.syndrome = kSyndromeLocalLength;
  return placement;
}

void RxEngine::place_in_strides(Time now, ReceiveQueue& queue, std::span<const std::uint8_t> bytes,
                                Placement& placement) const {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  const ReceiveQueue::Strides strides = queue.take_strides(now, queue.strides_for(length));
  const std::uint64_t offset = std::uint64_t{strides.first} << queue.log_stride_size();
  placement.wqe_id = strides.wqe;
  placement.wqe_counter = strides.first;
  placement.byte_cnt |= strides.count << kMpwrqStridesShift;
  const std::uint64_t room = std::uint64_t{strides.count} << queue.log_stride_size();
  if (length > room || offset + length > strides.data.byte_count) {
    placement.syndrome = kSyndromeLocalLength;
  } else {
    add(placement, strides.data.lkey, strides.data.addr + offset, bytes);
  }
}

void RxEngine::add(Placement& placement, std::uint32_t key, std::uint64_t address,
                   std::span<const std::uint8_t> bytes) const {
  std::array<HostPiece, kMaxFrame / MkeyTable::kPage + 2> pieces;
  const auto length = static_cast<std::uint32_t>(bytes.size());
  const std::size_t count = mkeys_.translate(key, address, length, MkeyTable::Access::write, pieces);
  if (count == 0) placement.syndrome = kSyndromeLocalProtection;
  for (std::size_t i = 0; i < count; ++i) {
    placement.pieces[placement.count++] = {pieces[i].address, bytes.first(pieces[i].length)};
    bytes = bytes.subspan(pieces[i].length);
  }
}

std::uint64_t RxEngine::completions_in_flight(Time now) const {
  std::uint64_t count = 0;
  const std::size_t mask = in_flight_.size() - 1;
  for (std::size_t i = in_flight_tail_; i != in_flight_head_ && in_flight_[(i - 1) & mask] > now; --i) ++count;
  return count;
}

void RxEngine::check_conservation(Time now) const {
  const Counters& c = context_.counters;
  if (c.offered == c.dropped + c.completed + buffer_.packets() && c.buffered == buffer_.packets()) [[likely]]
    return;
  throw InvariantError(now, context_.name,
                       fmt::format("offered packets ({}) are dropped ({}), inside ({}) or completed ({})", c.offered,
                                   c.dropped, buffer_.packets(), c.completed));
}

std::string RxEngine::waiting_for() const {
  if (buffer_.empty()) return "RX engine: idle\n";
  const PacketBuffer::Packet& head = buffer_.front();
  return fmt::format("RX engine: {} packets ({} B) in the buffer, the oldest (packet {}) for RQ {} {}\n",
                     buffer_.packets(), buffer_.used(), head.sequence, head.queue->number(),
                     waiting_ ? "waits for the queue" : "waits for the engine");
}

}  // namespace ringside::connectx
