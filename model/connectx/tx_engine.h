// What the send queues of a port share: the port, the payload reads, and turns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/timeline.h"
#include "model/connectx/context.h"
#include "model/connectx/send_queue.h"
#include "model/connectx/tx_port.h"

namespace ringside::connectx {

// Queues take turns, one packet or WQE each. A packet starts when the port has room for it and a payload read is free;
// the reads of one packet start together. Each port has an engine of its own, so that one cannot hold up the other but on
// the fabric.
class TxEngine final : public EventTarget, public SpaceClient {
 public:
  TxEngine(Context& context, std::size_t port)
      : context_(context), port_(context, context.counters.transmit[port]), packet_interval_(ConnectxConfig::interval(context.config.tx_packet_rate)) {}

  TxPort& port() { return port_; }
  const TxPort& port() const { return port_; }
  void add(SendQueue& queue) { queues_.push_back(&queue); }
  void remove(SendQueue& queue) { std::erase(queues_, &queue); }

  // Lets the queues work until all of them wait.
  void run(Time now);

  // For queues: a packet may start; otherwise run() is called when that may have changed.
  bool can_start(Time now, std::uint32_t length, std::uint32_t reads);
  void read_started() { ++reads_; }
  void read_done(Time now);

  // A packet whose bytes are all here takes its turn; the result is when it is through.
  Time pass(Time now);

  // A completion queue may have room.
  void resume(Time now) override;
  void fire(Time now, std::uint64_t argument) override;

 private:
  void wake_for_room();

  Context& context_;
  TxPort port_;
  const Time packet_interval_;
  Time free_{};  // for the next packet
  std::vector<SendQueue*> queues_;
  std::size_t turn_ = 0;
  std::uint64_t reads_ = 0;  // payload reads outstanding
  bool read_wanted_ = false;
  bool room_wanted_ = false;
  bool wake_scheduled_ = false;
};

}  // namespace ringside::connectx
