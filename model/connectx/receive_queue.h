// Cyclic receive queue: doorbell record, WQE prefetch and the cache of fetched WQEs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/timeline.h"
#include "model/connectx/completion_queue.h"
#include "model/connectx/context.h"
#include "model/connectx/hw/registers.h"
#include "model/connectx/hw/wqe.h"
#include "model/fabric/ports.h"

namespace ringside::connectx {

// The device learns of posted WQEs only by reading the doorbell record: when the known ones fall below a low-water
// mark, and again and again while a packet waits for one. WQEs are fetched in ring order ahead of use, several reads at
// a time, and used strictly in that order. Nothing is read while no packet comes. When and how the hardware really
// reads records and WQEs is not documented.
class ReceiveQueue final : public DmaReader, public EventTarget {
 public:
  struct Layout {
    PhysAddr buffer;
    PhysAddr record;
    std::uint32_t log_size;    // WQEs
    std::uint32_t log_stride;  // bytes of a WQE, 4 to 6
  };
  static constexpr std::uint32_t kMaxSegments = 4;
  struct Wqe {
    std::uint16_t counter;
    std::span<const wqe_data_seg> segments;
  };

  ReceiveQueue(Context& context, std::uint32_t number, const Layout& layout, CompletionQueue& completions,
               QueueClient& client);

  std::uint32_t number() const { return number_; }
  CompletionQueue& completions() const { return completions_; }
  RqState state() const { return state_; }
  bool ready() const { return state_ == kRqReady; }
  bool destroyed() const { return destroyed_; }
  void destroy(Time now);

  // MODIFY_RQ, and errors of the device. Leaving reset starts at WQE 0 and reads the doorbell record. A queue in reset
  // or error forgets the WQEs that it has fetched; they are not flushed to the CQ (as with flush_in_error_en = 0).
  void set_state(Time now, RqState state);

  bool has_wqe() const { return cached_ != consumed_; }

  // A packet waits for a WQE: looks for one, then resumes the client or tells it that nothing is posted.
  void want(Time now);

  // Takes the oldest fetched WQE. Only if has_wqe(). The segments stay valid until the next call.
  Wqe take(Time now);

  std::string waiting_for() const;

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;
  void fire(Time now, std::uint64_t argument) override;

  // Steering rules that lead here; the queue cannot be destroyed while there are any.
  std::uint32_t users = 0;

 private:
  struct Slot {
    std::uint32_t counter;
    wqe_data_seg segments[kMaxSegments];
  };
  struct Fetch {
    std::uint32_t end;  // counter after the last WQE
    bool arrived;
  };

  std::uint32_t size() const { return 1u << layout_.log_size; }
  void restart();
  void read_record(Time now);
  void on_record(Time now, std::uint32_t word);
  void fetch(Time now);
  void on_wqes(Time now, std::uint32_t first, std::span<const std::uint8_t> data);
  void poll_again(Time now);

  Context& context_;
  QueueClient& client_;
  CompletionQueue& completions_;
  std::uint32_t number_;
  Layout layout_;
  std::uint32_t low_water_;
  std::uint32_t cache_size_;
  std::uint32_t slot_mask_;
  RqState state_ = kRqReset;
  bool destroyed_ = false;
  std::uint16_t generation_ = 0;  // of the reads that count; older ones belong to a life before a reset

  // Counters of WQEs since reset: consumed_ <= cached_ <= requested_ <= posted_ <= consumed_ + size.
  std::uint32_t consumed_ = 0;
  std::uint32_t cached_ = 0;
  std::uint32_t requested_ = 0;
  std::uint32_t posted_ = 0;
  std::vector<Slot> slots_;
  std::vector<Fetch> fetches_;  // outstanding, in ring order

  bool wanted_ = false;
  bool poll_scheduled_ = false;
  bool record_outstanding_ = false;
  Time record_issued_;
  Time next_record_read_;
};

}  // namespace ringside::connectx
