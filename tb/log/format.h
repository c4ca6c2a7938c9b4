// The event log, version 1: what a run writes, and what every view is made from.
//
// All fixed numbers are little-endian, all others varints of 7 bits a byte, least significant first.
//
// Head       8 bytes kHeadMagic, u32 version, u32 size of the body, u32 CRC-32 of the body. Body: see LogHead.
// Blocks     u32 kBlockMagic, u32 size, u32 CRC-32 of the payload, payload. A block can be read without those before it: the
//            payload begins with a BlockStart, and then has records to its end. A frame is stored as the bytes in which
//            it differs from the one before it of its size, in the same block.
// Records    one byte RecordKind, the time as a signed distance to the one before it in the same stream, then the kind's
//            fields, each as it is or as a signed distance to the same field of the record of that kind before it.
//            A packet is named by the distance to the number of frames that have arrived: 1 is the latest, 0 the next.
// Directory  strings, rings, an index of the blocks, totals. See LogDirectory.
// Foot       u64 offset and u32 size of the directory, u32 CRC-32 of it, 8 bytes kFootMagic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/probe/observer.h"

namespace ringside {

inline constexpr std::uint32_t kLogVersion = 1;
inline constexpr std::string_view kHeadMagic = "\x89RLOG\r\n\x1a";  // as PNG's: damage by text conversion shows
inline constexpr std::string_view kFootMagic = "RLOGEND\n";
inline constexpr std::uint32_t kBlockMagic = 0x4b4c4252;  // "RBLK"

// Limits that a writer keeps and a reader insists on.
inline constexpr std::size_t kHeadFixed = 20;                     // bytes before the body of the head
inline constexpr std::size_t kBlockFixed = 12;                    // before a payload
inline constexpr std::size_t kFootBytes = 24;
inline constexpr std::size_t kMaxHead = 64 << 10;
inline constexpr std::size_t kMaxBlock = 256 << 10;
inline constexpr std::size_t kMaxDirectory = 16 << 20;
inline constexpr std::size_t kMaxString = 1 << 10;
inline constexpr std::size_t kMaxStrings = 1 << 16;
inline constexpr std::size_t kMaxRings = 256;
inline constexpr std::size_t kMaxStack = 1 << 10;                 // calls of the guest inside each other
inline constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 60;  // ps; 13 days
inline constexpr std::uint64_t kMaxPacketsInside = 1 << 18;       // that have neither been dropped nor read
inline constexpr std::uint32_t kMaxFrameSize = 1 << 16;
inline constexpr std::uint32_t kMaxLanes = 64;
inline constexpr std::uint32_t kSnapLength = 128;                 // bytes of a frame that are kept
inline constexpr std::size_t kBlockBytes = 64 << 10;              // a block ends when it is that long

enum class RecordKind : std::uint8_t {
  // Of the device.
  frame,        // now - begin, size, length; then the bytes, see FrameCodec
  buffered,     // packet, bytes, lane
  freed,        // packet, bytes, at - now
  waits,        // packet, Resource
  moves,        // packet
  occupied,     // lane, until - now, Resource
  dropped,      // packet, string
  completed,    // packet, visible - now, error
  ring,         // ring, level
  interrupt,    // vector
  mmio,         // address, value, write
  transmits,    // begin - now, end - begin, size
  postponed,    // age, returned - now
  // Of the core, whose time runs ahead of the device's.
  read,         // packet: the driver has read its completion
  ended,        // string, count: so many packets more have ended like this
  sleeps,       // the guest waits for an interrupt
  call,         // string: a function of the guest begins
  leave,        // the latest function returns
  // One kind for each combination: kFirstTransfer + use * kTransferKinds + kind. Packet + 1 or 0, bytes, begin - now, end - begin,
  // arrival - end, begin - offered, credit wait, headers, data, returned - arrival.
  first_transfer = 32,
};
inline constexpr std::size_t kTransferKinds = 6;
inline constexpr std::size_t kTransferUses = kDmaUses + 1;  // the last: accesses of a core
inline constexpr std::size_t kRecordKinds = 32 + kTransferUses * kTransferKinds;
inline constexpr std::size_t kMaxFields = 10;

enum class Stream : std::uint8_t { device, core };
inline constexpr std::size_t kStreams = 2;

struct RecordLayout {
  Stream stream = Stream::device;
  std::uint8_t fields = 0;
  std::uint16_t deltas = 0;  // bit i: field i is a distance to the one before
  bool known = false;
};

constexpr std::array<RecordLayout, kRecordKinds> make_record_layouts() {
  std::array<RecordLayout, kRecordKinds> all{};
  const auto set = [&all](RecordKind kind, Stream stream, unsigned fields, unsigned deltas) {
    all[static_cast<std::size_t>(kind)] = {stream, static_cast<std::uint8_t>(fields), static_cast<std::uint16_t>(deltas), true};
  };
  using enum RecordKind;
  set(frame, Stream::device, 3, 0b111);
  set(buffered, Stream::device, 3, 0b010);
  set(freed, Stream::device, 3, 0b010);
  set(waits, Stream::device, 2, 0);
  set(moves, Stream::device, 1, 0);
  set(occupied, Stream::device, 3, 0);
  set(dropped, Stream::device, 2, 0);
  set(completed, Stream::device, 3, 0b010);
  set(ring, Stream::device, 2, 0);
  set(interrupt, Stream::device, 1, 0);
  set(mmio, Stream::device, 3, 0b011);
  set(transmits, Stream::device, 3, 0b110);
  set(postponed, Stream::device, 2, 0);
  set(read, Stream::core, 1, 0b1);
  set(ended, Stream::core, 2, 0);
  set(sleeps, Stream::core, 0, 0);
  set(call, Stream::core, 1, 0);
  set(leave, Stream::core, 0, 0);
  for (std::size_t kind = 32; kind < kRecordKinds; ++kind) set(static_cast<RecordKind>(kind), Stream::device, 10, 0b1110011010);
  return all;
}
inline constexpr std::array<RecordLayout, kRecordKinds> kRecordLayouts = make_record_layouts();

// What a view needs to know of the scenario.
struct LogHead {
  std::string scenario;
  std::uint64_t seed = 0;
  std::string device;  // "connectx"
  std::string fabric;  // "PCIe"
  std::string core;    // "core0"
  std::uint64_t snap_length = kSnapLength;
  std::uint64_t wire_rate = 0;      // bit/s
  std::uint64_t buffer_bytes = 0;   // of the device's packet buffer
  std::uint64_t credit_headers = 0;  // of writes; 0: unlimited
  std::uint64_t credit_data = 0;
};

// What had happened before a block.
struct BlockStart {
  std::array<std::uint64_t, kStreams> time{};
  std::uint64_t frames = 0;  // that have arrived
  std::uint64_t delivered = 0, ended = 0;
  std::vector<std::uint64_t> stack;   // strings: functions that have been called, outermost first
  std::vector<std::uint64_t> levels;  // of the rings that are known
};

struct LogRing {
  RingKind kind = RingKind::receive;
  std::uint32_t number = 0;
  std::uint64_t size = 0;
};

struct BlockIndex {
  std::uint64_t offset = 0;
  std::uint64_t first_time = 0, last_time = 0;  // of all records
  std::uint64_t resume = 0;                     // the block in which the oldest packet arrived that is alive when this one begins
};

struct LogCount {
  std::uint64_t name = 0;  // string
  std::uint64_t packets = 0;
};

// What the report says about the whole run.
struct LogTotals {
  std::uint64_t offered = 0, delivered = 0, in_flight = 0;
  std::vector<LogCount> dropped, ended;
  std::uint64_t simulated = 0;  // ps
  std::uint64_t fingerprint = 0;
  std::uint64_t stop_reason = 0;  // string
};

struct LogDirectory {
  std::vector<std::string> strings;
  std::vector<LogRing> rings;
  std::vector<BlockIndex> blocks;
  LogTotals totals;
};

}  // namespace ringside
