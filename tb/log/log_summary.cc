#include "tb/log/log_summary.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "tb/log/packet_view.h"
#include "tb/report/figure_text.h"

namespace ringside {
namespace {

class SummaryView final : public PacketView {
 public:
  explicit SummaryView(const LogReader& reader) : PacketView(reader, {}) {}

  void ended(Time, std::uint64_t name, std::uint64_t count) override { summary_.ended[name] += count; }

  const LogSummary& finish() {
    history_.finish(Time{reader_.directory().totals.simulated});
    return summary_;
  }

 private:
  void closed(const PacketLife& packet) override {
    ++summary_.offered;
    if (packet.waited_for) ++summary_.waited_for[*packet.waited_for];
    if (packet.fate == Fate::in_flight) ++summary_.in_flight;
    if (packet.fate == Fate::dropped) ++summary_.dropped[packet.cause];
    if (packet.fate != Fate::delivered) return;
    ++summary_.delivered;
    for (std::size_t i = 0; i < kStages; ++i) summary_.stages[i] += packet.stages[i].value;
  }

  LogSummary summary_;
};

bool same(const std::vector<LogCount>& said, const std::map<std::uint64_t, std::uint64_t>& counted) {
  std::map<std::uint64_t, std::uint64_t> all;
  for (const LogCount& count : said) all[count.name] += count.packets;
  return all == counted;
}

double mean_ns(std::uint64_t picoseconds, std::uint64_t packets) {
  return packets == 0 ? 0 : static_cast<double>(picoseconds) / 1e3 / static_cast<double>(packets);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

LogSummary summarise(const LogReader& reader) {
  SummaryView view(reader);
  reader.replay(view);
  const LogSummary& found = view.finish();
  const LogTotals& said = reader.directory().totals;
  const bool agrees = said.offered == found.offered && said.delivered == found.delivered && said.in_flight == found.in_flight &&
                      same(said.dropped, found.dropped) && same(said.ended, found.ended);
  if (!agrees) {
    reader.fail(fmt::format("its records tell of {} packets, {} of them delivered, its totals of {} and {}", found.offered,
                            found.delivered, said.offered, said.delivered));
  }
  return found;
}

void print_summary(std::ostream& out, const LogReader& reader, const LogSummary& summary) {
  const LogHead& head = reader.head();
  const LogTotals& totals = reader.directory().totals;
  const double per_packet = static_cast<double>(reader.size()) / static_cast<double>(std::max<std::uint64_t>(summary.offered, 1));
  fmt::print(out, "{}, seed {}: {} on {}, {}\n", head.scenario, head.seed, head.device, head.fabric, head.core);
  fmt::print(out, "{} bytes in {} blocks, {:.1f} bytes per packet\n", grouped(reader.size()), reader.directory().blocks.size(), per_packet);
  fmt::print(out, "{:.2f} us of simulated time; ended: {}; fingerprint {:016x}\n", to_us(Time{totals.simulated}),
             reader.name_of(totals.stop_reason), totals.fingerprint);
  std::uint64_t dropped = 0;
  for (const auto& [cause, packets] : summary.dropped) dropped += packets;
  fmt::print(out, "\npackets: {} offered = {} delivered + {} dropped + {} in flight\n", grouped(summary.offered),
             grouped(summary.delivered), grouped(dropped), grouped(summary.in_flight));
  for (const auto& [cause, packets] : summary.dropped) {
    fmt::print(out, "{:>6.1f} %  {} {}\n", percent(packets, summary.offered), reader.name_of(cause), grouped(packets));
  }
  if (!summary.ended.empty()) {
    fmt::print(out, "delivered packets ended as:");
    for (const auto& [name, packets] : summary.ended) fmt::print(out, " {} {}", reader.name_of(name), grouped(packets));
    out << '\n';
  }
  fmt::print(out, "\n{:>12}  stage of a delivered packet, on average\n", "ns");
  for (std::size_t i = 0; i < kStages; ++i) {
    fmt::print(out, "{:>12.1f}  {}\n", mean_ns(summary.stages[i], summary.delivered), name(static_cast<Stage>(i)));
  }
  if (summary.waited_for.empty()) return;
  fmt::print(out, "\n{:>8}  of the packets waited longest for\n", "share");
  for (const auto& [resource, packets] : summary.waited_for) {
    fmt::print(out, "{:>6.1f} %  {}\n", percent(packets, summary.offered), name(resource, head));
  }
}

}  // namespace ringside
