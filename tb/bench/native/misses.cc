#include "tb/bench/native/misses.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>

#include "tb/bench/native/statistics.h"

namespace ringside::native {

namespace {

constexpr std::size_t kBytes = 256 << 20, kLargePage = 2 << 20, kPage = 4096, kLine = 64, kLinesPerPage = kPage / kLine;
constexpr unsigned kRounds = 150;
constexpr unsigned kLongestBurst = 24, kLongestStream = 32;
constexpr double kLow = 0.3;  // quantile: what others do to the machine only adds

// More memory than any cache holds, in large pages where the system gives them.
class Arena {
 public:
  Arena() : map_(mmap(nullptr, kBytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (map_ == MAP_FAILED) throw std::runtime_error("no memory for measuring misses");
    base_ = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(map_) + kLargePage - 1) & ~(kLargePage - 1));
    madvise(base_, kBytes, MADV_HUGEPAGE);
    std::fill_n(base_, kBytes, 0);
  }
  ~Arena() { munmap(map_, kBytes + kLargePage); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  char* random_page() { return base_ + random_() % (kBytes / kPage) * kPage; }
  unsigned random() { return random_(); }

 private:
  void* map_;
  char* base_;
  std::mt19937 random_;
};

void flush(const char* line) { asm volatile("clflush (%0)" ::"r"(line) : "memory"); }

// Waits until what has been flushed is in DRAM.
void settle() {
  asm volatile("mfence" ::: "memory");
  for (int i = 0; i < 300; ++i) asm volatile("");
}

// lfence waits until a prefetch has been taken, but not for its line.
void prefetch_all(char* const* lines, std::size_t count) {
  asm volatile(
      "1:\n\tmovq (%0), %%rax\n\tprefetcht0 (%%rax)\n\taddq $8, %0\n\tdecq %1\n\tjnz 1b\n\tlfence"
      : "+r"(lines), "+r"(count)
      :
      : "rax", "memory");
}

// `count` dependent loads, `step` bytes from one to the next. An instruction for each: prefetchers that go by the address
// of the instruction see no distance. The lines are zero, so that adding what was loaded changes nothing.
void walk(const char* at, long step, std::size_t count) {
  constexpr std::size_t kLoad = 9;  // bytes of code
  asm volatile(
      "leaq 2f(%%rip), %%rax\n\t"
      "subq %%rcx, %%rax\n\t"
      "jmp *%%rax\n\t"
      ".rept %c2\n\tmovq (%%rsi), %%rax\n\taddq %%rax, %%rsi\n\taddq %%rdx, %%rsi\n\t.endr\n"
      "2:\tlfence"
      : "+S"(at), "+d"(step)
      : "i"(kLongestStream), "c"(kLoad * count)
      : "rax", "memory");
}

template <class Work>
double ns_of(Work work) {
  asm volatile("lfence" ::: "memory");
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

double burst_ns(Arena& arena, unsigned count, unsigned stride, unsigned offset) {
  std::vector<char*> lines;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned line = stride == 1 ? (arena.random() % (kLinesPerPage / 2)) * 2 + i % 2
                                      : arena.random() % (kLinesPerPage / stride) * stride + offset;
    lines.push_back(arena.random_page() + line * kLine);
  }
  prefetch_all(lines.data(), lines.size());  // translations and code
  for (const char* line : lines) flush(line);
  settle();
  return ns_of([&] { prefetch_all(lines.data(), lines.size()); });
}

PrefetchBurst measure_burst(Arena& arena, const std::vector<unsigned>& counts, double dram_ns, std::string name, unsigned stride,
                            unsigned offset) {
  std::vector<std::vector<double>> samples(counts.size());
  for (unsigned round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < counts.size(); ++i) samples[i].push_back(burst_ns(arena, counts[i], stride, offset));
  }
  PrefetchBurst burst{std::move(name), {}, 0};
  for (const std::vector<double>& s : samples) burst.ns.push_back(quantile(s, kLow));
  for (std::size_t i = 0; i < counts.size() && burst.ns[i] < burst.ns[0] + dram_ns / 2; ++i) burst.at_once = counts[i];
  return burst;
}

double stream_ns(Arena& arena, long step, std::size_t count) {
  char* const page = arena.random_page();
  char* const first = step < 0 ? page + kPage - kLine : page;
  // Code, and no distance for these instructions. Elsewhere: prefetchers count what a page has seen before.
  walk(arena.random_page(), 0, kLongestStream);
  for (std::size_t i = 0; i < kLinesPerPage; ++i) flush(page + i * kLine);
  settle();
  return ns_of([&] { walk(first, step, count); });
}

Stream measure_stream(Arena& arena, double dram_ns, std::string name, long step) {
  std::vector<std::vector<double>> samples(kLongestStream + 1);
  for (unsigned round = 0; round < kRounds; ++round) {
    for (std::size_t count = 0; count <= kLongestStream; ++count) samples[count].push_back(stream_ns(arena, step, count));
  }
  Stream stream{std::move(name), {}, 0};
  for (std::size_t i = 1; i <= kLongestStream; ++i) stream.ns.push_back(quantile(samples[i], kLow) - quantile(samples[i - 1], kLow));
  while (stream.missed < kLongestStream && stream.ns[stream.missed] > dram_ns / 2) ++stream.missed;
  return stream;
}

// A figure of a measurement that goes no further than `most`.
std::string up_to(std::size_t value, std::size_t most) { return fmt::format("{}{}", value, value < most ? "" : " or more"); }

std::string row(const std::string& name, const std::vector<double>& values) {
  std::string text = fmt::format("{:<28}", name);
  for (const double value : values) text += fmt::format(" {:>4.0f}", value);
  return text;
}

}  // namespace

Misses measure_misses(double dram_ns) {
  Arena arena;
  Misses misses;
  for (unsigned count = 1; count <= kLongestBurst; ++count) misses.counts.push_back(count);
  misses.bursts.push_back(measure_burst(arena, misses.counts, dram_ns, "even lines", 2, 0));
  misses.bursts.push_back(measure_burst(arena, misses.counts, dram_ns, "odd lines", 2, 1));
  misses.bursts.push_back(measure_burst(arena, misses.counts, dram_ns, "even and odd in turn", 1, 0));
  misses.streams.push_back(measure_stream(arena, dram_ns, "ascending", kLine));
  misses.streams.push_back(measure_stream(arena, dram_ns, "descending", -static_cast<long>(kLine)));
  misses.streams.push_back(measure_stream(arena, dram_ns, "every second, ascending", 2 * kLine));
  return misses;
}

std::string misses_text(const Misses& misses) {
  std::string text = "\nns until so many prefetches of flushed lines have been taken\n";
  text += row("", {misses.counts.begin(), misses.counts.end()}) + "  at once\n";
  for (const PrefetchBurst& burst : misses.bursts) text += row(burst.lines, burst.ns) + fmt::format("  {:>7}\n", up_to(burst.at_once, kLongestBurst));
  text += "\nns that each access to flushed lines of a page adds, from the first on\n";
  for (const Stream& stream : misses.streams) text += row(stream.order, stream.ns) + fmt::format("  missed {}\n", up_to(stream.missed, kLongestStream));
  return text;
}

}  // namespace ringside::native
