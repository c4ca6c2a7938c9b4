#include "tb/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::cli {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr std::string_view kCutOff = "\x1b[?7l";  // what does not fit on the terminal's line, so that it stays one line
constexpr std::string_view kWrap = "\x1b[?7h";

// Part of the run that is done, by whichever limit is nearer; 0 when none is set.
double fraction_done(const RunConfig& run, Time simulated, std::uint64_t packets) {
  double done = 0.0;
  if (run.packets != 0) done = static_cast<double>(packets) / static_cast<double>(run.warmup + run.packets);
  if (run.time.value != 0) done = std::max(done, to_us(simulated) / to_us(run.time));
  return std::min(done, 1.0);
}

}  // namespace

std::string live_text(const RunConfig& run, Time simulated, std::uint64_t packets, double mpps, double wall_s) {
  const double done = fraction_done(run, simulated, packets);
  const std::string eta = done > 0.0 ? fmt::format("{:.1f} s", wall_s * (1.0 - done) / done) : "unknown";
  return fmt::format("{:.3f} ms simulated   {:.2f} Mpps   {:.0f} k packets per second of wall time   ETA {}",
                     to_us(simulated) / 1e3, mpps, wall_s > 0.0 ? static_cast<double>(packets) / wall_s / 1e3 : 0.0, eta);
}

LiveLine::LiveLine(std::ostream& stream, const RunConfig& run, bool visible)
    : stream_(stream), run_(run), visible_(visible) {}

void LiveLine::update(Time simulated, std::uint64_t delivered_packets) {
  if (!visible_) return;
  const auto now = Clock::now();
  if (now - last_drawn_ < kRedrawInterval) return;
  const double window_us = to_us(simulated - last_simulated_);
  const double mpps = window_us > 0.0 ? static_cast<double>(delivered_packets - last_packets_) / window_us : 0.0;
  const double wall_s = std::chrono::duration<double>(now - started_).count();
  stream_ << kEraseLine << kCutOff << live_text(run_, simulated, delivered_packets, mpps, wall_s) << kWrap << std::flush;
  drawn_ = true;
  last_drawn_ = now;
  last_simulated_ = simulated;
  last_packets_ = delivered_packets;
}

void LiveLine::finish() {
  if (drawn_) stream_ << kEraseLine << std::flush;
  drawn_ = false;
}

std::uint64_t LiveLine::elapsed_us() const {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_).count());
}

}  // namespace ringside::cli
