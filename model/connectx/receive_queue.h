// Receive queue: doorbell record, WQE prefetch, the cache of fetched WQEs, and the strides of the one in use.
#pragma once

#include <algorithm>
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
//
// A striding queue is a linked list that starts at entry 0. Lists mostly follow the ring, so a fetch reads entries in
// ring order from the one that the last link named, and keeps those that the links confirm; there is one fetch at a
// time. A link counts as final once its WQE is posted, which holds for drivers that leave one entry unposted.
class ReceiveQueue final : public DmaReader, public EventTarget {
 public:
  struct Layout {
    PhysAddr buffer;
    PhysAddr record;
    std::uint32_t log_size;             // WQEs
    std::uint32_t log_stride;           // bytes of a WQE, 4 to 6
    bool striding = false;              // WQEs are rx_wqe_ll and hold many packets:
    std::uint32_t log_strides = 0;      // strides of a WQE
    std::uint32_t log_stride_size = 0;  // bytes of a stride
  };
  static constexpr std::uint32_t kMaxSegments = 4;
  struct Wqe {
    std::uint16_t counter;
    std::span<const wqe_data_seg> segments;
  };
  struct Strides {
    std::uint16_t wqe;  // index in the ring
    std::uint16_t first;
    std::uint32_t count;
    wqe_data_seg data;  // of the whole WQE
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

  bool striding() const { return layout_.striding; }
  std::uint32_t log_stride_size() const { return layout_.log_stride_size; }

  // Strides that a packet takes. One that is longer than a whole WQE gets all of it, and does not fit.
  std::uint32_t strides_for(std::uint32_t length) const {
    return std::min((length + (1u << layout_.log_stride_size) - 1) >> layout_.log_stride_size,
                    1u << layout_.log_strides);
  }

  // A packet of this length can be placed now.
  bool has_room(std::uint32_t length) const {
    return has_wqe() || (striding() && strides_for(length) <= strides_left_);
  }

  // The strides left of the WQE in use are too few for a packet of this length and have to be given up.
  bool needs_filler(std::uint32_t length) const { return strides_left_ != 0 && strides_for(length) > strides_left_; }
  std::uint32_t strides_left() const { return strides_left_; }

  // A packet waits for a WQE: looks for one, then resumes the client or tells it that nothing is posted.
  void want(Time now);

  // Takes the oldest fetched WQE. Only if has_wqe(). The segments stay valid until the next call.
  Wqe take(Time now);

  // Takes strides of the WQE in use, or of the next one if that is used up. Only if that many are left, or has_wqe().
  Strides take_strides(Time now, std::uint32_t count);

  std::string waiting_for() const;

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;
  void fire(Time now, std::uint64_t argument) override;

  // Steering rules that lead here; the queue cannot be destroyed while there are any.
  std::uint32_t users = 0;

 private:
  struct Slot {
    std::uint32_t counter;
    std::uint32_t index;  // in the ring
    wqe_data_seg segments[kMaxSegments];
  };
  struct Fetch {
    std::uint32_t end;  // counter after the last WQE
    bool arrived;
  };

  std::uint32_t size() const { return 1u << layout_.log_size; }
  void restart();
  void publish_level(Time now) const;
  void read_record(Time now);
  void on_record(Time now, std::uint32_t word);
  void fetch(Time now);
  std::uint32_t next_fetch() const;
  void on_wqes(Time now, std::uint32_t first, std::span<const std::uint8_t> data);
  void store_in_order(std::uint32_t first, std::span<const std::uint8_t> data);
  void store_linked(std::span<const std::uint8_t> data);
  void store(std::uint32_t counter, std::uint32_t index, const std::uint8_t* wqe);
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

  std::uint32_t next_index_ = 0;  // striding: entry after the last fetched one
  std::uint32_t open_index_ = 0;  // and the WQE in use
  std::uint32_t strides_left_ = 0;
  wqe_data_seg open_data_{};

  bool wanted_ = false;
  bool poll_scheduled_ = false;
  bool record_outstanding_ = false;
  Time record_issued_;
  Time next_record_read_;
};

}  // namespace ringside::connectx
