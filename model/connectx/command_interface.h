// The command interface: a mailbox in host memory, read, run and answered by DMA.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/base/timeline.h"
#include "model/connectx/context.h"
#include "model/connectx/engines.h"
#include "model/connectx/hw/registers.h"
#include "model/connectx/objects.h"
#include "model/fabric/ports.h"

namespace ringside::connectx {

// One command at a time. The answer, the first 8 bytes of the mailbox, is written when the firmware's latency after the
// arrival of the mailbox is over, and the command takes effect then. A mailbox that is not RAM gets no answer.
class CommandInterface final : public DmaReader, public EventTarget {
 public:
  CommandInterface(Context& context, Objects& objects, Engines& engines)
      : context_(context), objects_(objects), engines_(engines) {}

  void set_address(PhysAddr mailbox) { address_ = mailbox; }
  void ring(Time now);
  std::string waiting_for() const;

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;
  void fire(Time now, std::uint64_t argument) override;

 private:
  Context& context_;
  Objects& objects_;
  Engines& engines_;
  PhysAddr address_;
  PhysAddr running_at_;
  bool running_ = false;
  command_mailbox mailbox_{};
};

}  // namespace ringside::connectx
