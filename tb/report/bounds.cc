#include "tb/report/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/connectx/hw/cqe.h"
#include "model/dwmac/hw/desc.h"
#include "model/fabric/credit_pool.h"
#include "model/wire/frame.h"
#include "tb/report/measures.h"
#include "tb/report/rounding.h"
#include "tb/scenario/quantity.h"

namespace ringside {
namespace {

using Wide = unsigned __int128;
using From = Bound::From;

constexpr Wide kMega = 1'000'000;
constexpr Wide kHardly = 10'000;  // what is used for less than this part of the time bounds nothing that anybody will reach

std::string text(Time time) { return format_quantity(time.value, Dimension::time); }
std::string text(Frequency clock) { return format_quantity(clock.value, Dimension::frequency); }

std::uint64_t whole(std::uint64_t parts, std::uint64_t size) { return (parts + size - 1) / size; }

// Bytes of the mean frame in the window, FCS included, rounded to whole ones.
std::uint64_t mean_frame(const Window& window) { return (window.frame_bytes.value + window.packets / 2) / window.packets; }

// At `bytes` of the resource for each packet.
double mpps_at(Bandwidth rate, std::uint64_t bytes) { return rounded_ratio(rate.value, Wide{bytes} * 8 * kMega); }

// `at_once` in flight, each for `time`: Little's law.
double mpps_in_flight(std::uint64_t at_once, Time time, std::uint64_t per_packet) {
  return rounded_ratio(Wide{at_once} * kMega, Wide{time.value} * per_packet);
}

Bound of_wire(const Scenario& scenario, const Window& window) {
  const Wide bytes = Wide{window.frame_bytes.value} + Wide{window.packets} * kWireOverheadBytes;
  return {"wire", rounded_ratio(Wide{scenario.wire.rate.value} * window.packets, bytes * 8 * kMega), From::configuration,
          fmt::format("{} / ({} B of frame + {} B of preamble and gap)", format_quantity(scenario.wire.rate.value, Dimension::bandwidth), mean_frame(window),
                      kWireOverheadBytes)};
}

// A frame's TLPs and its completion entry; reads of receive WQEs take a little of the same direction.
void of_pcie(const Scenario& scenario, const Window& window, std::vector<Bound>& bounds) {
  const PcieConfig& link = scenario.pcie;
  const std::uint64_t data = mean_frame(window) - kFcsBytes;
  const std::uint64_t tlps = whole(data, link.mps.value) + 1;
  const std::uint64_t header = (link.framing + link.request_header).value;
  constexpr std::uint64_t kEntry = sizeof(connectx::cqe64);
  bounds.push_back({"pcie upstream", mpps_at(link.tlp_bandwidth(), data + kEntry + tlps * header), From::configuration,
                    fmt::format("{:.2f} Gbps of TLPs / ({} B of data + {} B of completion + {} TLPs with {} B of header)",
                                rounded_ratio(link.tlp_bandwidth().value, 1'000'000'000), data, kEntry, tlps, header)});
  const Time held = link.upstream_latency + link.root_latency + link.credit_latency;
  if (link.posted_headers != 0) {
    bounds.push_back({"pcie posted headers", mpps_in_flight(link.posted_headers, held, tlps), From::configuration,
                      fmt::format("{} credits, each held for {} or longer / {} TLPs", link.posted_headers, text(held), tlps)});
  }
  if (link.posted_data != 0) {
    const std::uint64_t credits = whole(data, kDataCreditBytes) + whole(kEntry, kDataCreditBytes);
    bounds.push_back({"pcie posted data", mpps_in_flight(link.posted_data, held, credits), From::configuration,
                      fmt::format("{} credits of {} B, each held for {} or longer / {} of them", link.posted_data,
                                  kDataCreditBytes, text(held), credits)});
  }
}

void of_connectx(const Scenario& scenario, const Window& window, std::vector<Bound>& bounds) {
  of_pcie(scenario, window, bounds);
  bounds.push_back({"nic rx engine", rounded_ratio(kMega, scenario.nic.packet_interval().value), From::configuration,
                    fmt::format("one packet in {}", text(scenario.nic.packet_interval()))});
}

// A frame's beats and those of its descriptor's write-back.
void of_dwmac(const Scenario& scenario, const Window& window, std::vector<Bound>& bounds) {
  const AxiConfig& bus = scenario.axi;
  const std::uint64_t data = mean_frame(window) - kFcsBytes;
  const std::uint64_t beats = whole(data, bus.bus_width.value) + whole(sizeof(dwmac::dma_desc), bus.bus_width.value);
  const Time on_bus = transfer_time(bus.bus_width * beats, bus.bandwidth());
  bounds.push_back({"axi write channel", rounded_ratio(kMega, on_bus.value), From::configuration,
                    fmt::format("{} / {} beats of {} B", text(bus.clock), beats, bus.bus_width.value)});
  const Time descriptor = scenario.dwmac.rx_descriptor + on_bus;
  bounds.push_back({"dwmac receive DMA", rounded_ratio(kMega, descriptor.value), From::configuration,
                    fmt::format("one descriptor in {} and {} on the bus", text(scenario.dwmac.rx_descriptor), text(on_bus))});
  const std::uint64_t bursts = whole(whole(data, bus.bus_width.value), bus.max_burst) + 1;
  const Time held = on_bus + bursts * (bus.request_latency + bus.response_latency);
  bounds.push_back({"axi outstanding writes", mpps_in_flight(bus.writes, held, 1), From::configuration,
                    fmt::format("{} bursts at a time / {} that the {} bursts of a packet take", bus.writes, text(held), bursts)});
}

Bound of_core(const Limit& limit, const Window& window) {
  return {limit.resource, rounded_ratio(Wide{window.frequency.value} * window.packets, Wide{limit.used} * 1'000), From::measured_work,
          fmt::format("{} / {:.2f} busy cycles of a packet", text(window.frequency), rounded_ratio(limit.used, window.packets))};
}

Bound of_measured(const Limit& limit, const Window& window) {
  const Wide time = Wide{limit.used} * (window.end - window.start).value;
  return {limit.resource, rounded_ratio(Wide{window.packets} * limit.capacity * kMega, time), From::measured_work,
          fmt::format("busy for {:.3f} ns of a packet", rounded_ratio(time, Wide{limit.capacity} * window.packets * 1'000))};
}

}  // namespace

std::vector<Bound> bounds(const Scenario& scenario, const RunResult& run) {
  std::vector<Bound> all;
  const Window& window = run.window;
  if (window.packets == 0 || mean_frame(window) <= kFcsBytes) return all;
  all.push_back(of_wire(scenario, window));
  if (scenario.driver.name == "stmmac") {
    of_dwmac(scenario, window, all);
  } else {
    of_connectx(scenario, window, all);
  }
  for (const Limit& limit : run.limits) {
    const auto same = [&](const Bound& bound) { return bound.resource == limit.resource; };
    if (limit.used == 0 || Wide{limit.used} * kHardly < limit.capacity || std::any_of(all.begin(), all.end(), same)) continue;
    all.push_back(limit.resource.starts_with("core") ? of_core(limit, window) : of_measured(limit, window));
  }
  std::stable_sort(all.begin(), all.end(), [](const Bound& a, const Bound& b) { return a.mpps < b.mpps; });
  return all;
}

}  // namespace ringside
