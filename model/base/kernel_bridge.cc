#include "model/base/kernel_bridge.h"

#include <algorithm>

#ifdef RINGSIDE_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

namespace ringside {

namespace {

// The address sanitizer takes the stack of a SystemC thread for this one, and so leaves its marks of the frames that an
// exception has left (github.com/google/sanitizers/issues/189): whoever comes to lie there is told to overflow.
void forget_frames_below() {
#ifdef RINGSIDE_SANITIZED
  constexpr std::size_t kBytes = 256 << 10;
  __asan_unpoison_memory_region(static_cast<char*>(__builtin_frame_address(0)) - kBytes, kBytes);
#endif
}

}  // namespace

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
    forget_frames_below();
    failed_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  if (sleepers_ == 0 || timeline_.next() == Time::max()) return;
  next_trigger(sc_core::sc_time::from_value((timeline_.next() - now()).value));
}

}  // namespace ringside
