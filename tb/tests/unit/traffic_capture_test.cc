#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/base/timeline.h"
#include "model/base/errors.h"
#include "model/wire/traffic.h"

namespace ringside {
namespace {

constexpr std::uint32_t kEthernet = 1;
constexpr std::uint32_t kRawIp = 101;
constexpr std::uint32_t kMicro = 0xa1b2c3d4;
constexpr std::uint32_t kNano = 0xa1b23c4d;

struct Packet {
  std::uint32_t seconds;
  std::uint32_t fraction;
  std::uint32_t stored;
  std::uint32_t length;
};

void put32(std::string& file, std::uint32_t value) { file.append(reinterpret_cast<const char*>(&value), 4); }
void put16(std::string& file, std::uint16_t value) { file.append(reinterpret_cast<const char*>(&value), 2); }

// Bytes of a pcap file; packet i is filled with 'a' + i.
std::string pcap(const std::vector<Packet>& packets, std::uint32_t magic = kMicro,
                 std::uint32_t link_type = kEthernet) {
  std::string file;
  put32(file, magic);
  put16(file, 2);
  put16(file, 4);
  put32(file, 0);
  put32(file, 0);
  put32(file, 65535);
  put32(file, link_type);
  char fill = 'a';
  for (const Packet& p : packets) {
    put32(file, p.seconds);
    put32(file, p.fraction);
    put32(file, p.stored);
    put32(file, p.length);
    file.append(p.stored, fill++);
  }
  return file;
}

void put_block(std::string& file, std::uint32_t type, std::string body) {
  body.resize((body.size() + 3) / 4 * 4);
  put32(file, type);
  put32(file, static_cast<std::uint32_t>(body.size() + 12));
  file += body;
  put32(file, static_cast<std::uint32_t>(body.size() + 12));
}

// pcapng with nanosecond time stamps.
std::string pcapng(const std::vector<Packet>& packets) {
  std::string file, section, interface;
  put32(section, 0x1a2b3c4d);
  put16(section, 1);
  put16(section, 0);
  put32(section, ~0U);
  put32(section, ~0U);
  put_block(file, 0x0a0d0d0a, section);
  put16(interface, kEthernet);
  put16(interface, 0);
  put32(interface, 65535);
  put16(interface, 9);  // if_tsresol
  put16(interface, 1);
  put32(interface, 9);  // 10^-9 s
  put32(interface, 0);  // end of options
  put_block(file, 1, interface);
  for (const Packet& p : packets) {
    const std::uint64_t time = p.seconds * 1'000'000'000ULL + p.fraction;
    std::string body;
    put32(body, 0);
    put32(body, static_cast<std::uint32_t>(time >> 32));
    put32(body, static_cast<std::uint32_t>(time));
    put32(body, p.stored);
    put32(body, p.length);
    body.append(p.stored, 'n');
    put_block(file, 6, body);
  }
  return file;
}

class TrafficCapture : public ::testing::Test {
 protected:
  TrafficCapture()
      : path_(std::filesystem::temp_directory_path() / ("ringside-" + std::to_string(getpid()) + ".pcap")) {
    config_.pcap = path_.string();
  }
  ~TrafficCapture() override { std::filesystem::remove(path_); }

  void file(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }

  Timeline timeline_;

  std::string complaint() {
    try {
      make_traffic(config_, 1, timeline_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  struct Sent {
    Time earliest;
    std::uint32_t size;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Sent> take(std::size_t count) {
    const auto source = make_traffic(config_, 1, timeline_);
    std::vector<Sent> all;
    TrafficSource::Offer offer;
    while (all.size() < count && source->next(offer))
      all.push_back({offer.earliest, offer.size, {offer.bytes.begin(), offer.bytes.end()}});
    return all;
  }

  std::filesystem::path path_;
  TrafficConfig config_;
};

TEST_F(TrafficCapture, ReplaysRecordedTimesFromTheFirstPacket) {
  file(pcap({{1'000'000'000, 999'999, 100, 100}, {1'000'000'001, 2, 60, 60}, {1'000'000'001, 12, 1514, 1514}}));
  const auto sent = take(10);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].earliest, Time{});
  EXPECT_EQ(sent[1].earliest, microseconds(3));
  EXPECT_EQ(sent[2].earliest, microseconds(13));
  EXPECT_EQ(sent[2].size, 1518u);
  EXPECT_EQ(sent[1].bytes, std::vector<std::uint8_t>(60, 'b'));
}

TEST_F(TrafficCapture, KeepsNanoseconds) {
  file(pcap({{5, 1, 60, 60}, {5, 8, 60, 60}}, kNano));
  EXPECT_EQ(take(2)[1].earliest, nanoseconds(7));
}

TEST_F(TrafficCapture, ReadsPcapng) {
  file(pcapng({{1'700'000'000, 10, 61, 61}, {1'700'000'000, 2'015, 100, 100}}));
  const auto sent = take(10);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].earliest, nanoseconds(2'005));
  EXPECT_EQ(sent[0].bytes, std::vector<std::uint8_t>(61, 'n'));
}

TEST_F(TrafficCapture, PadsShortFramesAndCutOnes) {
  file(pcap({{0, 0, 42, 42}, {0, 1, 64, 1000}}));
  const auto sent = take(2);
  EXPECT_EQ(sent[0].size, 64u);
  std::vector<std::uint8_t> expected(42, 'a');
  expected.resize(60);
  EXPECT_EQ(sent[0].bytes, expected);
  expected.assign(64, 'b');
  expected.resize(1000);
  EXPECT_EQ(sent[1].bytes, expected);
}

TEST_F(TrafficCapture, ScalesAndRates) {
  file(pcap({{0, 0, 60, 60}, {0, 10, 60, 60}, {0, 40, 60, 60}}));
  config_.pcap_timing = "scaled";
  config_.pcap_scale = 400;
  EXPECT_EQ(take(3)[2].earliest, microseconds(10));
  config_.pcap_scale = 50;
  EXPECT_EQ(take(3)[2].earliest, microseconds(80));
  config_.pcap_scale = 100;
  config_.pcap_timing = "rate";
  config_.rate = PacketRate{3'000'000};
  EXPECT_EQ(take(3)[2].earliest, picoseconds(666'666));
  config_.rate = PacketRate{};
  EXPECT_EQ(take(3)[2].earliest, Time{});
}

TEST_F(TrafficCapture, LoopsWithTheMeanGapBetween) {
  file(pcap({{7, 0, 60, 60}, {7, 10, 60, 60}, {7, 40, 60, 60}}));
  config_.loop = true;
  const auto sent = take(7);
  EXPECT_EQ(sent[3].earliest, microseconds(60));
  EXPECT_EQ(sent[4].earliest, microseconds(70));
  EXPECT_EQ(sent[6].earliest, microseconds(120));
  EXPECT_EQ(sent[6].bytes, sent[0].bytes);
  config_.packets = 5;
  EXPECT_EQ(take(100).size(), 5u);
}

TEST_F(TrafficCapture, TimeNeverRunsBackwards) {
  file(pcap({{7, 10, 60, 60}, {7, 0, 60, 60}, {7, 30, 60, 60}, {7, 20, 60, 60}}));
  const auto sent = take(4);
  EXPECT_EQ(sent[1].earliest, Time{});
  EXPECT_EQ(sent[2].earliest, microseconds(20));
  EXPECT_EQ(sent[3].earliest, microseconds(20));
}

TEST_F(TrafficCapture, MayBeEmptyOrASinglePacket) {
  file(pcap({}));
  config_.loop = true;
  EXPECT_TRUE(take(3).empty());
  file(pcap({{3, 3, 60, 60}}));
  EXPECT_EQ(take(3).size(), 3u);
  config_.loop = false;
  EXPECT_EQ(take(3).size(), 1u);
}

// Above 32 MiB a capture is read as it is sent.
TEST_F(TrafficCapture, LargeOnesReplayTheSame) {
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < 600; ++i) packets.push_back({i, 5, 60'000 + i, 60'000 + i});
  file(pcap(packets));
  config_.loop = true;
  const auto sent = take(1201);
  ASSERT_EQ(sent.size(), 1201u);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    ASSERT_EQ(sent[i].size, 60'004 + i % 600);
    ASSERT_EQ(sent[i].earliest, seconds(i));
    ASSERT_EQ(sent[i].bytes.back(), static_cast<std::uint8_t>('a' + i % 600));
  }
}

TEST_F(TrafficCapture, ReplaysTheRealOne) {
  config_.pcap = RINGSIDE_SOURCE_DIR "/traces/captures/web-browsing-2010.pcap";
  const auto sent = take(1000);
  ASSERT_EQ(sent.size(), 179u);
  EXPECT_EQ(sent[1].earliest, microseconds(722));
  EXPECT_EQ(sent.back().earliest, microseconds(3'256'749));
  std::uint64_t bytes = 0;
  for (const Sent& s : sent) bytes += s.size;
  EXPECT_EQ(bytes, 69'734u);  // padded to 60, and with FCS
}

TEST_F(TrafficCapture, SaysWhatIsWrongWithTheFile) {
  const std::string allowed = "; a complete pcap or pcapng file of Ethernet frames is allowed";
  EXPECT_EQ(complaint(), config_.pcap + ": No such file or directory" + allowed);
  file("");
  EXPECT_TRUE(complaint().starts_with(config_.pcap + ": truncated dump file")) << complaint();
  file("this is a text, not a capture");
  EXPECT_EQ(complaint(), config_.pcap + ": unknown file format" + allowed);
  const std::string whole = pcap({{0, 0, 100, 100}, {0, 1, 100, 100}});
  file(whole.substr(0, whole.size() - 30));
  EXPECT_TRUE(complaint().starts_with(config_.pcap + ": packet 2: truncated dump file")) << complaint();
  EXPECT_TRUE(complaint().ends_with(allowed));
  file(whole.substr(0, whole.size() - 108));  // inside the second packet's header
  EXPECT_TRUE(complaint().starts_with(config_.pcap + ": packet 2: truncated dump file")) << complaint();
  file(pcap({{0, 0, 100, 100}}, kMicro, kRawIp));
  EXPECT_EQ(complaint(), config_.pcap + ": link type RAW" + allowed);
  config_.pcap = std::filesystem::temp_directory_path().string();
  EXPECT_TRUE(complaint().starts_with(config_.pcap + ": ")) << complaint();
}

}  // namespace
}  // namespace ringside
