#include "model/base/kernel_bridge.h"

#include <algorithm>

namespace ringside {

KernelBridge::KernelBridge(sc_core::sc_module_name name, Timeline& timeline) : sc_module(name), timeline_(timeline) {
  SC_HAS_PROCESS(KernelBridge);
  SC_METHOD(drive);
  sensitive << kick_;
  dont_initialize();
}

void KernelBridge::sleep_until(sc_core::sc_event& wake) {
  ++sleepers_;
  kick_.notify(sc_core::SC_ZERO_TIME);
  sc_core::wait(wake | failed_);
  --sleepers_;
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void KernelBridge::stop() {
  if (!stopped_) sc_core::sc_stop();
  stopped_ = true;
}

void KernelBridge::drive() {
  try {
    timeline_.run_until(now());
  } catch (...) {
    failure_ = std::current_exception();
    failed_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  if (sleepers_ == 0 || timeline_.next() == Time::max()) return;
  next_trigger(sc_core::sc_time::from_value((timeline_.next() - now()).value));
}

}  // namespace ringside
