// Completion queue: CQEs into host memory, consumer index by DMA, event moderation and arming.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/base/timeline.h"
#include "model/connectx/context.h"
#include "model/connectx/event_queue.h"
#include "model/connectx/hw/cqe.h"
#include "model/fabric/ports.h"

namespace ringside::connectx {

// When an armed queue with new completions raises its event: at `max_count` completions since the last event, or
// `period` after the last event (after the latest completion if `from_cqe`). A max_count of 0 takes no part; a period
// of 0 is always over.
struct Moderation {
  Time period;
  std::uint32_t max_count = 0;
  bool from_cqe = false;
};

// The device's view of a CQ. It never writes past consumer index + size: a completion that finds the queue full after a
// fresh look at the consumer index overruns it, which is fatal to the queue (event "CQ error", syndrome overrun; sent
// to the CQ's own EQ, as the model has no separate one for asynchronous events).
class CompletionQueue final : public DmaReader, public EventTarget {
 public:
  struct Layout {
    PhysAddr buffer;
    PhysAddr record;
    std::uint32_t log_size;
  };
  struct Written {
    DmaFabric::Posted posted;
    PhysAddr slot;
  };

  CompletionQueue(Context& context, std::uint32_t number, const Layout& layout, Moderation moderation,
                  EventQueue& events, SpaceClient& client);

  std::uint32_t number() const { return number_; }
  const Layout& layout() const { return layout_; }
  EventQueue& events() { return events_; }
  bool dead() const { return dead_; }
  bool destroyed() const { return destroyed_; }
  void destroy() {
    dead_ = destroyed_ = true;
    armed_ = false;
  }
  void set_moderation(Time now, Moderation moderation);

  // True if a completion can be written. Otherwise the client is resumed when that may have changed.
  bool has_space(Time now);

  // Posts `entry`, whose opcode is set; the owner bit is added here. Only after has_space(). `packet`: the received one that it
  // is about, for the observer.
  Written write(Time now, cqe64& entry, std::optional<std::uint64_t> packet = std::nullopt);

  // UAR doorbell: `word` is sequence << 28 | command | consumer index. The sequence number is not checked. No
  // completion is solicited, so a request for solicited events only never fires.
  void arm(Time now, std::uint32_t word);

  std::string waiting_for() const;

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;
  void fire(Time now, std::uint64_t argument) override;

  // Work queues that complete here; the queue cannot be destroyed while there are any.
  std::uint32_t users = 0;

 private:
  std::uint32_t size() const { return 1u << layout_.log_size; }
  std::uint32_t free_entries() const { return size() - (producer_ - consumer_); }
  void read_record(Time now);
  void overrun(Time now);
  void consider_event(Time now);

  Context& context_;
  SpaceClient& client_;
  EventQueue& events_;
  std::uint32_t number_;
  Layout layout_;
  Moderation moderation_;
  std::uint32_t low_water_;

  std::uint32_t producer_ = 0;
  std::uint32_t consumer_ = 0;  // as last read from the doorbell record
  bool dead_ = false;
  bool destroyed_ = false;

  bool record_outstanding_ = false;
  Time record_issued_;
  Time next_record_read_;
  bool full_ = false;  // the client waits for space, since full_since_
  Time full_since_;

  bool armed_ = false;
  bool event_seen_ = false;
  std::uint32_t armed_at_ = 0;
  std::uint32_t since_event_ = 0;  // completions
  Time last_event_;
  Time last_completion_;
  Time timer_at_ = Time::max();
};

}  // namespace ringside::connectx
