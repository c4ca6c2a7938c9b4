#include "tb/board/run_log.h"

namespace ringside {

namespace {

LogHead head_of(const Scenario& scenario, const Device& device) {
  const bool soc = scenario.driver.name == "stmmac";
  LogHead head;
  head.scenario = scenario.name;
  head.seed = scenario.run.seed;
  head.device = soc ? scenario.platform.dwmac_model : scenario.platform.nic_model;
  head.fabric = device.fabric_name();
  head.core = "core0";
  head.wire_rate = scenario.wire.rate.value;
  head.buffer_bytes = (soc ? scenario.dwmac.rx_fifo : scenario.nic.packet_buffer).value;
  head.credit_headers = soc ? scenario.axi.writes : scenario.pcie.posted_headers;
  head.credit_data = soc ? 0 : scenario.pcie.posted_data;
  return head;
}

}  // namespace

RunLog::RunLog(const Scenario& scenario, const Image& image, Device& device, EthernetWire& wire, PacketTracker& tracker)
    : image_(image), recorder_(scenario.event_log, head_of(scenario, device), tracker) {
  device.set_observer(recorder_);
  device.set_detail_observers(recorder_, recorder_);
  wire.set_frame_observer(&recorder_);
}

void RunLog::start_traffic(Core& core, const PhysicalMemory& memory, std::uint64_t statistics_table) {
  core.observe_calls(this);
  for (GuestCounter& counter : guest_counters(memory, statistics_table)) {
    if (ends_packet(counter.name)) ends_.push_back({std::move(counter), 0});
  }
}

void RunLog::entered(Time now, FunctionId function) {
  const std::vector<std::string>& names = image_.function_names();
  while (functions_.size() <= function) functions_.push_back(recorder_.writer().string(names[functions_.size()]));
  recorder_.writer().call(now, functions_[function]);
}

void RunLog::left(Time now, FunctionId) { recorder_.writer().leave(now); }

void RunLog::read(Time now, const PacketTracker::Consumed& packet) {
  look_at_ends(now);
  recorder_.read(now, packet.sequence, packet.delivered);
}

void RunLog::look_at_ends(Time now) {
  for (End& end : ends_) {
    const std::uint64_t value = end.counter.value();
    if (value == end.seen) continue;
    recorder_.ended(now, end.counter.name, value - end.seen);
    end.seen = value;
  }
}

void RunLog::finish(const RunResult& result) {
  look_at_ends(result.simulated);
  LogWriter& writer = recorder_.writer();
  LogTotals totals;
  totals.offered = result.packets.offered;
  totals.delivered = result.packets.delivered;
  totals.in_flight = result.packets.in_flight;
  for (const auto& [name, packets] : result.packets.dropped) totals.dropped.push_back({writer.string(name), packets});
  for (const auto& [name, packets] : result.packets.ended) totals.ended.push_back({writer.string(name), packets});
  totals.simulated = result.simulated.value;
  totals.fingerprint = result.fingerprint;
  totals.stop_reason = writer.string(name(result.stop_reason));
  writer.finish(std::move(totals));
}

}  // namespace ringside
