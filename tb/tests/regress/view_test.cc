// Views of a run's event log: each says the same as the report, and is read by what it is for.
#include <gmock/gmock.h>
#include <pcap/pcap.h>

#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tb/image/process.h"
#include "tb/tests/regress/capture_file.h"
#include "tb/tests/regress/ringside_run.h"
#include "tb/tests/support/trace_rules.h"
#include "tb/tests/support/vcd_file.h"
#include "tb/tests/temporary_folder.h"

namespace ringside::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Scene {
  const char* name;
  const char* scenario;
  std::vector<std::string> settings;
};
void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.scenario << " " << testing::PrintToString(scene.settings); }

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') fields.emplace_back();
    else fields.back() += c;
  }
  return fields;
}

// The rows of a CSV file by column name.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  const auto names = fields_of(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(stream, line)) {
    const auto fields = fields_of(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

struct CaptureSummary {
  std::uint64_t packets = 0;
  bool in_order = true;
  bool nanoseconds = false;
  int snap_length = 0;
  std::uint64_t longest = 0;
};

CaptureSummary read_capture(const std::filesystem::path& file) {
  char error[PCAP_ERRBUF_SIZE];
  const std::unique_ptr<pcap_t, void (*)(pcap_t*)> capture(
      ::pcap_open_offline_with_tstamp_precision(file.c_str(), PCAP_TSTAMP_PRECISION_NANO, error), ::pcap_close);
  CaptureSummary found;
  if (capture == nullptr) {
    ADD_FAILURE() << error;
    return found;
  }
  found.snap_length = ::pcap_snapshot(capture.get());
  EXPECT_EQ(::pcap_datalink(capture.get()), DLT_EN10MB);
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  std::int64_t last = 0;
  int status = 0;
  while ((status = ::pcap_next_ex(capture.get(), &header, &bytes)) == 1) {
    const std::int64_t at = header->ts.tv_sec * 1'000'000'000 + header->ts.tv_usec;
    found.in_order = found.in_order && at >= last;
    found.nanoseconds = found.nanoseconds || at % 1000 != 0;
    EXPECT_EQ(header->caplen, std::min<bpf_u_int32>(header->len, 128));
    found.longest = std::max<std::uint64_t>(found.longest, header->len);
    last = at;
    ++found.packets;
  }
  EXPECT_EQ(status, PCAP_ERROR_BREAK) << "read to its end";
  return found;
}

class View : public testing::Test {
 protected:
  std::string ringside(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RINGSIDE_PROGRAM);
    status_ = run_process(arguments, folder_.path(), folder_.path() / "output");
    return folder_.read("output");
  }
  void simulate(const Scene& scene, const std::string& out, bool logged) {
    std::vector<std::string> arguments{"run", scene.scenario, "--quiet", "--out", out};
    if (logged) arguments.insert(arguments.end(), {"--log", "run.rlog"});
    for (const auto& setting : scene.settings) arguments.insert(arguments.end(), {"--set", setting});
    const std::string output = ringside(arguments);
    ASSERT_EQ(status_, 0) << output;
  }
  Report report(const std::string& file) const {
    Report all = Report::parse(folder_.read(file));
    all.erase("host");
    return all;
  }

  TemporaryFolder folder_;
  int status_ = 0;
};

class ViewOf : public View, public testing::WithParamInterface<Scene> {
 protected:
  void SetUp() override {
    simulate(GetParam(), "logged.json", true);
    result_ = report("logged.json");
    packets_ = result_["result"]["packets"];
  }
  std::uint64_t packets(const char* key) const { return packets_[key].get<std::uint64_t>(); }
  std::uint64_t dropped() const { return total(packets_["dropped"]); }

  Report result_, packets_;
};

TEST_P(ViewOf, TheLogChangesNothing) {
  simulate(GetParam(), "plain.json", false);
  EXPECT_EQ(report("plain.json"), result_);
}

// The program itself compares the records with the totals.
TEST_P(ViewOf, TheSummarySaysWhatTheReportSays) {
  const std::string text = ringside({"view", "run.rlog"});
  EXPECT_EQ(status_, 0) << text;
  EXPECT_THAT(text, HasSubstr("fingerprint " + result_["fingerprint"].get<std::string>()));
  for (const auto& [cause, count] : packets_["dropped"].items()) EXPECT_THAT(text, HasSubstr("  " + cause + " "));
}

TEST_P(ViewOf, TheTableHasEveryPacketAndItsStagesAddUp) {
  const std::string output = ringside({"view", "run.rlog", "--csv", "packets.csv"});
  ASSERT_EQ(status_, 0) << output;
  std::map<std::string, std::uint64_t> fates, causes, verdicts;
  std::uint64_t expected = 0, latest = 0;
  for (auto& row : rows_of(folder_.read("packets.csv"))) {
    const auto ps = [&row](const std::string& name) { return std::stoull(row.at(name)); };
    ASSERT_EQ(ps("packet"), expected++);
    ASSERT_EQ(ps("total_ps"), ps("wire_ps") + ps("buffer_ps") + ps("descriptor_ps") + ps("dma_ps") + ps("completion_ps") + ps("ring_ps"));
    ASSERT_EQ(ps("end_ps"), ps("start_ps") + ps("total_ps"));
    ASSERT_GE(ps("start_ps"), latest);
    latest = ps("start_ps");
    ++fates[row["fate"]];
    if (row["fate"] == "dropped") ++causes[row["drop_cause"]];
    if (!row["verdict"].empty()) ++verdicts[row["verdict"]];
    if (row["fate"] == "delivered") {
      ASSERT_GT(ps("dma_ps"), 0U);
    }
  }
  EXPECT_EQ(expected, packets("offered"));
  EXPECT_EQ(fates["delivered"], packets("delivered"));
  EXPECT_EQ(fates["in flight"], packets("in_flight"));
  for (const auto& [cause, count] : packets_["dropped"].items()) EXPECT_EQ(causes[cause], count) << cause;
  for (const auto& [verdict, count] : verdicts) EXPECT_LE(count, packets_["ended"][verdict].get<std::uint64_t>()) << verdict;
  if (result_["config"]["driver.xdp"]["value"] == "drop" && result_["config"]["driver.name"]["value"] == "mlx5e") {
    EXPECT_EQ(verdicts["rx_xdp_drop"], packets_["ended"]["rx_xdp_drop"]) << "one after the other: each is known";
  }
}

TEST_P(ViewOf, CapturesHaveTheSamePackets) {
  const std::string output = ringside({"view", "run.rlog", "--pcap", "run"});
  ASSERT_EQ(status_, 0) << output;
  for (const auto& [name, count] : {std::pair{"wire", packets("offered")}, {"delivered", packets("delivered")}, {"dropped", dropped()}}) {
    const auto file = folder_.path() / (std::string("run.") + name + ".pcap");
    const CaptureSummary found = read_capture(file);
    EXPECT_EQ(found.packets, count) << name;
    EXPECT_TRUE(found.in_order) << name;
    EXPECT_EQ(found.snap_length, 128);
    EXPECT_TRUE(found.nanoseconds || count < 10);
    if (std::filesystem::exists("/usr/bin/tshark") && count != 0) {
      EXPECT_EQ(run_process({"tshark", "-r", file, "-c", "100", "-T", "fields", "-e", "frame.number"}, folder_.path(), folder_.path() / "shark"), 0);
      EXPECT_THAT(folder_.read("shark"), Not(HasSubstr("malformed")));
    }
  }
}

TEST_P(ViewOf, TheTimelineKeepsTheRulesAndHasEveryPacket) {
  const std::string output = ringside({"view", "run.rlog", "--perfetto", "trace.json"});
  ASSERT_EQ(status_, 0) << output;
  const auto json = nlohmann::json::parse(folder_.read("trace.json"));
  const TraceRules trace(json);
  EXPECT_THAT(trace.broken(), IsEmpty());
  EXPECT_EQ(trace.slices("received"), packets("offered"));
  EXPECT_EQ(trace.slices("drops"), dropped());
  EXPECT_EQ(trace.arrow_ends("drops"), dropped());
  EXPECT_EQ(trace.arrow_ends("core0"), packets("delivered")) << "an arrow for each, from the wire to the function that read it";
  EXPECT_EQ(json["otherData"]["delivered"], packets("delivered"));
  EXPECT_EQ(json["otherData"]["in_flight"], packets("in_flight"));
}

TEST_P(ViewOf, SignalsChangeWithinTheWindow) {
  const auto end = result_["result"]["simulated_ps"].get<std::uint64_t>();
  const auto start = result_["timeline"]["start_ps"].get<std::uint64_t>();  // of the traffic; before it the guest boots
  const std::uint64_t begins = start + (end - start) / 10, ends = end - (end - start) / 10;
  const std::string from = std::to_string(begins) + " ps", to = std::to_string(ends) + " ps";
  const std::string output = ringside({"view", "run.rlog", "--vcd", "run.vcd", "--from", from, "--to", to});
  ASSERT_EQ(status_, 0) << output;
  const VcdFile vcd(folder_.read("run.vcd"));
  EXPECT_EQ(vcd.error(), "");
  EXPECT_GE(vcd.first_change(), begins);
  EXPECT_LE(vcd.last_change(), ends);
  EXPECT_GT(vcd.changes("core.core0"), 10U);
  EXPECT_GT(vcd.changes("wire.received"), 2U);
  ringside({"view", "run.rlog", "--vcd", "again.vcd", "--from", from, "--to", to});
  EXPECT_EQ(folder_.read("again.vcd"), folder_.read("run.vcd")) << "the same log gives the same file";
}

std::vector<std::string> brief(std::vector<std::string> settings, std::uint64_t warmup, std::uint64_t packets) {
  settings.insert(settings.end(), {"run.converge=0", "run.warmup=" + std::to_string(scaled(warmup)), "run.packets=" + std::to_string(scaled(packets))});
  return settings;
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ViewOf,
    testing::Values(
        Scene{"Overload", "mlx5e-xdp-drop", brief({}, 500, 4000)},
        Scene{"NarrowLink", "mlx5e-xdp-drop",
              brief({"pcie.generation=3", "pcie.lanes=4", "traffic.frame_size=1518", "traffic.rate=8 Mpps", "nic.packet_buffer=64 KiB"}, 500, 3000)},
        Scene{"StridingMix", "mlx5e-xdp-drop", brief({"driver.rx_striding_rq=true", "traffic.pattern=imix", "traffic.flows=7"}, 500, 3000)},
        Scene{"Transmit", "mlx5e-xdp-drop", brief({"driver.xdp=tx"}, 500, 3000)},
        Scene{"Stack", "mlx5e-raw-drop", brief({}, 500, 3000)},
        Scene{"Tcp", "stmmac-tcp", brief({}, 500, 2000)},
        Scene{"TwoCores", "stmmac-tcp-two-cores", brief({}, 500, 2000)},
        Scene{"StmmacUdp", "stmmac-tcp",
              brief({"traffic.pattern=constant", "traffic.frame_size=256", "driver.stack=raw-drop"}, 200, 1500)}),
    [](const auto& info) { return info.param.name; });

// The default scenario, for as long as it takes to converge.
TEST_F(View, TheLogOfTheMainScenarioIsSmall) {
  simulate({"", "mlx5e-xdp-drop", brief({}, 4000, 40'000)}, "report.json", true);
  const auto offered = report("report.json")["result"]["packets"]["offered"].get<std::uint64_t>();
  EXPECT_LE(std::filesystem::file_size(folder_.path() / "run.rlog"), 200 * offered);
}

TEST_F(View, WindowsOfTheTableAreTheWholeTogether) {
  simulate({"", "mlx5e-xdp-drop", brief({}, 500, 4000)}, "report.json", true);
  ringside({"view", "run.rlog", "--csv", "all.csv"});
  const auto rows = rows_of(folder_.read("all.csv"));
  const std::string middle = rows[rows.size() / 2].at("start_ps");
  ringside({"view", "run.rlog", "--csv", "first.csv", "--to", middle + " ps"});
  ringside({"view", "run.rlog", "--csv", "second.csv", "--from", std::to_string(std::stoull(middle) + 1) + " ps"});
  EXPECT_EQ(status_, 0);
  auto together = rows_of(folder_.read("first.csv"));
  EXPECT_GT(together.size(), rows.size() / 3);
  const auto second = rows_of(folder_.read("second.csv"));
  together.insert(together.end(), second.begin(), second.end());
  ASSERT_EQ(together.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(together[i].at("packet"), rows[i].at("packet"));
    EXPECT_EQ(together[i].at("total_ps"), rows[i].at("total_ps"));
    EXPECT_EQ(together[i].at("fate"), rows[i].at("fate"));
    EXPECT_EQ(together[i].at("drop_cause"), rows[i].at("drop_cause"));
  }
}

TEST_F(View, CapturesGiveBackTheFramesThatWereReplayed) {
  folder_.write("in.pcap", capture(25));
  simulate({"", "mlx5e-xdp-drop", {"traffic.pcap=in.pcap", "run.warmup=0", "run.packets=0", "run.converge=0"}}, "report.json", true);
  ringside({"view", "run.rlog", "--pcap", "out"});
  ASSERT_EQ(status_, 0);
  const auto bytes_of = [this](const char* name) {
    char error[PCAP_ERRBUF_SIZE];
    const std::unique_ptr<pcap_t, void (*)(pcap_t*)> file(::pcap_open_offline((folder_.path() / name).c_str(), error), ::pcap_close);
    std::vector<std::string> frames;
    pcap_pkthdr* header = nullptr;
    const u_char* bytes = nullptr;
    while (file != nullptr && ::pcap_next_ex(file.get(), &header, &bytes) == 1) frames.emplace_back(bytes, bytes + header->caplen);
    return frames;
  };
  EXPECT_EQ(bytes_of("out.wire.pcap"), bytes_of("in.pcap"));
  EXPECT_EQ(bytes_of("out.delivered.pcap"), bytes_of("in.pcap"));
}

TEST_F(View, ARunThatBreaksLeavesACompleteLog) {
  ringside({"run", "mlx5e-xdp-drop", "--quiet", "--log", "broken.rlog", "--image", test_image_path("bench-x86-64-gcc-none"), "--set", "driver.xdp=read-null"});
  EXPECT_EQ(status_, 3);
  EXPECT_THAT(ringside({"view", "broken.rlog"}), HasSubstr("ended: error"));
  EXPECT_EQ(status_, 0);
}

TEST_F(View, ARunThatIsInterruptedLeavesACompleteLog) {
  RingsideRun run({"mlx5e-xdp-drop", "--quiet", "--log", folder_.path() / "cut.rlog"});
  const Outcome outcome = run.set("run.packets=0").set("run.converge=0").interrupt_after(2000 * RINGSIDE_TEST_SLOWNESS).run();
  EXPECT_EQ(outcome.status, 130) << outcome.error;
  EXPECT_THAT(ringside({"view", "cut.rlog"}), HasSubstr("ended: interrupted"));
  EXPECT_EQ(status_, 0);
}

TEST_F(View, BadInputIsOneLine) {
  folder_.write("report.json", "{}");
  EXPECT_EQ(ringside({"view", "report.json"}),
            "ringside: report.json: is no event log; a complete event log that `ringside run --log` wrote is required\n");
  EXPECT_EQ(status_, 2);
  simulate({"", "mlx5e-xdp-drop", brief({}, 0, 200)}, "report.json", true);
  EXPECT_THAT(ringside({"view", "run.rlog", "--from", "10 parsecs"}), HasSubstr("ringside: --from: \"10 parsecs\" has the unknown unit \"parsecs\""));
  EXPECT_THAT(ringside({"view", "run.rlog", "--from", "2 us", "--to", "1 us"}), HasSubstr("later than --to"));
  EXPECT_THAT(ringside({"view", "run.rlog", "--csv", "x.csv", "--from", "1 s"}), HasSubstr("--from 1 s: the run ended at "));
  EXPECT_THAT(ringside({"view", "run.rlog", "--csv", "/nonexistent/x.csv"}), HasSubstr("/nonexistent/x.csv: cannot be written"));
  EXPECT_THAT(ringside({"view", "run.rlog", "--vcd", "/nonexistent/x.vcd"}), HasSubstr("/nonexistent/x.vcd: cannot be written"));
  EXPECT_THAT(ringside({"view", "run.rlog", "--pcap", "/nonexistent/x"}), HasSubstr("/nonexistent/x.wire.pcap: cannot be written"));
  EXPECT_EQ(status_, 2);
  EXPECT_THAT(ringside({"run", "mlx5e-xdp-drop", "--log", "/nonexistent/x.rlog"}), HasSubstr("cannot be written"));
  EXPECT_EQ(status_, 2);
}

}  // namespace
}  // namespace ringside::test
