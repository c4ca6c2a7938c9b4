#include "tb/board/board.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/guest/contract.h"
#include "tb/board/board_info.h"

namespace ringside {

namespace {

constexpr Time kTick = microseconds(100);         // how often the run is looked after while the core sleeps
constexpr std::uint64_t kBatchPackets = 4096;     // of the convergence test
// Packets offered in a row after which none is expected to get through. Filled rings and the longest interrupt moderation,
// 4 ms at 148.8 Mpps, stay below it.
constexpr std::uint64_t kHopeless = 1'000'000;
constexpr std::size_t kStaleLoadsKept = 16;  // of which a report names place and time
enum TimerArgument : std::uint64_t { kLook, kTimeIsUp };

const Image& checked(const Image& image, const Scenario& scenario) {
  if (image.architecture() == scenario.cpu.isa()) return image;
  throw InputError(fmt::format("{}: an image for {}; cpu.model \"{}\" is allowed to run one for {}", image.path(),
                               name(image.architecture()), scenario.platform.cpu_model, name(scenario.cpu.isa())));
}

// By the path that packets take through the driver and the stack.
Time residual_of(const Scenario& scenario) {
  const DriverConfig& driver = scenario.driver;
  if (driver.xdp == "tx" || redirects(driver.xdp)) return scenario.residual.tx;
  const bool passed = driver.xdp == "none" || driver.xdp.empty() || driver.xdp == "pass";
  return passed && driver.stack == "tcp" ? scenario.residual.tcp : scenario.residual.drop;
}

PhysAddr ram_end(const Scenario& scenario) { return PhysAddr{guest::kRamBase + scenario.memory.ram_size.value}; }

}  // namespace

Board::Board(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted)
    : scenario_(scenario),
      progress_(progress),
      interrupted_(interrupted),
      bridge_("bridge", timeline_),
      memory_(PhysAddr{guest::kRamBase}, scenario.memory.ram_size),
      caches_(memory_, scenario.memory),
      image_(scenario.image.string(), ram_end(scenario)),
      traffic_(make_traffic(scenario.traffic, scenario.run.seed, timeline_)),
      device_(make_device(scenario, timeline_, memory_, caches_, *this)),
      wire_("wire", scenario.wire, timeline_, *traffic_, device_->port()),
      cpus_(scenario, (image_.load(memory_), checked(image_, scenario)), memory_, caches_, device_->mmio(), timeline_, bridge_, *this),
      core_(cpus_.boot_core()),
      tracker_(timeline_),
      counter_guide_(scenario.data / "src" / "driver" / "counters.toml") {
  set_up_coherence();
  residual_ = residual_of(scenario);
  device_->set_observer(tracker_);
  if (!scenario.event_log.empty()) log_ = std::make_unique<RunLog>(scenario, image_, *device_, wire_, tracker_);
  window_start_.device_busy = device_->busy();
  window_start_.cycles.resize(cpus_.size());
  device_->set_link(traffic_->peer(), &wire_);
  wire_.set_observer(&tracker_);
  wire_.register_statistics(wire_statistics_);
  caches_.register_statistics(memory_statistics_);
  traffic_->register_statistics(peer_statistics_);
}

Board::~Board() = default;

void Board::set_up_coherence() {
  const bool snoops = scenario_.memory.dma_snoops;
  if (snoops && scenario_.driver.dma_coherent) return;
  if (scenario_.cpu.isa() != Architecture::aarch64) {
    const char* const name = snoops ? "driver.dma_coherent" : "memory.dma_snoops";
    throw InputError(fmt::format("{}: {} is false; allowed only where the guest can maintain its caches, on AArch64",
                                 scenario_.settings.place_of(name), name));
  }
  const PhysAddr end = ram_end(scenario_);
  dram_image_ = std::make_unique<DramImage>(memory_, PhysAddr{end.value - uncached_size(scenario_)}, end);
  caches_.set_dram_image(*dram_image_, snoops);
  const auto how = scenario_.memory.invalidate == "discard" ? DramImage::Invalidate::discard : DramImage::Invalidate::clean;
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) cpus_[cpu].set_dram_image(*dram_image_, how);
}

void Board::stale_load(Time now, std::uint64_t address, const std::string& where) {
  if (stale_loads_.size() < kStaleLoadsKept) stale_loads_.push_back({now, address, where});
}

RunResult Board::run() {
  const std::uint64_t stack_top = write_board_info(scenario_, image_, memory_);
  core_.boot(image_.entry(), guest::kRamBase, stack_top);
  timeline_.schedule(kTick, *this, kLook);
  if (scenario_.run.time.value != 0) timeline_.schedule(scenario_.run.time, *this, kTimeIsUp);
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);  // "stopped by user"
  std::string error;
  try {
    sc_core::sc_start();
    cpus_.rethrow_failure();
    // The kernel ran out of events while the cores sleep: either all is done, or all wait for each other.
    if (!ended_ && !cpus_.exited() && core_.ended() == Core::Ended::running && !quiet()) error = stuck();
    if (!ended_ && cpus_.exited()) reason_ = StopReason::exited;
    account_for_all_packets();
  } catch (const InvariantError& broken) {
    error = broken.what();
  }
  RunResult result = this->result();
  if (!error.empty()) {
    result.stop_reason = StopReason::error;
    result.error = error;
  }
  if (log_ != nullptr) log_->finish(result);
  return result;
}

void Board::start_traffic(Time now) {
  traffic_started_ = true;
  watch_completions();
  recorder_.start(now, readings());
  if (log_ != nullptr) log_->start_traffic(core_, memory_, guest_statistics_);
  wire_.start(now);
  window_target_ = scenario_.run.warmup;
  start_window();
  warmed_up_ = scenario_.run.warmup == 0;
  if (warmed_up_) window_target_ = scenario_.run.packets;
}

// The core reports loads from the smallest range that holds all rings.
void Board::watch_completions() {
  const std::vector<Device::Range> completions = device_->completions();
  std::vector<PacketTracker::Ring> rings;
  std::uint64_t begin = ~std::uint64_t{0}, end = 0, entry = 1;
  for (const Device::Range& range : completions) {
    rings.push_back({range.begin, range.end});
    begin = std::min(begin, range.begin);
    end = std::max(end, range.end);
    entry = range.entry;
  }
  core_.watch(std::min(begin, end), end);
  tracker_.set_rings(rings, entry);
}

void Board::start_window() {
  cpus_.settle();
  cpus_.reset_counts();
  tracker_.start_window();
  window_start_ = totals();
  batch_start_ = window_start_.at;
  batch_end_ = window_start_.delivered + kBatchPackets;
}

void Board::end(Time now, StopReason reason) {
  if (ended_) return;
  ended_ = true;
  ended_at_ = now;
  reason_ = reason;
  wire_.stop();
  cpus_.stop();
}

void Board::watched_load(Time now, std::uint64_t address) {
  record(now);
  if (ended_) return;
  const auto packet = tracker_.slot_read(now, address);
  if (!packet) return;
  if (log_ != nullptr) log_->read(now, *packet);
  core_.occupy(residual_);
  const std::uint64_t delivered = tracker_.delivered();
  if (delivered == batch_end_) {
    convergence_.add_batch(now - batch_start_);
    batch_start_ = now;
    batch_end_ += kBatchPackets;
    progress_.update(now, delivered);
    const bool known = scenario_.run.converge != 0 && warmed_up_ && convergence_.reached(scenario_.run.converge);
    if (known) return end(now, StopReason::converged);
  }
  if (delivered != window_target_ || window_target_ == 0) return;
  if (warmed_up_) return end(now, StopReason::packets);
  warmed_up_ = true;
  window_target_ = scenario_.run.packets == 0 ? 0 : delivered + scenario_.run.packets;
  convergence_ = Convergence();
  start_window();
}

void Board::console(char byte) { console_ += byte; }

// The guest's first wait ends its set-up: the link comes up. Ending here rather than at the next look keeps a wait for
// nothing out of the measured window.
void Board::idle(Time now) {
  if (log_ != nullptr) log_->sleeps(now);
  if (!traffic_started_) start_traffic(now);
  if (quiet() && cpus_.others_at_rest()) end(now, StopReason::exhausted);
}

void Board::interrupt(Time now, std::uint32_t vector) {
  record(now);
  core_.interrupt(now, vector);
}

bool Board::keep_running(Time now) {
  check_progress(now);
  return !ended_;
}

void Board::fire(Time now, std::uint64_t argument) {
  record(now);
  if (argument == kTimeIsUp) return end(now, StopReason::time);
  check_progress(now);
  if (!ended_) timeline_.schedule(now + kTick, *this, kLook);
}

// Nothing more will happen: every offered packet has been counted somewhere.
bool Board::quiet() const {
  return traffic_started_ && wire_.exhausted() && device_->packets_inside() == 0 && tracker_.unread() == 0;
}

void Board::check_progress(Time now) {
  if (ended_) return;
  if (interrupted_) return end(now, StopReason::interrupted);
  if (quiet() && core_.idle() && cpus_.others_at_rest()) return end(now, StopReason::exhausted);
  check_delivery(now);
  const std::uint64_t mark = tracker_.delivered() + core_.interrupts_taken() + (traffic_started_ ? 1 : 0);
  const bool nothing_to_do = core_.idle() && device_->packets_inside() == 0 && tracker_.unread() == 0;
  if (mark != progress_mark_ || nothing_to_do) {
    progress_mark_ = mark;
    progress_at_ = now;
  }
  const Time watchdog = scenario_.run.watchdog;
  if (watchdog.value == 0) return;
  if (now > progress_at_ + watchdog) throw InvariantError(now, "core0", stuck());
  if (cpus_.size() > 1) cpus_.check_others(now, watchdog, bytes_read().value_or(0));
}

// run.packets and run.converge count what is delivered, and would wait for ever where nothing is: every packet is dropped, or
// completions are not those that the guest reads.
void Board::check_delivery(Time now) {
  const std::uint64_t offered = tracker_.offered();
  if (tracker_.delivered() != progress_delivered_) {
    progress_delivered_ = tracker_.delivered();
    progress_offered_ = offered;
  }
  if (scenario_.run.time.value == 0 && offered - progress_offered_ >= kHopeless) end(now, StopReason::undelivered);
}

std::string Board::stuck() const {
  std::string text = fmt::format("no packet was read and no interrupt taken for run.watchdog: {}; {}", cpus_.where(), device_->waiting_for());
  while (text.ends_with('\n')) text.pop_back();
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("; ") : std::string(1, c);
  return line;
}

void Board::account_for_all_packets() const {
  const Time now = timeline_.now();
  device_->check_conservation(now);
  const std::uint64_t in_flight = device_->packets_inside() + tracker_.unread();
  if (tracker_.offered() != tracker_.delivered() + tracker_.dropped() + in_flight) {
    throw InvariantError(now, "board",
                         fmt::format("packets are conserved: offered {} = delivered {} + dropped {} + in flight {}",
                                     tracker_.offered(), tracker_.delivered(), tracker_.dropped(), in_flight));
  }
}

}  // namespace ringside
