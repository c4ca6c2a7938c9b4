// What a coherent memory system is made of: private caches, last-level cache, DRAM, translation, prefetchers.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/parameter.h"
#include "model/base/units.h"

namespace ringside {

// Latencies are load-to-use: from the issue of a load to its value, with everything nearer already included. Private
// caches are clocked with the core (cycles); the last-level cache and memory have clocks of their own (time).
struct MemoryConfig {
  Bytes ram_size = mebibytes(128);

  Bytes l1d_size;
  std::uint64_t l1d_ways = 0;
  std::uint64_t l1d_latency = 0;
  Bytes l1i_size;
  std::uint64_t l1i_ways = 0;
  std::uint64_t l1i_latency = 0;
  Bytes l2_size;
  std::uint64_t l2_ways = 0;
  std::uint64_t l2_latency = 0;
  std::uint64_t fill_buffers = 0;
  std::uint64_t fill_buffer_banks = 1;
  std::uint64_t l2_outstanding = 0;

  Bytes llc_size;
  std::uint64_t llc_ways = 0;
  Time llc_latency;
  Time snoop_latency;
  std::string llc_policy;
  std::uint64_t ddio_ways = 0;
  Time ddio_evict_latency;
  Time dma_write_latency;
  Time dma_read_latency;

  Time dram_latency;
  Bandwidth dram_bandwidth;

  bool dma_snoops = true;
  std::string invalidate = "clean";
  Time maintenance_interval;
  Time uncached_latency;
  Time eviction_interval;
  std::uint64_t eviction_seed = 1;
  bool evict_dma_lines = false;
  Bytes uncached_size = mebibytes(2);

  std::string page_size = "2MiB";
  std::uint64_t dtlb_4k_entries = 0;
  std::uint64_t dtlb_4k_ways = 0;
  std::uint64_t dtlb_2m_entries = 0;
  std::uint64_t dtlb_2m_ways = 0;
  std::uint64_t stlb_entries = 0;
  std::uint64_t stlb_ways = 0;
  std::uint64_t stlb_latency = 0;
  std::uint64_t page_walk = 0;

  bool stream_prefetcher = false;
  std::uint64_t stream_trackers = 0;
  std::uint64_t stream_train = 0;
  std::uint64_t stream_degree = 0;
  std::uint64_t stream_distance = 0;
  bool adjacent_line_prefetcher = false;

  void visit(ParameterVisitor& v);

 private:
  void visit_private_caches(ParameterVisitor& v);
  void visit_shared(ParameterVisitor& v);
  void visit_translation(ParameterVisitor& v);
  void visit_prefetchers(ParameterVisitor& v);
  void visit_coherence(ParameterVisitor& v);
};

}  // namespace ringside
