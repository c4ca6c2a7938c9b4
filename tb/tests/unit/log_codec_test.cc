// Bytes of an event log: numbers, frames and records.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tb/log/frame_codec.h"
#include "tb/log/record_codec.h"
#include "tb/log/varint.h"

namespace ringside {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(LogVarint, RoundTripAtEveryLength) {
  ByteSink sink;
  std::vector<std::uint64_t> values{0, kMost};
  for (unsigned bit = 0; bit < 64; ++bit) values.insert(values.end(), {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1});
  for (const std::uint64_t value : values) sink.number(value);
  ByteSource source(sink.data());
  for (const std::uint64_t value : values) EXPECT_EQ(source.varint(), value);
  EXPECT_TRUE(source.ok());
  EXPECT_TRUE(source.empty());
}

TEST(LogVarint, SmallDistancesTakeAByteEitherWay) {
  for (const std::uint64_t distance : {std::uint64_t{0}, std::uint64_t{63}, kMost, kMost - 63}) {
    EXPECT_LT(zigzag(distance), 128U) << distance;
    EXPECT_EQ(unzigzag(zigzag(distance)), distance);
  }
}

TEST(LogVarint, WhatEndsEarlyOrIsTooLongIsNoNumber) {
  const std::vector<std::vector<std::uint8_t>> wrong{{}, {0x80}, {0xff, 0xff}, {255, 255, 255, 255, 255, 255, 255, 255, 255, 2},
                                                     {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}};
  for (const auto& bytes : wrong) {
    ByteSource source(bytes);
    EXPECT_EQ(source.varint(), 0U);
    EXPECT_FALSE(source.ok());
    EXPECT_EQ(source.byte(), 0U) << "nothing comes after a failure";
  }
}

std::vector<std::uint8_t> round_trip(FrameCodec& writer, FrameCodec& reader, const std::vector<std::uint8_t>& frame, std::size_t& size) {
  ByteSink sink;
  sink.reserve(FrameCodec::kMostBytes);
  const std::size_t kept = std::min<std::size_t>(frame.size(), kSnapLength);
  writer.encode(sink, frame.size(), std::span(frame).first(kept));
  size = sink.size();
  EXPECT_LE(size, FrameCodec::kMostBytes);
  ByteSource source(sink.data());
  const auto bytes = reader.decode(source, frame.size(), kept);
  EXPECT_TRUE(source.ok());
  EXPECT_TRUE(source.empty());
  return {bytes.begin(), bytes.end()};
}

TEST(LogFrames, RoundTripOfAnyBytes) {
  std::mt19937_64 random(1);
  FrameCodec writer, reader;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> frame(random() % 7 == 0 ? random() % 300 : 60 + random() % 3);
    // Mostly zeros, mostly random, or every third byte.
    const std::uint64_t kind = random() % 3;
    for (std::size_t b = 0; b < frame.size(); ++b) {
      if (kind == 1 || (kind == 0 && random() % 20 == 0) || (kind == 2 && b % 4 == 0)) frame[b] = static_cast<std::uint8_t>(random());
    }
    std::size_t size = 0;
    const auto back = round_trip(writer, reader, frame, size);
    ASSERT_EQ(back, std::vector(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(back.size())));
    ASSERT_EQ(back.size(), std::min<std::size_t>(frame.size(), kSnapLength));
  }
}

TEST(LogFrames, ACounterTakesFourBytes) {
  FrameCodec writer, reader;
  std::vector<std::uint8_t> frame(60, 0x55);
  std::size_t size = 0;
  round_trip(writer, reader, frame, size);
  EXPECT_GT(size, 60U) << "the first of its size";
  ++frame[49];
  round_trip(writer, reader, frame, size);
  EXPECT_EQ(size, 4U) << "one patch: count, distance, length, byte";
  round_trip(writer, reader, frame, size);
  EXPECT_EQ(size, 1U) << "the same again";
}

TEST(LogFrames, PatchesBeyondTheFrameAreRefused) {
  const std::vector<std::vector<std::uint8_t>> wrong{{1, 60, 1, 0}, {1, 0, 61}, {2, 0, 1, 9, 59, 2, 1, 1}, {1, 0, 0}, {1, 5}, {9}};
  for (const auto& bytes : wrong) {
    FrameCodec codec;
    ByteSource source(bytes);
    EXPECT_TRUE(codec.decode(source, 60, 60).empty());
    EXPECT_FALSE(source.ok());
  }
}

TEST(LogRecords, EveryKindRoundTrips) {
  std::mt19937_64 random(2);
  RecordCodec writer, reader;
  ByteSink sink;
  std::vector<RecordCodec::Record> records;
  for (int i = 0; i < 5'000; ++i) {
    const auto kind = static_cast<std::size_t>(random() % kRecordKinds);
    if (!kRecordLayouts[kind].known) continue;
    RecordCodec::Record record;
    record.kind = static_cast<RecordKind>(kind);
    record.at = Time{random() % 1'000'000'000};
    for (std::size_t f = 0; f < kRecordLayouts[kind].fields; ++f) record.fields[f] = random() >> random() % 64;
    sink.reserve(RecordCodec::kMostBytes);
    writer.encode(sink, record.kind, record.at, std::span(record.fields).first(kRecordLayouts[kind].fields));
    records.push_back(record);
  }
  ByteSource source(sink.data());
  for (const RecordCodec::Record& expected : records) {
    RecordCodec::Record record;
    ASSERT_TRUE(reader.decode(source, record));
    EXPECT_EQ(record.kind, expected.kind);
    EXPECT_EQ(record.at, expected.at);
    for (std::size_t f = 0; f < kRecordLayouts[static_cast<std::size_t>(record.kind)].fields; ++f) EXPECT_EQ(record.fields[f], expected.fields[f]);
  }
  EXPECT_TRUE(source.empty());
}

}  // namespace
}  // namespace ringside
