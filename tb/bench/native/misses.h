// What small loops say about misses of this machine's core: how many are under way, and when prefetchers help.
#pragma once

#include <string>
#include <vector>

namespace ringside::native {

// ns for `counts[i]` prefetches of flushed lines in pages of no order, until all have been taken. They are taken at once as
// long as each finds a fill buffer; the one that does not waits for a line from DRAM.
struct PrefetchBurst {
  std::string lines;  // which lines of their pages
  std::vector<double> ns;
  unsigned at_once = 0;
};

// ns that each of consecutive accesses to flushed lines of a page adds; each depends on the one before and is made by an
// instruction of its own.
struct Stream {
  std::string order;
  std::vector<double> ns;
  unsigned missed = 0;  // accesses before the first that a prefetcher was ahead of
};

struct Misses {
  std::vector<unsigned> counts;  // of the bursts
  std::vector<PrefetchBurst> bursts;
  std::vector<Stream> streams;
};

// `dram_ns` is what dram_latency() says. Takes a few seconds.
Misses measure_misses(double dram_ns);

std::string misses_text(const Misses& misses);

}  // namespace ringside::native
