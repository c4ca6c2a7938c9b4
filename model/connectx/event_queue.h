// Event queue: EQEs into host memory and the MSI-X that announces them.
#pragma once

#include <cstdint>

#include "model/base/units.h"
#include "model/connectx/context.h"
#include "model/connectx/hw/eqe.h"

namespace ringside::connectx {

// Writes EQEs in ring order. An armed queue raises its vector with the next EQE, or at once if EQEs are pending when it
// is armed, and is then unarmed. Events that find no free entry break a rule of the interface: InvariantError.
class EventQueue {
 public:
  EventQueue(Context& context, std::uint32_t number, PhysAddr buffer, std::uint32_t log_size, std::uint32_t vector);

  std::uint32_t number() const { return number_; }

  // Writes `entry` (the owner bit is set here), then the interrupt if armed.
  void push(Time now, eqe entry);

  // Doorbells: the driver has consumed entries before `consumer` (24 bits).
  void update(Time now, std::uint32_t consumer);
  void arm(Time now, std::uint32_t consumer);

  // Completion queues that report here; the queue cannot be destroyed while there are any.
  std::uint32_t users = 0;

 private:
  void interrupt(Time now);

  Context& context_;
  std::uint32_t number_;
  PhysAddr buffer_;
  std::uint32_t log_size_;
  std::uint32_t vector_;
  std::uint32_t producer_ = 0;
  std::uint32_t consumer_ = 0;
  bool armed_ = false;
};

}  // namespace ringside::connectx
