#include "tb/log/sections.h"

#include <zlib.h>

#include <boost/endian/conversion.hpp>

#include "tb/report/printable.h"

namespace ringside {
namespace {

// A number of elements of which each takes so many bytes at least; 0 with the source failed if they cannot be there.
std::size_t decode_count(ByteSource& from, std::size_t most, std::size_t bytes) {
  const std::uint64_t count = from.varint();
  if (count <= most && count <= from.left() / bytes) return static_cast<std::size_t>(count);
  from.bytes(from.left() + 1);
  return 0;
}

void encode(ByteSink& to, const std::vector<LogCount>& counts) {
  to.number(counts.size());
  for (const LogCount& count : counts) {
    to.number(count.name);
    to.number(count.packets);
  }
}

std::vector<LogCount> decode_counts(ByteSource& from) {
  std::vector<LogCount> counts(decode_count(from, kMaxStrings, 2));
  for (LogCount& count : counts) count = {from.varint(), from.varint()};
  return counts;
}

bool names_exist(const std::vector<LogCount>& counts, std::size_t strings) {
  for (const LogCount& count : counts) {
    if (count.name >= strings) return false;
  }
  return true;
}

}  // namespace

void encode(ByteSink& to, const LogHead& head) {
  to.text(head.scenario);
  to.number(head.seed);
  to.text(head.device);
  to.text(head.fabric);
  to.text(head.core);
  for (const std::uint64_t number : {head.snap_length, head.wire_rate, head.buffer_bytes, head.credit_headers, head.credit_data}) {
    to.number(number);
  }
}

std::optional<LogHead> decode_head(ByteSource& from) {
  LogHead head;
  head.scenario = printable(from.text(kMaxString));
  head.seed = from.varint();
  head.device = printable(from.text(kMaxString));
  head.fabric = printable(from.text(kMaxString));
  head.core = printable(from.text(kMaxString));
  for (std::uint64_t* number : {&head.snap_length, &head.wire_rate, &head.buffer_bytes, &head.credit_headers, &head.credit_data}) {
    *number = from.varint();
  }
  if (!from.ok() || !from.empty() || head.snap_length != kSnapLength) return std::nullopt;
  return head;
}

void encode(ByteSink& to, const BlockStart& start) {
  for (const std::uint64_t time : start.time) to.number(time);
  to.number(start.frames);
  to.number(start.delivered);
  to.number(start.ended);
  to.number(start.stack.size());
  for (const std::uint64_t function : start.stack) to.number(function);
  to.number(start.levels.size());
  for (const std::uint64_t level : start.levels) to.number(level);
}

std::optional<BlockStart> decode_block_start(ByteSource& from) {
  BlockStart start;
  for (std::uint64_t& time : start.time) time = from.varint();
  start.frames = from.varint();
  start.delivered = from.varint();
  start.ended = from.varint();
  start.stack.resize(decode_count(from, kMaxStack, 1));
  for (std::uint64_t& function : start.stack) function = from.varint();
  start.levels.resize(decode_count(from, kMaxRings, 1));
  for (std::uint64_t& level : start.levels) level = from.varint();
  const bool late = start.time[0] > kMaxTime || start.time[1] > kMaxTime;
  if (!from.ok() || late || start.ended > start.delivered || start.delivered > start.frames) return std::nullopt;
  return start;
}

void encode(ByteSink& to, const LogDirectory& directory) {
  to.number(directory.strings.size());
  for (const std::string& text : directory.strings) to.text(text);
  to.number(directory.rings.size());
  for (const LogRing& ring : directory.rings) {
    to.number(static_cast<std::uint64_t>(ring.kind));
    to.number(ring.number);
    to.number(ring.size);
  }
  to.number(directory.blocks.size());
  for (const BlockIndex& block : directory.blocks) {
    to.number(block.offset);
    to.number(block.first_time);
    to.number(block.last_time);
    to.number(block.resume);
  }
  const LogTotals& totals = directory.totals;
  to.number(totals.offered);
  to.number(totals.delivered);
  to.number(totals.in_flight);
  encode(to, totals.dropped);
  encode(to, totals.ended);
  to.number(totals.simulated);
  to.number(totals.fingerprint);
  to.number(totals.stop_reason);
}

std::optional<LogDirectory> decode_directory(ByteSource& from) {
  LogDirectory directory;
  directory.strings.resize(decode_count(from, kMaxStrings, 1));
  for (std::string& text : directory.strings) text = printable(from.text(kMaxString));
  directory.rings.resize(decode_count(from, kMaxRings, 3));
  for (LogRing& ring : directory.rings) {
    const std::uint64_t kind = from.varint();
    ring = {kind == 0 ? RingKind::receive : RingKind::send, static_cast<std::uint32_t>(from.varint()), from.varint()};
  }
  directory.blocks.resize(decode_count(from, kMaxDirectory, 4));
  for (BlockIndex& block : directory.blocks) block = {from.varint(), from.varint(), from.varint(), from.varint()};
  LogTotals& totals = directory.totals;
  totals.offered = from.varint();
  totals.delivered = from.varint();
  totals.in_flight = from.varint();
  totals.dropped = decode_counts(from);
  totals.ended = decode_counts(from);
  totals.simulated = from.varint();
  totals.fingerprint = from.varint();
  totals.stop_reason = from.varint();
  const std::size_t strings = directory.strings.size();
  const bool named = totals.stop_reason < strings && names_exist(totals.dropped, strings) && names_exist(totals.ended, strings);
  if (!from.ok() || !from.empty() || !named || totals.simulated > kMaxTime) return std::nullopt;
  return directory;
}

std::string little_endian_32(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  boost::endian::store_little_u32(reinterpret_cast<unsigned char*>(bytes.data()), value);
  return bytes;
}

std::string little_endian_64(std::uint64_t value) {
  std::string bytes(sizeof value, '\0');
  boost::endian::store_little_u64(reinterpret_cast<unsigned char*>(bytes.data()), value);
  return bytes;
}

std::uint32_t read_32(std::span<const std::uint8_t> at) { return boost::endian::load_little_u32(at.data()); }
std::uint64_t read_64(std::span<const std::uint8_t> at) { return boost::endian::load_little_u64(at.data()); }

std::uint32_t crc_of(std::span<const std::uint8_t> data) {
  return static_cast<std::uint32_t>(::crc32_z(0, data.data(), data.size()));
}

}  // namespace ringside
