#include "model/connectx/tx_engine.h"

#include <algorithm>

namespace ringside::connectx {

void TxEngine::run(Time now) {
  for (std::size_t idle = 0; idle < queues_.size();) {
    turn_ = turn_ + 1 < queues_.size() ? turn_ + 1 : 0;
    idle = queues_[turn_]->step(now) ? 0 : idle + 1;
  }
  wake_for_room();
}

bool TxEngine::can_start(Time now, std::uint32_t length, std::uint32_t reads) {
  if (!port_.has_room(now, length)) {
    room_wanted_ = true;
    return false;
  }
  if (reads != 0 && reads_ >= context_.config.tx_reads) {
    read_wanted_ = true;
    return false;
  }
  return true;
}

Time TxEngine::pass(Time now) {
  const Time start = std::max(now, free_);
  free_ = start + packet_interval_;
  return start + context_.config.tx_latency;
}

void TxEngine::read_done(Time now) {
  --reads_;
  if (read_wanted_) {
    read_wanted_ = false;
    run(now);
  } else {
    wake_for_room();
  }
}

// Room comes back when a frame has left. As long as none is on the wire, the end of a read calls again.
void TxEngine::wake_for_room() {
  if (!room_wanted_ || wake_scheduled_ || port_.next_room() == Time::max()) return;
  wake_scheduled_ = true;
  context_.timeline.schedule(port_.next_room(), *this);
}

void TxEngine::fire(Time now, std::uint64_t) {
  wake_scheduled_ = room_wanted_ = false;
  run(now);
}

void TxEngine::resume(Time now) {
  for (SendQueue* queue : queues_) queue->retire(now);
  run(now);
}

}  // namespace ringside::connectx
