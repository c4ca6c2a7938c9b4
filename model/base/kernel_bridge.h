// Lets the SystemC kernel drive the timeline while no core pulls it forward.
#pragma once

#include <exception>
#include <systemc>

#include "model/base/timeline.h"

namespace ringside {

// While at least one waiter exists (a core that sleeps until an interrupt), kernel time follows the timeline's events.
// SystemC's time resolution must be the picosecond, its default.
class KernelBridge : public sc_core::sc_module {
 public:
  KernelBridge(sc_core::sc_module_name name, Timeline& timeline);

  // Called from a core's thread: fires events in kernel time until `wake` is notified. What an event throws meanwhile is
  // thrown here, because the kernel would wrap it.
  void sleep_until(sc_core::sc_event& wake);

  // Ends the simulation. It may be called again.
  void stop();

  static Time now() { return Time{sc_core::sc_time_stamp().value()}; }

 private:
  void drive();

  Timeline& timeline_;
  sc_core::sc_event kick_;
  sc_core::sc_event failed_;
  std::exception_ptr failure_;
  unsigned sleepers_ = 0;
  bool stopped_ = false;
};

}  // namespace ringside
