// The port's receive side: MAC checks, packet buffer, and the engine that scatters packets and completes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/timeline.h"
#include "model/connectx/context.h"
#include "model/connectx/frame_limits.h"
#include "model/connectx/mkey_table.h"
#include "model/connectx/packet_buffer.h"
#include "model/connectx/packet_inspector.h"
#include "model/connectx/steering.h"
#include "model/wire/frame.h"

namespace ringside::connectx {

// Takes frames from the wire and, one per packet interval or as fast as the fabric accepts them, moves the oldest to
// host memory: data, then completion. A frame waits at the head for a WQE or a completion entry; meanwhile the buffer
// fills.
class RxEngine final : public EventTarget, public QueueClient {
 public:
  RxEngine(Context& context, const Steering& steering, const MkeyTable& mkeys);

  void on_frame(Time now, const Frame& frame);
  void set_mtu(std::uint32_t mtu) { longest_frame_ = mtu + kFrameOverMtu; }

  std::uint64_t packets_inside() const { return buffer_.packets(); }
  std::uint64_t completions_in_flight(Time now) const;
  void check_conservation(Time now) const;
  std::string waiting_for() const;

  void resume(Time now) override;
  void out_of_buffer(Time now, const ReceiveQueue& queue, Time issued) override;
  void fire(Time now, std::uint64_t argument) override;

 private:
  struct Piece {
    PhysAddr address;
    std::span<const std::uint8_t> bytes;
  };
  // Where a packet goes and what its completion says about that.
  struct Placement {
    std::array<Piece, ReceiveQueue::kMaxSegments + kMaxFrame / MkeyTable::kPage + 1> pieces;
    std::uint32_t count = 0;
    std::uint32_t byte_cnt = 0;
    std::uint16_t wqe_id = 0;
    std::uint16_t wqe_counter = 0;
    std::uint8_t syndrome = 0;  // CqeSyndrome, 0 if the packet fits
  };

  void drop(Time now, std::uint64_t sequence, std::uint64_t& counter, std::string_view cause);
  void drop_front(Time now, std::uint64_t& counter, std::string_view cause);
  void advance(Time now);
  bool deliver_or_wait(Time now, ReceiveQueue& queue);
  void deliver(Time now);
  void fail(Time now, const PacketBuffer::Packet& packet, const Placement& placement);
  void publish_wait(Time now, Resource resource) const;
  void fill(Time now, ReceiveQueue& queue);
  void finish(Time now, const CompletionQueue::Written& written);
  Placement place(Time now, ReceiveQueue& queue, std::span<const std::uint8_t> bytes) const;
  void place_in_strides(Time now, ReceiveQueue& queue, std::span<const std::uint8_t> bytes, Placement& placement) const;
  void add(Placement& placement, std::uint32_t key, std::uint64_t address, std::span<const std::uint8_t> bytes) const;

  Context& context_;
  const Steering& steering_;
  const MkeyTable& mkeys_;
  PacketInspector inspector_;
  PacketBuffer buffer_;
  Time packet_interval_;
  std::uint32_t longest_frame_;

  Time free_at_;            // the engine can take the next packet
  bool scheduled_ = false;  // an event is pending for free_at_
  bool waiting_ = false;    // the head frame waits for a queue, which will call back
  bool advancing_ = false;

  // When the latest completions become visible to the host, oldest first; a ring.
  std::vector<Time> in_flight_;
  std::size_t in_flight_head_ = 0;
  std::size_t in_flight_tail_ = 0;
};

}  // namespace ringside::connectx
