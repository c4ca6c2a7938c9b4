// The ring of a send queue: doorbells, and WQE basic blocks fetched by DMA.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/connectx/context.h"
#include "model/connectx/hw/wqe.h"
#include "model/fabric/ports.h"

namespace ringside::connectx {

class SendRingClient {
 public:
  virtual void blocks_arrived(Time now) = 0;
  virtual void ring_failed(Time now) = 0;  // the ring is not RAM

 protected:
  ~SendRingClient() = default;
};

// Blocks that a doorbell has announced are fetched in ring order, several reads at a time, as far as the cache has room
// for them. The doorbell says all that is needed: word 1 of the doorbell record is not read.
class SendRing final : public DmaReader {
 public:
  SendRing(Context& context, PhysAddr buffer, std::uint32_t log_size, SendRingClient& client);

  // Forgets everything and starts at block 0.
  void restart();

  // Blocks before `end` (16 bits) are posted. False if that is more than the ring holds.
  bool post(Time now, std::uint16_t end);

  // Counter of the next block, how many from there on are fetched, and posted.
  std::uint32_t next() const { return consumed_; }
  std::uint32_t fetched() const { return cached_ - consumed_; }
  std::uint32_t posted() const { return posted_ - consumed_; }
  std::uint32_t size() const { return 1u << log_size_; }

  // The next block. Only if fetched().
  const std::uint8_t* front() const { return block(consumed_); }

  // Copies the next `count` blocks to `to` and gives their room back. Only if fetched().
  void take(Time now, std::uint32_t count, std::uint8_t* to);

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;

 private:
  struct Fetch {
    std::uint32_t end;  // counter after the last block
    bool arrived;
  };

  const std::uint8_t* block(std::uint32_t counter) const { return cache_.data() + (counter & mask_) * kSendWqeBb; }
  void fetch(Time now);

  Context& context_;
  SendRingClient& client_;
  PhysAddr buffer_;
  std::uint32_t log_size_;
  std::uint32_t capacity_;
  std::uint32_t mask_;
  std::uint32_t generation_ = 0;  // of the reads that count

  // Counters of blocks since the start: consumed_ <= cached_ <= requested_ <= posted_ <= consumed_ + size.
  std::uint32_t consumed_ = 0;
  std::uint32_t cached_ = 0;
  std::uint32_t requested_ = 0;
  std::uint32_t posted_ = 0;
  std::vector<std::uint8_t> cache_;
  std::vector<Fetch> fetches_;  // outstanding, in ring order
};

}  // namespace ringside::connectx
