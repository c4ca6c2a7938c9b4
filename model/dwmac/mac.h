// The MAC's receive side: lengths, address filter, checksum engine, and the choice of a queue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/dwmac/context.h"
#include "model/dwmac/mtl_queue.h"
#include "model/dwmac/registers.h"
#include "model/dwmac/transmit_port.h"
#include "model/wire/frame.h"

namespace ringside::dwmac {

// Hears that a queue has a frame, or more of one.
class QueueClient {
 public:
  // `next`: a frame has just been recognised.
  virtual void frame_arrived(Time now, std::uint32_t queue, bool next) = 0;

 protected:
  ~QueueClient() = default;
};

class Mac {
 public:
  using Queues = std::vector<std::unique_ptr<MtlQueue>>;

  Mac(Context& context, const Registers& registers, Queues& queues, TransmitPort& port, QueueClient& client)
      : context_(context), registers_(registers), queues_(queues), port_(port), client_(client) {}

  // Bytes of a frame that are forwarded early; 0 if all queues store and forward.
  std::uint32_t head_bytes() const;
  void on_head(Time now, const Frame& frame);
  void on_frame(Time now, const Frame& frame);

  // Frames that are still on the wire belong to nobody any more.
  void reset() { arriving_.reset(); }

 private:
  struct Arriving {
    std::uint64_t sequence;
    std::uint32_t queue;
    bool stored;
  };

  RxStatus inspect(const Frame& frame, std::uint32_t size) const;
  const char* refusal(const Frame& frame, const RxStatus& status, std::uint32_t size);
  const char* error(const RxStatus& status, std::uint32_t size, std::uint32_t queue);
  bool address_matches(const Frame& frame, const FrameInfo& info) const;
  void count_good(const RxStatus& status, std::uint32_t size);
  void end_arriving(Time now, const Frame& frame, const RxStatus& status);

  Context& context_;
  const Registers& registers_;
  Queues& queues_;
  TransmitPort& port_;
  QueueClient& client_;
  std::optional<Arriving> arriving_;
};

}  // namespace ringside::dwmac
