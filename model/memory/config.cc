#include "model/memory/config.h"

#include <array>
#include <string_view>

namespace ringside {
namespace {

using Origin = ParameterVisitor::Origin;
constexpr auto kRequired = Origin::required;

constexpr std::array<std::string_view, 2> kPolicies = {"inclusive", "victim"};
constexpr std::array<std::string_view, 2> kInvalidates = {"discard", "clean"};
constexpr std::array<std::string_view, 2> kPageSizes = {"4KiB", "2MiB"};

constexpr Need kSeveralCores{{"cpu.cores", "1", false}};
constexpr Need kSnoops{{"memory.dma_snoops", "true"}};
constexpr Need kDoesNotSnoop{{"memory.dma_snoops", "false"}};
constexpr Need kToldIncoherent{{"driver.dma_coherent", "false"}};
constexpr Need kMaintains{{"driver.dma_coherent", "false"}, {"driver.image", "", false}};  // or an image that may do it anyway
constexpr Need kEvicts{{"memory.eviction_interval", "0 ps", false}};
constexpr Need kSmallPages{{"memory.page_size", "4KiB"}};
constexpr Need kLargePages{{"memory.page_size", "2MiB"}};
constexpr Need kStreams{{"memory.stream_prefetcher", "true"}};

}  // namespace

void MemoryConfig::visit(ParameterVisitor& v) {
  v.size({"memory.ram_size", "MiB", "assumed: holds the image, the rings and their pages", "Size of the board's RAM."},
         Origin::default_value, ram_size, mebibytes(16), mebibytes(2048));
  visit_private_caches(v);
  visit_shared(v);
  visit_translation(v);
  visit_prefetchers(v);
  visit_coherence(v);
}

void MemoryConfig::visit_private_caches(ParameterVisitor& v) {
  v.size({"memory.l1d_size", "KiB", "", "Size of the first-level data cache."}, kRequired, l1d_size, kibibytes(1),
         mebibytes(1));
  v.number({"memory.l1d_ways", "ways", "", "Associativity of the first-level data cache."}, kRequired, l1d_ways, 1, 32);
  v.number({"memory.l1d_latency", "cycles", "", "Load-to-use latency of the first-level data cache."}, kRequired,
           l1d_latency, 1, 100);
  v.size({"memory.l1i_size", "KiB", "", "Size of the instruction cache."}, kRequired, l1i_size, kibibytes(1),
         mebibytes(1));
  v.number({"memory.l1i_ways", "ways", "", "Associativity of the instruction cache."}, kRequired, l1i_ways, 1, 32);
  v.number({"memory.l1i_latency", "cycles", "", "Latency of a fetch that hits the instruction cache."}, kRequired,
           l1i_latency, 0, 100);
  v.size({"memory.l2_size", "KiB", "", "Size of the core's second-level cache."}, kRequired, l2_size, kibibytes(1),
         mebibytes(64));
  v.number({"memory.l2_ways", "ways", "", "Associativity of the second-level cache."}, kRequired, l2_ways, 1, 32);
  v.number({"memory.l2_latency", "cycles", "", "Load-to-use latency of the second-level cache."}, kRequired, l2_latency,
           1, 1000);
  v.number({"memory.fill_buffers", "entries", "", "Data lines that the first level can have outstanding."}, kRequired,
           fill_buffers, 1, 256);
  v.number({"memory.fill_buffer_banks", "banks", "assumed: any buffer takes any line",
            "Parts of these buffers, a power of two: each takes the lines whose number leaves one remainder."},
           Origin::default_value, fill_buffer_banks, 1, 16);
  v.number({"memory.l2_outstanding", "entries", "",
            "Lines that the second level can have outstanding, prefetches included."},
           kRequired, l2_outstanding, 1, 1024);
}

void MemoryConfig::visit_shared(ParameterVisitor& v) {
  v.size({"memory.llc_size", "MiB", "", "Size of the last-level cache that the core reaches."}, kRequired, llc_size,
         kibibytes(64), mebibytes(1024));
  v.number({"memory.llc_ways", "ways", "", "Associativity of the last-level cache."}, kRequired, llc_ways, 1, 32);
  v.time({"memory.llc_latency", "ns", "", "Load-to-use latency of the last-level cache."}, kRequired, llc_latency,
         picoseconds(100), microseconds(1));
  v.time({"memory.snoop_latency", "ns", "", "Load-to-use latency of a line that another core has modified; a store waits as long for it.", {kSeveralCores}},
         kRequired, snoop_latency, picoseconds(100), microseconds(1));
  v.choice(
      {"memory.llc_policy", "", "", "Whether the last level holds all lines of the private caches, or their victims."},
      kRequired, llc_policy, kPolicies);
  v.number(
      {"memory.ddio_ways", "ways", "", "Ways of each set in which a DMA write may allocate; 0: DMA writes go to DRAM.", {kSnoops}},
      kRequired, ddio_ways, 0, 32);
  v.time({"memory.ddio_evict_latency", "ns", "", "Delay of a DMA write that must first evict a dirty line.", {kSnoops}}, kRequired,
         ddio_evict_latency, picoseconds(0), microseconds(10));
  v.time({"memory.dma_write_latency", "ns", "", "From the root complex to global visibility of a DMA write."},
         kRequired, dma_write_latency, picoseconds(0), microseconds(10));
  v.time({"memory.dma_read_latency", "ns", "", "From the root complex to the last-level cache and back."}, kRequired,
         dma_read_latency, picoseconds(0), microseconds(10));
  v.time({"memory.dram_latency", "ns", "", "Load-to-use latency of idle DRAM."}, kRequired, dram_latency,
         picoseconds(100), microseconds(10));
  v.bandwidth({"memory.dram_bandwidth", "Gbps", "", "Sustained bandwidth of all channels, reads and writes."},
              kRequired, dram_bandwidth, {100'000'000}, gigabits_per_second(100'000));
}

void MemoryConfig::visit_translation(ParameterVisitor& v) {
  v.choice({"memory.page_size", "", "Linux maps its direct map with large pages", "Size of the pages that map RAM."},
           Origin::default_value, page_size, kPageSizes);
  v.number({"memory.dtlb_4k_entries", "entries", "", "First-level data TLB for 4 KiB pages.", {kSmallPages}}, kRequired,
           dtlb_4k_entries, 1, 4096);
  v.number({"memory.dtlb_4k_ways", "ways", "", "Associativity of that TLB.", {kSmallPages}}, kRequired, dtlb_4k_ways, 1, 4096);
  v.number({"memory.dtlb_2m_entries", "entries", "", "First-level data TLB for 2 MiB pages.", {kLargePages}}, kRequired,
           dtlb_2m_entries, 1, 4096);
  v.number({"memory.dtlb_2m_ways", "ways", "", "Associativity of that TLB.", {kLargePages}}, kRequired, dtlb_2m_ways, 1, 4096);
  v.number({"memory.stlb_entries", "entries", "", "Second-level TLB, shared by data and instructions."}, kRequired,
           stlb_entries, 1, 65536);
  v.number({"memory.stlb_ways", "ways", "", "Associativity of the second-level TLB."}, kRequired, stlb_ways, 1, 4096);
  v.number({"memory.stlb_latency", "cycles", "", "What a first-level TLB miss adds when the second level hits."},
           kRequired, stlb_latency, 0, 1000);
  v.number({"memory.page_walk", "cycles", "", "What a page walk adds on top."}, kRequired, page_walk, 0, 10000);
}

void MemoryConfig::visit_coherence(ParameterVisitor& v) {
  v.flag({"memory.dma_snoops", "", "servers and PCs: yes",
          "Whether DMA is coherent with the caches in fact; driver.dma_coherent is what the driver is told."},
         Origin::default_value, dma_snoops);
  v.choice({"memory.invalidate", "", "Arm Cortex-A76 TRM: DC IVAC is treated as DC CIVAC",
            "What invalidating a dirty line does with it: discard it, or write it back first.", {kMaintains}},
           Origin::default_value, invalidate, kInvalidates);
  v.time({"memory.maintenance_interval", "ns", "", "Time that cache maintenance by address takes for each line.", {kMaintains}}, kRequired,
         maintenance_interval, picoseconds(0), microseconds(1));
  v.time({"memory.uncached_latency", "ns", "assumed: 0 takes that of DRAM, which is where the load is served",
          "Load-to-use latency of memory that is not cached.", {kToldIncoherent}},
         Origin::default_value, uncached_latency, picoseconds(0), microseconds(10));
  v.time({"memory.eviction_interval", "us", "chosen: lines leave the caches for lack of room only",
          "Mean time between evictions of a place that is picked at random in all caches; 0 is off."},
         Origin::default_value, eviction_interval, picoseconds(0), milliseconds(1000));
  v.number({"memory.eviction_seed", "", "chosen", "Seed of these evictions.", {kEvicts}}, Origin::default_value, eviction_seed, 0,
           ~std::uint64_t{0});
  v.flag({"memory.evict_dma_lines", "", "chosen: lines leave the caches for lack of room only",
          "A line that DMA writes past the caches leaves them at once: the worst moment for one that is dirty.", {kDoesNotSnoop}},
         Origin::default_value, evict_dma_lines);
  v.size({"memory.uncached_size", "MiB", "assumed: holds all rings",
          "Memory that is not cached, where the driver is told that DMA is not coherent.", {kToldIncoherent}},
         Origin::default_value, uncached_size, kibibytes(64), mebibytes(64));
}

void MemoryConfig::visit_prefetchers(ParameterVisitor& v) {
  v.flag({"memory.stream_prefetcher", "", "", "Whether the second level prefetches ascending and descending streams."},
         kRequired, stream_prefetcher);
  v.number({"memory.stream_trackers", "entries", "", "4 KiB pages in which streams are tracked.", {kStreams}}, kRequired,
           stream_trackers, 1, 256);
  v.number({"memory.stream_train", "steps", "", "Steps in one direction before a stream is followed; 0: the first access already has the next line fetched.", {kStreams}}, kRequired,
           stream_train, 0, 64);
  v.number({"memory.stream_degree", "lines", "", "Most prefetches issued per access of a stream.", {kStreams}}, kRequired,
           stream_degree, 1, 64);
  v.number({"memory.stream_distance", "lines", "", "How far ahead of an access a stream runs.", {kStreams}}, kRequired,
           stream_distance, 1, 64);
  v.flag({"memory.adjacent_line_prefetcher", "", "",
          "Whether a fill of the second level also fetches the other half of its 128 bytes."},
         kRequired, adjacent_line_prefetcher);
}

}  // namespace ringside
