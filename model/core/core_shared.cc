// A core among others: how it keeps step with them, and how one starts another.
#include <fmt/format.h>

#include <cstring>

#include "model/base/errors.h"
#include "model/core/core.h"

namespace ringside {

namespace {

// How often the observer of a core that shares the board is asked whether to go on.
constexpr Time kLook = microseconds(2);

}  // namespace

void Core::share(Time quantum) {
  quantum_ = quantum;
  shared_ = true;
}

// The kernel goes on to the local time; other cores run meanwhile, up to there and a quantum more.
void Core::catch_up(Time local) {
  const Time kernel = KernelBridge::now();
  if (local > kernel) sc_core::wait(sc_core::sc_time::from_value((local - kernel).value));
}

// Events fire in kernel time, which no core is behind: whatever they do to memory comes after what any core has done before
// it.
void Core::synchronise_with_others(Time local) {
  catch_up(local);
  timeline_.run_until(local);
  if (local >= looked_after_ + kLook) {
    looked_after_ = local;
    if (!observer_.keep_running(local)) stop();
  }
  set_next_sync();
}

// What another core has written is here when the load has it, not when it was asked for: whatever the guest does next, others
// see after that.
void Core::wait_for_others_data() {
  snooped_lines_ = port_.snooped_lines();
  catch_up(to_time(pipeline_.retired(), config_.frequency));
  timeline_.run_until(KernelBridge::now());
  set_next_sync();
}

// False if it is never booted.
bool Core::wait_for_boot() {
  while (off() && !stop_) sc_core::wait(wake_);
  if (off()) return false;
  if (shared_) sleep(KernelBridge::now());
  return true;
}

void Core::account_for_sleep(Time now) {
  if (idle_) sleep(now);
}

void Core::start_cpu(std::uint64_t description) {
  guest::cpu_start start;
  if (!memory_.contains(PhysAddr{description}, sizeof start)) {
    throw InvariantError(local_time(), name(), fmt::format("the guest starts a CPU as described at {:#x}, which is not RAM", description));
  }
  std::memcpy(&start, memory_.host(PhysAddr{description}), sizeof start);
  observer_.start_cpu(local_time(), start);
}

}  // namespace ringside
