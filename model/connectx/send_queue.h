// Send queue: executes WQEs in order and completes them in order.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/base/timeline.h"
#include "model/connectx/completion_queue.h"
#include "model/connectx/context.h"
#include "model/connectx/hw/registers.h"
#include "model/connectx/mkey_table.h"
#include "model/connectx/send_ring.h"
#include "model/connectx/send_wqe.h"
#include "model/connectx/tx_port.h"
#include "model/fabric/ports.h"
#include "model/fabric/ring_buffer.h"

namespace ringside::connectx {

class TxEngine;

// A WQE that asks for a completion gets it when everything before it is done: frames have passed the transmit engine,
// translations are set. Its frames may still wait for the wire. After an error, or in reset, what is left in the ring is forgotten, not
// flushed to the CQ.
//
// The device is strict about a WQE: number of the queue, index and size in its control segment must be right.
class SendQueue final : public DmaReader, public EventTarget, public SendRingClient {
 public:
  SendQueue(Context& context, std::uint32_t number, PhysAddr buffer, std::uint32_t log_size,
            CompletionQueue& completions, MkeyTable& mkeys, TxEngine& engine);

  std::uint32_t number() const { return number_; }
  CompletionQueue& completions() const { return completions_; }
  RqState state() const { return state_; }
  bool destroyed() const { return destroyed_; }
  void destroy();

  // MODIFY_SQ, and errors of the device.
  void set_state(RqState state);

  // Doorbell: first 8 bytes of the control segment of the last WQE posted. Ignored unless the queue is ready.
  void ring(Time now, std::uint32_t opmod_idx_opcode, std::uint32_t qpn_ds);

  // Begins the next WQE or handles its next packet. False if that has to wait or there is nothing to do.
  bool step(Time now);

  // Sends and completes what is done.
  void retire(Time now);

  std::string waiting_for() const;

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;
  void fire(Time now, std::uint64_t generation) override;
  void blocks_arrived(Time now) override;
  void ring_failed(Time now) override;

 private:
  enum class Kind : std::uint8_t { frame, completion, error };
  struct Item {
    Kind kind;
    std::uint8_t syndrome;
    std::uint8_t opcode;
    std::uint16_t index;    // of the WQE
    std::uint32_t missing;  // payload reads
    std::uint32_t frame;    // in the port
    std::uint32_t length;
  };

  void forget();
  void publish_level(Time now) const;
  bool begin(Time now);
  bool next_packet(Time now);
  void start_packet(Time now);
  void end_wqe();
  void fail(std::uint8_t syndrome);
  bool complete(Time now, const Item& item);
  bool passed(Time now);
  Item item_of(Kind kind) const { return {kind, 0, wqe_.opcode(), index_, 0, 0, 0}; }

  Context& context_;
  CompletionQueue& completions_;
  MkeyTable& mkeys_;
  TxEngine& engine_;
  std::uint32_t number_;
  RqState state_ = kRqReset;
  bool destroyed_ = false;
  std::uint16_t generation_ = 0;  // of reads and timers that count

  SendRing ring_;
  SendWqe wqe_;               // being executed,
  std::uint16_t index_ = 0;   // its index,
  std::uint32_t ds_ = 0;      // its next segment
  std::uint32_t ds_end_ = 0;  // and its end: equal if there is none
  Gather packet_;
  bool updating_ = false;  // a UMR is under way
  bool failed_ = false;    // an error completion is under way
  Time passed_{};          // when the latest frame is through the engine
  bool awaited_ = false;   // and somebody waits for it
  RingBuffer<Item> items_;
};

}  // namespace ringside::connectx
