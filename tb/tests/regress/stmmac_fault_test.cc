// Mistakes that public versions of stmmac made, on the board: each shows as it did to those who met it, and the right driver
// under the same conditions is as it should be. Four cannot come about on this board (docs/published-bugs.md says why), and are
// shown by the driver's own tests only.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "model/dwmac/frame_parser.h"
#include "tb/tests/regress/ringside_run.h"
#include "tb/tests/support/captured_packets.h"

namespace ringside::test {
namespace {

constexpr const char* kCapture = RINGSIDE_SOURCE_DIR "/traces/captures/web-browsing-2010.pcap";
constexpr const char* kEqos = "dwmac.model=dwmac-eqos-5.20";

// Frames of these many bytes without FCS that are neither TCP nor UDP, each with other bytes.
Packets other_frames(std::size_t count, std::size_t length) {
  Packets frames(count, Packet(length));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < length; ++at) frames[i][at] = static_cast<std::uint8_t>(at * 7 + i * 13 + at / 251);
    const std::uint8_t header[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};  // an EtherType for experiments
    std::copy(std::begin(header), std::end(header), frames[i].begin());
  }
  return frames;
}

// Captured packets of TCP and UDP, whose headers are split off, and after each one of these many bytes that has none.
Packets mixed_frames(std::size_t length) {
  Packets captured = captured_packets(kCapture);
  std::erase_if(captured, [](const Packet& packet) {
    Packet right = packet;
    dwmac::insert_checksums(right);
    const bool transport = packet[12] == 0x08 && packet[13] == 0x00 && (packet[23] == 6 || packet[23] == 17);
    return !transport || right != packet;
  });
  Packets mixed;
  for (const Packet& other : other_frames(20, length)) {
    mixed.push_back(captured.at(mixed.size() / 2));
    mixed.push_back(other);
  }
  return mixed;
}

struct Fault {
  const char* name;   // of STMMAC_FAULT_...
  const char* row;    // of docs/published-bugs.md
  Packets packets;    // empty: the scenario's own traffic
  std::vector<std::string> settings;
  std::vector<std::string> flags;             // besides the fault's
  std::function<bool(const Outcome&)> right;  // true for the right driver
  std::function<bool(const Outcome&)> wrong;  // true for the faulty one
};

Outcome run(const Fault& fault, bool faulty) {
  RingsideRun run({fault.packets.empty() ? "stmmac-xdp-drop" : "stmmac-capture", "--quiet"});
  if (!fault.packets.empty()) {
    run.file("sent.pcap", pcap_file(fault.packets)).set("traffic.pcap=sent.pcap").set("traffic.pcap_timing=rate");
  }
  for (const std::string& setting : fault.settings) run.set(setting);
  std::string flags;
  for (const std::string& flag : fault.flags) flags += (flags.empty() ? "" : " ") + flag;
  if (faulty) flags += fmt::format("{}-DSTMMAC_FAULT=STMMAC_FAULT_{}", flags.empty() ? "" : " ", fault.name);
  if (!flags.empty()) run.set("driver.flags=" + flags);
  return run.run();
}

bool intact(const Outcome& outcome, const Packets& packets) {
  return outcome.status == 0 && counter(outcome.json(), "driver", "digest_packets") == packets.size() &&
         counter(outcome.json(), "driver", "digest") == digest_of(packets);
}

bool stuck(const Outcome& outcome, const std::string& what) {
  return outcome.status == 3 && outcome.error.find("no packet was read and no interrupt taken") != std::string::npos &&
         outcome.error.find(what) != std::string::npos;
}

std::uint64_t driver(const Outcome& outcome, const char* name) { return counter(outcome.json(), "driver", name); }

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.row; }

class StmmacFault : public testing::TestWithParam<Fault> {};

TEST_P(StmmacFault, ShowsInTheFaultyDriverOnly) {
  const Outcome right = run(GetParam(), false);
  EXPECT_TRUE(GetParam().right(right)) << "the right driver: " << right.error << right.output;
  const Outcome wrong = run(GetParam(), true);
  EXPECT_TRUE(GetParam().wrong(wrong)) << "the faulty driver: " << wrong.error << wrong.output;
}

const Packets kLong = other_frames(40, 1700);    // longer than a buffer of 1536
const Packets kLonger = other_frames(60, 9000);  // three descriptors of two such buffers
const Packets kMixed = mixed_frames(1000), kMixedShort = mixed_frames(60);
constexpr const char* kSlowly = "traffic.rate=0.05 Mpps";

std::vector<Fault> faults() {
  const auto faults_in_receive = [](const Outcome& o) {
    return o.status == 3 && o.error.find("the guest faulted in stmmac_rx") != std::string::npos;
  };
  const auto exits = [](const Outcome& o) { return o.status == 0; };
  return {
      {"BUF2_UNALLOCATED", "1", kLong, {kSlowly, "dwmac.zero_buffer=write"}, {},
       [](const Outcome& o) { return intact(o, kLong); },
       [](const Outcome& o) { return !intact(o, kLong) && counter(o.json(), "axi", "axi_decode_errors") > 0; }},
      // A core that skips the address takes a second descriptor: the frame is whole.
      {"BUF2_UNALLOCATED", "1Skipped", kLong, {kSlowly, "dwmac.zero_buffer=skip"}, {},
       [](const Outcome& o) { return intact(o, kLong); }, [](const Outcome& o) { return intact(o, kLong); }},
      {"XDP_MULTI_BUFFER", "2", kLong, {kSlowly, "driver.xdp=checksum", "dwmac.zero_buffer=write"}, {},
       [](const Outcome& o) { return driver(o, "digest_packets") == 0 && driver(o, "rx_errors") == kLong.size(); },
       [](const Outcome& o) { return driver(o, "digest_packets") != 0; }},
      {"XDP_MULTI_BUFFER", "2Skipped", kLong, {kSlowly, "driver.xdp=checksum"}, {},
       [](const Outcome& o) { return driver(o, "digest_packets") == 0 && driver(o, "rx_errors") == kLong.size(); },
       [](const Outcome& o) { return driver(o, "digest_packets") > kLong.size(); }},
      {"CUR_LAPS_DIRTY", "5", {}, {"driver.rx_ring=64", "driver.napi_budget=16", "run.warmup=0", "run.packets=2000"},
       {"-DCONFIG_FAIL_PAGE_POOL", "-DFAIL_PAGE_POOL_AFTER=400", "-DFAIL_PAGE_POOL_TIMES=300"}, exits,
       faults_in_receive},
      {"REFILL_NOT_RETRIED", "6", {}, {"driver.rx_ring=64", "run.warmup=0", "run.packets=2000"},
       {"-DCONFIG_FAIL_PAGE_POOL", "-DFAIL_PAGE_POOL_AFTER=400", "-DFAIL_PAGE_POOL_TIMES=300"}, exits,
       [](const Outcome& o) { return stuck(o, "RX channel 0: suspended"); }},
      {"LIMIT_IS_RING", "18", {}, {"driver.rx_ring=64", "run.warmup=0", "run.packets=2000"}, {}, exits, faults_in_receive},
      {"BUDGET_PER_PIECE", "19", kLonger, {"driver.xdp=drop"}, {}, exits,
       [](const Outcome& o) { return o.status == 3 && o.error.find("exceeded its budget") != std::string::npos; }},
      {"BUF2_ALWAYS_VALID", "25", kLong, {kEqos, kSlowly}, {}, [](const Outcome& o) { return intact(o, kLong); },
       [](const Outcome& o) { return counter(o.json(), "axi", "axi_decode_errors") > 0; }},
      {"FCS_PER_PIECE", "27", kLonger, {kSlowly}, {}, [](const Outcome& o) { return intact(o, kLonger); },
       [](const Outcome& o) { return driver(o, "digest_packets") == kLonger.size() && driver(o, "digest_bytes") < 60 * 9000; }},
      {"HEADER_LEN_UNCHECKED", "28", kMixed, {kSlowly, "driver.rx_split_header=true"}, {},
       [](const Outcome& o) { return intact(o, kMixed); },
       [](const Outcome& o) { return driver(o, "digest_packets") == kMixed.size() && !intact(o, kMixed); }},
      // Where the frame is shorter than the header before it, the rest of it is some 4 GiB.
      {"HEADER_LEN_UNCHECKED", "28Short", kMixedShort, {kSlowly, "driver.rx_split_header=true"}, {},
       [](const Outcome& o) { return intact(o, kMixedShort); },
       [](const Outcome& o) { return stuck(o, "the guest spins in dcache_inval_poc"); }},
      {"BUDGET_PER_DESC", "29", kLonger, {kSlowly}, {},
       [](const Outcome& o) { return driver(o, "softnet_processed") == kLonger.size(); },
       [](const Outcome& o) { return driver(o, "softnet_processed") > kLonger.size(); }},
      {"TAIL_NOT_WRITTEN", "32", {}, {"run.warmup=0", "run.packets=2000"}, {}, exits,
       [](const Outcome& o) { return stuck(o, "RX channel 0: suspended at the tail"); }},
  };
}

INSTANTIATE_TEST_SUITE_P(Rows, StmmacFault, testing::ValuesIn(faults()), [](const auto& info) {
  return fmt::format("Row{}", info.param.row);
});

}  // namespace
}  // namespace ringside::test
