#include "tb/bench/native/silicon.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tb/bench/native/machine.h"
#include "tb/bench/native/statistics.h"

namespace ringside::native {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMarks = 4;  // of a batch: around the polls, and around nothing

struct Marks {
  std::vector<Clock::time_point> times;
  std::vector<double> front_end_ns;  // before and after the polls of each batch
} marks;

// The image keeps its stack aligned to 8 bytes only.
[[gnu::force_align_arg_pointer]] void on_mark(char) {
  if (marks.times.size() == marks.times.capacity()) return;
  const std::size_t which = marks.times.size() % kMarks;
  if (which == 0) marks.front_end_ns.push_back(front_end_ns());
  marks.times.push_back(Clock::now());
  if (which == 1) marks.front_end_ns.push_back(front_end_ns());
}

[[gnu::force_align_arg_pointer]] void on_panic(const char* message) {
  fmt::print(stderr, "ringside-native-bench: the image panicked: {}\n", message);
  std::_Exit(3);
}

// RAM of the guest, at its address.
class GuestRam {
 public:
  GuestRam() {
    void* const wanted = reinterpret_cast<void*>(guest::kRamBase);
    constexpr int kProtection = PROT_READ | PROT_WRITE | PROT_EXEC;
    base_ = mmap(wanted, kRam.value, kProtection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (base_ != wanted) {
      if (base_ != MAP_FAILED) munmap(base_, kRam.value);
      throw std::runtime_error(fmt::format("the addresses from {:#x} on are taken", guest::kRamBase));
    }
    // As kernels map their memory. Where it is refused, small pages are used and reported.
    madvise(reinterpret_cast<void*>(guest::kImageBase), guest::kRamBase + kRam.value - guest::kImageBase, MADV_HUGEPAGE);
  }
  ~GuestRam() { munmap(base_, kRam.value); }
  GuestRam(const GuestRam&) = delete;
  GuestRam& operator=(const GuestRam&) = delete;

 private:
  void* base_;
};

bool has_large_pages() {
  std::ifstream smaps("/proc/self/smaps");
  const std::string start = fmt::format("{:08x}-", guest::kImageBase);
  const std::string whole = fmt::format("{:08x}-", guest::kRamBase);
  std::string line;
  bool inside = false;
  while (std::getline(smaps, line)) {
    if (line.find("-") == 8) inside = line.starts_with(start) || line.starts_with(whole);
    if (inside && line.starts_with("AnonHugePages:")) {
      if (std::strtoull(line.c_str() + std::strlen("AnonHugePages:"), nullptr, 10) > 0) return true;
    }
  }
  return false;
}

// Calls the image's entry as the contract says.
void enter(std::uint64_t entry, std::uint64_t argument, std::uint64_t stack_top) {
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %%rdx, %%rsp\n\t"
      "callq *%%rax\n\t"
      "movq %%rbx, %%rsp"
      : "+a"(entry), "+D"(argument), "+d"(stack_top)
      :
      : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

double ns_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

}  // namespace

SiliconGuest::SiliconGuest(const std::filesystem::path& file)
    : image_(file.string(), PhysAddr{guest::kRamBase + kRam.value}) {
  PhysicalMemory memory(PhysAddr{guest::kRamBase}, kRam);
  image_.load(memory);
  const std::uint8_t* const first = memory.host(PhysAddr{guest::kImageBase});
  bytes_.assign(first, first + (image_.end() - guest::kImageBase));
}

SiliconRun SiliconGuest::run(const Cell& cell, std::uint32_t batches) const {
  marks = {};
  marks.times.reserve(kMarks * (kWarmUp + batches));
  marks.front_end_ns.reserve(2 * (kWarmUp + batches));

  const GuestRam ram;
  std::memcpy(reinterpret_cast<void*>(guest::kImageBase), bytes_.data(), bytes_.size());
  auto* const request = reinterpret_cast<guest::measurement*>(guest::kRamBase);
  *request = request_for(cell, image_, kWarmUp + batches);
  request->mark = on_mark;
  request->panic = on_panic;
  enter(image_.entry(), guest::kRamBase, request->board.stack_top);
  check_dropped(cell, *request);

  SiliconRun run;
  run.large_pages = has_large_pages();
  std::vector<double> nothing;
  for (std::size_t i = kWarmUp; i < kWarmUp + batches; ++i) {
    const Clock::time_point* const m = &marks.times[kMarks * i];
    run.ns.push_back(ns_between(m[0], m[1]));
    run.front_end_ns.push_back(std::max(marks.front_end_ns[2 * i], marks.front_end_ns[2 * i + 1]));
    nothing.push_back(ns_between(m[2], m[3]));
  }
  const double cost_of_marks = quantile(nothing, 0.25);
  for (double& ns : run.ns) ns = (ns - cost_of_marks) / kPackets;
  return run;
}

}  // namespace ringside::native
