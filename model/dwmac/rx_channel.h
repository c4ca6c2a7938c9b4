// A receive DMA channel: moves frames from its MTL queues into the buffers of its ring.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/base/timeline.h"
#include "model/dwmac/context.h"
#include "model/dwmac/descriptor_cache.h"
#include "model/dwmac/interrupt_lines.h"
#include "model/dwmac/mac.h"
#include "model/dwmac/receive_watchdog.h"
#include "model/dwmac/registers.h"
#include "model/dwmac/rx_format.h"

namespace ringside::dwmac {

// For each frame:
// 1. A descriptor is taken from the cache. Without one the frame waits in its queue.
// 2. Buffer 1 and then buffer 2 are filled: all at once in store-and-forward mode, in bursts as they arrive otherwise.
// 3. The descriptor is written back behind the data, in the same order on the bus. If the frame is longer, the next
//    descriptor goes on with 2.
// 4. When the bus has taken the write-back of the last descriptor, the frame has left the FIFO. With IOC the receive
//    interrupt is raised at the response to the write-back; without, the interrupt watchdog is loaded now.
// 5. If timestamps are on, the next descriptor becomes the frame's context descriptor.
class RxChannel final : public DescriptorCache::Client, public ReceiveWatchdog::Client, public EventTarget {
 public:
  RxChannel(Context& context, const Registers& registers, Mac::Queues& queues, InterruptLines& lines,
            std::uint32_t number);

  DescriptorCache& ring() { return ring_; }
  void start(Time now);
  void stop(Time now);
  void reset(PhysAddr base);

  // One of the channel's queues has a frame or more of one; `next`: one was recognised.
  void frame_arrived(Time now, bool next);

  std::uint64_t completions_in_flight(Time now) const;
  std::string waiting_for() const;

  void descriptors_arrived(Time now) override { advance(now); }
  void starved(Time now) override;
  void bus_error(Time now) override;
  void watchdog_expired(Time now) override;
  void fire(Time now, std::uint64_t argument) override;

 private:
  enum class Step : std::uint64_t { chunk, done, wake, raise };

  void advance(Time now);
  void publish_wait(Time now) const;
  bool find_frame();
  void begin_descriptor(Time now);
  void place_buffers(const RxBuffers& buffers);
  bool move(Time now);
  bool wait_for(Time now, const RxFrame& frame, std::uint32_t count);
  void close(Time at);
  void close_context(Time at);
  void done(Time now);
  void frame_done(Time now);
  Time watchdog_period() const;
  std::uint32_t burst_bytes() const;

  void schedule(Time at, Step step) {
    context_.timeline.schedule(at, *this, round_ << 2 | static_cast<std::uint64_t>(step));
  }

  Context& context_;
  const Registers& registers_;
  Mac::Queues& queues_;
  InterruptLines& lines_;
  const std::uint32_t number_;
  const RxFormat& format_;
  DescriptorCache ring_;
  ReceiveWatchdog watchdog_;

  // The frame.
  MtlQueue* queue_ = nullptr;  // its head is under way; nullptr: none is
  std::uint32_t moved_ = 0;    // bytes of it
  bool first_ = true;          // no descriptor has been closed yet
  Time moving_since_{};        // its first bytes began to
  Time stored_{};              // the latest of them will be in memory
  bool split_ = false;
  std::uint32_t earlier_header_ = 0;  // of the last frame that was split
  bool context_due_ = false;  // the frame before left a timestamp
  Time timestamp_{};

  // The descriptor.
  bool active_ = false;
  DescriptorCache::Entry entry_{};
  std::array<PhysAddr, 2> address_{};
  std::array<std::uint32_t, 2> capacity_{};
  bool ioc_ = false;
  std::uint32_t part_ = 0;    // buffer being filled
  std::uint32_t filled_ = 0;  // bytes of it
  Time start_{};              // the bus may be used from then on

  // What waits for the bus.
  bool busy_ = false;
  std::uint32_t leaving_ = 0;  // bytes that leave the FIFO when it is over
  bool last_ = false;
  RxStatus closed_{};
  DmaFabric::Posted write_back_{};

  std::uint64_t round_ = 0;  // voids events of before a reset
  RingBuffer<Time> visible_;
};

}  // namespace ringside::dwmac
