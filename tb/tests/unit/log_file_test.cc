// Event logs as files: what is written is read back, and what is damaged is refused.
#include <gmock/gmock.h>

#include <chrono>
#include <cstring>
#include <fstream>

#include "model/base/errors.h"
#include "tb/log/log_summary.h"
#include "tb/log/sections.h"
#include "tb/tests/unit/sample_log.h"

namespace ringside::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// What is said about a log that must not be accepted; empty if it is.
std::string complaint(const std::filesystem::path& file) {
  try {
    summarise(LogReader(file));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class LogFile : public testing::Test {
 protected:
  LogFile() : file_(write_sample(folder_)), bytes_(folder_.read("sample.rlog")) {}

  std::string complaint_about(const std::string& bytes) { return complaint(folder_.write("changed.rlog", bytes)); }

  std::size_t block() const { return kHeadFixed + number_at(12); }
  std::uint32_t number_at(std::size_t at) const {
    return read_32(std::span(reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at, 4));
  }

  // The log with another payload in its only block, and sound checksums.
  std::string with_payload(const std::string& payload) const {
    const std::size_t begin = block() + kBlockFixed, end = begin + number_at(block() + 4);
    const std::string fixed = bytes_.substr(block(), 4) + little_endian_32(static_cast<std::uint32_t>(payload.size())) +
                              little_endian_32(crc(payload));
    const std::size_t foot = bytes_.size() - kFootBytes;
    const auto moved = static_cast<std::uint64_t>(payload.size()) - (end - begin);
    const auto offset = read_64(std::span(reinterpret_cast<const std::uint8_t*>(bytes_.data()) + foot, 8)) + moved;
    return bytes_.substr(0, block()) + fixed + payload + bytes_.substr(end, foot - end) + little_endian_64(offset) + bytes_.substr(foot + 8);
  }
  std::string payload() const { return bytes_.substr(block() + kBlockFixed, number_at(block() + 4)); }

  std::string with_directory(const std::string& directory) const {
    const std::size_t begin = block() + kBlockFixed + number_at(block() + 4);
    return bytes_.substr(0, begin) + directory + little_endian_64(begin) + little_endian_32(static_cast<std::uint32_t>(directory.size())) +
           little_endian_32(crc(directory)) + std::string(kFootMagic);
  }

  static std::uint32_t crc(const std::string& text) { return crc_of(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())); }
  static std::string text_of(const ByteSink& sink) { return {reinterpret_cast<const char*>(sink.data().data()), sink.size()}; }

  TemporaryFolder folder_;
  std::filesystem::path file_;
  std::string bytes_;
};

TEST_F(LogFile, WhatIsWrittenIsReadBack) {
  const LogReader reader(file_);
  EXPECT_EQ(reader.head().scenario, "sample");
  EXPECT_EQ(reader.head().seed, 7U);
  EXPECT_EQ(reader.head().credit_headers, 64U);
  EXPECT_EQ(reader.directory().totals.fingerprint, 42U);
  EXPECT_EQ(reader.directory().rings.at(0).number, 5U);
  Listing listing;
  reader.replay(listing);
  EXPECT_THAT(listing.lines, SizeIs(34));
  EXPECT_EQ(listing.lines[0], "start frames 0 delivered 0");
  EXPECT_THAT(listing.lines[1], HasSubstr("frame 0 1000000-1005000 64 60 1111"));
  EXPECT_EQ(listing.lines[4],
            "transfer 1010000 kind 0 use 0 packet 0 bytes 60 offered 1010000 1010000-1013000 arrival 1210000 waited 0 credits 1 4 returned 1310000");
  EXPECT_THAT(listing.lines, testing::Contains("ring 1000000 0 62"));
  EXPECT_THAT(listing.lines, testing::Contains("waits 1046000 2 1"));
  EXPECT_THAT(listing.lines, testing::Contains("read 3000000 1"));
}

TEST_F(LogFile, TheSummaryCountsWhatTheRecordsTell) {
  const LogSummary summary = summarise(LogReader(file_));
  EXPECT_EQ(summary.offered, 4U);
  EXPECT_EQ(summary.delivered, 2U);
  EXPECT_EQ(summary.in_flight, 1U);
  EXPECT_EQ(summary.dropped.begin()->second, 1U);
  EXPECT_EQ(summary.waited_for.at(Resource::driver), 2U);
  EXPECT_EQ(summary.waited_for.at(Resource::descriptor), 1U);
}

TEST_F(LogFile, CutShortAnywhereIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    const std::string said = complaint_about(bytes_.substr(0, size));
    ASSERT_THAT(said, HasSubstr("changed.rlog: ")) << size;
    ASSERT_THAT(said, HasSubstr("a complete event log that `ringside run --log` wrote is required")) << size;
  }
}

TEST_F(LogFile, AnyChangedByteIsFoundOut) {
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = bytes_;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      ASSERT_NE(complaint_about(changed), "") << "byte " << at;
    }
  }
}

TEST_F(LogFile, BytesInsertedOrAppendedAreFoundOut) {
  for (const std::size_t at : {std::size_t{0}, kHeadFixed, block(), block() + kBlockFixed, bytes_.size() - kFootBytes, bytes_.size()}) {
    EXPECT_NE(complaint_about(std::string(bytes_).insert(at, "x")), "") << at;
  }
}

TEST_F(LogFile, SaysWhatIsWrong) {
  std::string newer = bytes_;
  newer[8] = 2;
  EXPECT_THAT(complaint_about(newer), HasSubstr("changed.rlog: event log of version 2; 1 is allowed"));
  EXPECT_THAT(complaint_about(""), HasSubstr("is empty"));
  EXPECT_THAT(complaint_about("{\"schema\": \"ringside-report\"}"), HasSubstr("is no event log"));
  EXPECT_THAT(complaint_about(bytes_.substr(0, bytes_.size() - 1)), HasSubstr("ends early"));
  std::string damaged = bytes_;
  damaged[block() + kBlockFixed + 30] ^= 1;
  EXPECT_THAT(complaint_about(damaged), HasSubstr("block 1 of 1 is damaged"));
  EXPECT_THAT(complaint(folder_.path()), HasSubstr("is a folder"));
  EXPECT_THAT(complaint(folder_.path() / "gone.rlog"), HasSubstr("cannot be read: No such file"));
  EXPECT_THAT(complaint("/dev/zero"), HasSubstr("is no regular file"));
  EXPECT_THAT(complaint(folder_.write("\x1b[31m.rlog", "x")), HasSubstr("\\x1b[31m.rlog"));
}

TEST_F(LogFile, RecordsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(complaint_about(with_payload(payload())), "") << "the test itself changes nothing else";
  const std::vector<std::string> wrong{
      std::string("\x1f\x00", 2),                                                       // no such kind
      std::string("\x04\x00\x40", 3),                                                   // a packet that has not come
      std::string("\x06\x00\x01\x7f", 4),                                               // dropped for a name that is not there
      std::string("\x08\x00\x05\x00", 4),                                               // a ring that is not there
      std::string("\x12\x00", 2) + std::string("\x11\x00", 2) + std::string("\x11", 1),  // in the middle of a record
      std::string("\x00\x00\x00\xff\xff\xff\x0f\x00\x00", 9),                           // a frame too large
      std::string("\x09\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 12),              // a time after the end of the world
      std::string("\x04", 1) + std::string(200, '\xff'),                                // a number without an end
  };
  for (const std::string& record : wrong) {
    EXPECT_THAT(complaint_about(with_payload(payload() + record)), HasSubstr("block 1 of 1: a record makes no sense"));
  }
  EXPECT_THAT(complaint_about(with_payload("\xff\xff\xff\xff\xff\xff\xff\xff\x7f")), HasSubstr("the beginning of a block makes no sense"));
}

// Call, again and again, never a return.
TEST_F(LogFile, CallsWithoutEndAreRefused) {
  std::string calls = payload();
  for (std::size_t i = 0; i <= kMaxStack; ++i) calls += std::string("\x10\x00\x00", 3);
  EXPECT_THAT(complaint_about(with_payload(calls)), HasSubstr("makes no sense"));
}

TEST_F(LogFile, RecordsThatContradictTheTotalsAreRefused) {
  const std::string read_again = std::string("\x0d\x00\x03", 3);  // packet 3
  EXPECT_THAT(complaint_about(with_payload(payload() + read_again)), HasSubstr("its records tell of 4 packets, 3 of them delivered"));
}

TEST_F(LogFile, HugeCountsAreRefusedAtOnce) {
  for (int numbers = 0; numbers < 12; ++numbers) {
    ByteSink sink;
    for (int i = 0; i < numbers; ++i) sink.number(0);
    sink.number(~0ULL >> 1);
    sink.number(0);
    EXPECT_THAT(complaint_about(with_directory(text_of(sink))), HasSubstr("its directory is damaged"));
  }
}

// 100 MB of brackets, and as many after the first bytes of a log.
TEST_F(LogFile, LargeFilesOfSomethingElseAreRefusedWithinASecond) {
  for (const std::string& head : {std::string(), bytes_.substr(0, block())}) {
    const std::string text = head + std::string(100 << 20, '[');
    const auto file = folder_.write("nested.rlog", text);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_NE(complaint(file), "");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
}

TEST_F(LogFile, OddNamesAreMadeHarmless) {
  const auto file = folder_.path() / "odd.rlog";
  LogHead head = sample_head();
  head.scenario = "\x1b]0;owned\x07";
  PacketObserver nobody;
  EventRecorder recorder(file, head, nobody);
  recorder.received(nanoseconds(5), Time{}, 0, 64, sample_frame(60, 0));
  recorder.dropped(nanoseconds(5), 0, "\xe2\x80\xaemoc.\n\"<script>");
  LogTotals totals;
  totals.offered = 1;
  totals.dropped = {{0, 1}};
  recorder.writer().finish(totals);
  const LogReader reader(file);
  EXPECT_EQ(reader.head().scenario, "\\x1b]0;owned\\x07");
  EXPECT_EQ(reader.name_of(0), "\\u202emoc.\\x0a\"<script>");
}

TEST_F(LogFile, NothingIsLeftWithoutAnEnd) {
  { SampleRun run(folder_.path() / "broken.rlog"); }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "broken.rlog"));
  EXPECT_THROW(SampleRun("/nonexistent/a.rlog"), InputError);
}

// Many blocks: each can be read without the ones before it, but for packets that are still alive.
class LongLog : public testing::Test {
 protected:
  static constexpr std::uint64_t kPackets = 20'000, kBacklog = 50;
  LongLog() {
    SampleRun run(file_);
    for (std::uint64_t packet = 0; packet < kPackets; ++packet) {
      run.arrive(packet);
      run.move(packet);
      if (packet >= kBacklog) run.read(packet - kBacklog, SampleRun::begin_of(packet) + nanoseconds(12));
    }
    run.finish(kPackets, kPackets - kBacklog, 0, SampleRun::begin_of(kPackets));
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "long.rlog";
};

TEST_F(LongLog, AWindowReadsTheBlocksThatItNeeds) {
  const LogReader reader(file_);
  ASSERT_GT(reader.directory().blocks.size(), 10U);
  Listing all, some;
  reader.replay(all);
  const Time from = SampleRun::begin_of(15'000);
  reader.replay(some, {from, from + microseconds(1)});
  EXPECT_LT(some.lines.size(), all.lines.size() / 4);
  // What it tells is a part of the whole, which begins where the oldest packet came that is alive at its start.
  ASSERT_THAT(some.lines[0], testing::StartsWith("start frames "));
  const auto at = std::ranges::find(all.lines, some.lines[1]);
  ASSERT_NE(at, all.lines.end());
  EXPECT_TRUE(std::equal(some.lines.begin() + 1, some.lines.end(), at));
  std::uint64_t first = 0;
  ASSERT_EQ(std::sscanf(some.lines[0].c_str(), "start frames %lu", &first), 1);
  EXPECT_LE(first, 15'000 - kBacklog);
  EXPECT_GE(first, 15'000U - 3'000U) << "no more than a few blocks";
}

TEST_F(LongLog, TheWholeAgreesWithItsTotals) { EXPECT_EQ(summarise(LogReader(file_)).offered, kPackets); }

}  // namespace
}  // namespace ringside::test
