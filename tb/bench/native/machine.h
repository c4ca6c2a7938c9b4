// The machine at hand: which core it has, how fast that runs, and how quiet it is.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::native {

// The data file of a core, and whether it is that very core's.
struct CoreModel {
  std::string name;  // "epyc-genoa"
  bool exact;
};

struct Machine {
  std::string model;  // as /proc/cpuinfo names it
  std::string vendor;
  unsigned family = 0, number = 0;
};

Machine this_machine();

// The data file for a machine, or the nearest one that there is.
CoreModel core_model_of(const Machine& machine);

// Keeps the process on one processor. Throws std::runtime_error if it may not run there.
void pin_to(unsigned cpu);

// Clock of the core in GHz, from a chain of dependent multiplications, which take three cycles each on all cores of Intel since
// Nehalem and of AMD since Zen (unverified: Fog, Instruction tables; on Zen 5 a chain of additions gives the same clock); takes some 0.3 ms. It is the median of short
// pieces: an interrupt, which takes some 40 us of a virtual machine, does not show. Another hardware thread of the core leaves it alone,
// where it takes cycles from a chain of additions.
double core_clock();

// Time in ns of some 2,000 cycles of code that does nothing but pass the front end. It grows by a quarter or more while the
// other hardware thread of the core is at work, which a virtual machine sees in no other way.
double front_end_ns();

// What it takes in the quietest tenth of one to two seconds, in cycles; looks during which the clock moves do not count.
double front_end_cycles();

// Load-to-use latency of DRAM in ns: a chase over flushed lines in pages of no order; takes some 20 ms.
double dram_latency();

// Hundredths of a second for which the hypervisor ran something else on this processor, so far.
std::uint64_t stolen_ticks(unsigned cpu);

// Processes that want to run, averaged over a minute.
double load_average();

}  // namespace ringside::native
