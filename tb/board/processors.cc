#include "tb/board/processors.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"

namespace ringside {

namespace {

constexpr unsigned kVectorBits = 6;  // of what an interrupt's event carries; the rest is the CPU

}  // namespace

// What one core is connected to.
class Processors::Seat final : public CoreObserver {
 public:
  Seat(Processors& all, std::size_t cpu, CoreObserver& observer) : all_(all), cpu_(cpu), observer_(observer) {}

  void watched_load(Time now, std::uint64_t address) override {
    if (cpu_ == 0) observer_.watched_load(now, address);
  }
  void console(char byte) override { observer_.console(byte); }
  void stale_load(Time now, std::uint64_t address, const std::string& where) override { observer_.stale_load(now, address, where); }
  void statistics_table(std::uint64_t address) override { observer_.statistics_table(address); }
  void idle(Time now) override {
    if (cpu_ == 0) return observer_.idle(now);
    if (!observer_.keep_running(now)) all_.stop();
  }
  bool keep_running(Time now) override { return observer_.keep_running(now); }
  void start_cpu(Time now, const guest::cpu_start& start) override { all_.start(now, all_[cpu_], start); }
  void send_interrupt(Time now, std::uint64_t cpu, std::uint32_t vector) override { all_.send(now, all_[cpu_], cpu, vector); }

 private:
  Processors& all_;
  std::size_t cpu_;
  CoreObserver& observer_;
};

Processors::Processors(const Scenario& scenario, const Image& image, PhysicalMemory& memory, MemorySystem& caches, MmioFabric& mmio,
                       Timeline& timeline, KernelBridge& bridge, CoreObserver& observer)
    : timeline_(timeline), ipi_latency_(scenario.cpu.ipi_latency), image_(image) {
  for (std::size_t cpu = 0; cpu < scenario.platform.cores; ++cpu) {
    seats_.push_back(std::make_unique<Seat>(*this, cpu, observer));
    const std::string name = fmt::format("core{}", cpu);
    cores_.push_back(std::make_unique<Core>(name.c_str(), scenario.cpu, image, memory, caches.add_core(scenario.cpu.frequency), mmio,
                                            timeline, bridge, *seats_.back()));
    names_.push_back(scenario.platform.cores == 1 ? "core" : name);
  }
  watched_.resize(size());
  if (size() == 1) return;
  for (auto& core : cores_) core->share(scenario.run.quantum);
}

Processors::~Processors() = default;

bool Processors::others_at_rest() const {
  if (interrupts_on_their_way_ != 0) return false;
  return std::all_of(cores_.begin() + 1, cores_.end(),
                     [](const auto& core) { return core->off() || (core->idle() && !core->interrupted()); });
}

Time Processors::local_time() const {
  Time latest = cores_.front()->local_time();
  for (const auto& core : cores_) latest = std::max(latest, core->local_time());
  return latest;
}

Time Processors::settle() {
  if (size() == 1) return local_time();
  const Time latest = std::max(local_time(), KernelBridge::now());
  for (auto& core : cores_) core->account_for_sleep(latest);
  return latest;
}

std::uint64_t Processors::instructions() const {
  return sum([](const Core& core) { return core.counts().instructions; });
}
std::uint64_t Processors::total_instructions() const {
  return sum([](const Core& core) { return core.total_instructions(); });
}
std::uint64_t Processors::interrupts_taken() const {
  return sum([](const Core& core) { return core.interrupts_taken(); });
}
std::uint64_t Processors::copied_bytes() const {
  return sum([](const Core& core) { return core.copied_bytes(); });
}

void Processors::reset_counts() {
  for (auto& core : cores_) core->reset_counts();
}

std::string Processors::where() const {
  if (size() == 1) return boot_core().idle() ? "the guest waits for an interrupt" : "the guest spins in " + boot_core().where();
  std::string text;
  for (std::size_t cpu = 0; cpu < size(); ++cpu) {
    const Core& core = *cores_[cpu];
    const std::string what = core.off()    ? "is off"
                             : core.idle() ? "waits for an interrupt"
                                           : "is in " + core.where_and_callers();
    text += fmt::format("{}{} {}", cpu == 0 ? "" : "; ", name_of(cpu), what);
  }
  return text;
}

void Processors::check_others(Time now, Time patience, std::uint64_t progress) {
  for (std::size_t cpu = 1; cpu < size(); ++cpu) {
    const Core& core = *cores_[cpu];
    Watched& watched = watched_[cpu];
    const std::uint64_t mark = progress + core.interrupts_taken();
    if (core.off() || core.idle() || mark != watched.mark) {
      watched = {mark, now};
    } else if (now > watched.since + patience) {
      throw InvariantError(now, core.name(), fmt::format("no interrupt was taken and nothing read for run.watchdog: {}", where()));
    }
  }
}

void Processors::stop() {
  for (auto& core : cores_) core->stop();
}

void Processors::rethrow_failure() const {
  for (const auto& core : cores_) {
    if (core->failure() != nullptr) std::rethrow_exception(core->failure());
  }
}

bool Processors::exited() const {
  return std::any_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->ended() == Core::Ended::exited; });
}

void Processors::start(Time now, const Core& by, const guest::cpu_start& start) {
  const auto refuse = [&](const std::string& why) {
    throw InvariantError(now, by.name(), fmt::format("the guest starts CPU {} in {}: {}", start.cpu, by.where(), why));
  };
  if (start.cpu >= size()) refuse(fmt::format("the board has {}", size()));
  Core& core = *cores_[start.cpu];
  if (!core.off()) refuse("it is on");
  if (!image_.contains_code(start.entry)) refuse(fmt::format("{:#x} is not code", start.entry));
  core.boot(start.entry, start.argument, start.stack_top);
}

void Processors::send(Time now, const Core& by, std::uint64_t cpu, std::uint32_t vector) {
  if (cpu >= size()) {
    throw InvariantError(now, by.name(), fmt::format("the guest interrupts CPU {} in {}: the board has {}", cpu, by.where(), size()));
  }
  ++interrupts_on_their_way_;
  timeline_.schedule(now + ipi_latency_, *this, cpu << kVectorBits | vector);
}

void Processors::fire(Time now, std::uint64_t argument) {
  --interrupts_on_their_way_;
  cores_[argument >> kVectorBits]->interrupt(now, static_cast<std::uint32_t>(argument & ((1U << kVectorBits) - 1)));
}

}  // namespace ringside
