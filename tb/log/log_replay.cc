#include "tb/log/log_replay.h"

#include <algorithm>

#include "tb/log/sections.h"

namespace ringside {
namespace {

// The sum of a time and a distance, if it can be.
bool later(Time at, std::uint64_t distance, Time& result) {
  result = Time{at.value + std::min(distance, 2 * kMaxTime)};
  return result.value <= kMaxTime;
}

bool earlier(Time at, std::uint64_t distance, Time& result) {
  result = Time{at.value - std::min(distance, at.value)};
  return distance <= at.value;
}

}  // namespace

std::string LogReplay::block(std::span<const std::uint8_t> payload) {
  ByteSource from(payload);
  const auto start = decode_block_start(from);
  if (!start || !begin(*start)) return "the beginning of a block makes no sense";
  RecordCodec::Record record;
  while (!from.empty()) {
    if (!codec_.decode(from, record) || !play(record, from)) return "a record makes no sense";
  }
  return {};
}

bool LogReplay::begin(const BlockStart& start) {
  codec_.start_block(start.time);
  frame_codec_.clear();
  const auto unknown = [this](std::uint64_t function) { return function >= directory_.strings.size(); };
  if (start.levels.size() > directory_.rings.size() || std::ranges::any_of(start.stack, unknown)) return false;
  if (started_) return start.frames == frames_ && start.stack.size() == depth_;
  started_ = true;
  frames_ = start.frames;
  depth_ = start.stack.size();
  sink_.start(start);
  return true;
}

bool LogReplay::play(const RecordCodec::Record& record, ByteSource& from) {
  using enum RecordKind;
  if (record.kind >= first_transfer) return play_transfer(record);
  switch (record.kind) {
    case frame:
      return play_frame(record, from);
    case buffered:
    case freed:
    case waits:
    case moves:
    case dropped:
    case completed:
    case read:
      return play_of_packet(record);
    case ended:
    case sleeps:
    case call:
    case leave:
      return play_of_core(record);
    default:
      return play_of_device(record);
  }
}

bool LogReplay::play_frame(const RecordCodec::Record& record, ByteSource& from) {
  const auto& f = record.fields;
  LoggedFrame frame;
  if (f[1] > kMaxFrameSize || f[2] > f[1] || !earlier(record.at, f[0], frame.begin)) return false;
  frame.sequence = frames_++;
  frame.end = record.at;
  frame.size = static_cast<std::uint32_t>(f[1]);
  frame.length = static_cast<std::uint32_t>(f[2]);
  frame.bytes = frame_codec_.decode(from, f[2], std::min<std::size_t>(f[2], kSnapLength));
  if (!from.ok()) return false;
  sink_.frame(frame);
  return true;
}

bool LogReplay::play_of_packet(const RecordCodec::Record& record) {
  using enum RecordKind;
  const auto& f = record.fields;
  if (f[0] > frames_) return false;
  const std::uint64_t packet = frames_ - f[0];
  const Time at = record.at;
  Time then;
  switch (record.kind) {
    case buffered:
      if (f[1] > kMaxFrameSize || f[2] >= kMaxLanes) return false;
      sink_.buffered(at, packet, static_cast<std::uint32_t>(f[1]), static_cast<std::uint32_t>(f[2]));
      return true;
    case freed:
      if (f[1] > kMaxFrameSize || !later(at, f[2], then)) return false;
      sink_.freed(at, packet, static_cast<std::uint32_t>(f[1]), then);
      return true;
    case waits:
      if (f[1] >= kResources) return false;
      sink_.waits(at, packet, static_cast<Resource>(f[1]));
      return true;
    case moves:
      sink_.moves(at, packet);
      return true;
    case dropped:
      if (f[0] == 0 || f[1] >= directory_.strings.size()) return false;
      sink_.dropped(at, packet, f[1]);
      return true;
    case completed:
      if (f[0] == 0 || f[2] > 1 || !later(at, f[1], then)) return false;
      sink_.completed(at, packet, then, f[2] != 0);
      return true;
    default:
      if (f[0] == 0) return false;
      sink_.read(at, packet);
      return true;
  }
}

bool LogReplay::play_of_device(const RecordCodec::Record& record) {
  using enum RecordKind;
  const auto& f = record.fields;
  const Time at = record.at;
  Time then, end;
  switch (record.kind) {
    case occupied:
      if (f[0] >= kMaxLanes || f[2] >= kResources || !later(at, f[1], then)) return false;
      sink_.occupied(at, static_cast<std::uint32_t>(f[0]), then, static_cast<Resource>(f[2]));
      return true;
    case ring:
      if (f[0] >= directory_.rings.size()) return false;
      sink_.ring(at, f[0], f[1]);
      return true;
    case interrupt:
      sink_.interrupt(at, static_cast<std::uint32_t>(f[0]));
      return true;
    case mmio:
      if (f[2] > 1) return false;
      sink_.mmio(at, f[0], f[1], f[2] != 0);
      return true;
    case transmits:
      if (f[2] > kMaxFrameSize || !later(at, f[0], then) || !later(then, f[1], end)) return false;
      sink_.transmits(at, then, end, static_cast<std::uint32_t>(f[2]));
      return true;
    default:
      if (!later(at, f[1], then)) return false;
      sink_.postponed(at, f[0], then);
      return true;
  }
}

bool LogReplay::play_of_core(const RecordCodec::Record& record) {
  using enum RecordKind;
  const std::uint64_t string = record.fields[0];
  if (record.kind == sleeps) {
    sink_.sleeps(record.at);
  } else if (record.kind == leave) {
    if (depth_ == 0) return false;
    --depth_;
    sink_.leave(record.at);
  } else if (string >= directory_.strings.size()) {
    return false;
  } else if (record.kind == ended) {
    sink_.ended(record.at, string, record.fields[1]);
  } else {
    if (++depth_ > kMaxStack) return false;
    sink_.call(record.at, string);
  }
  return true;
}

bool LogReplay::play_transfer(const RecordCodec::Record& record) {
  const auto& f = record.fields;
  const std::size_t code = static_cast<std::size_t>(record.kind) - static_cast<std::size_t>(RecordKind::first_transfer);
  LoggedTransfer logged;
  Transfer& t = logged.transfer;
  t.kind = static_cast<Transfer::Kind>(code % kTransferKinds);
  if (code / kTransferKinds < kDmaUses) logged.use = static_cast<DmaUse>(code / kTransferKinds);
  if (f[0] > frames_ + 1) return false;
  if (f[0] != 0) logged.packet = frames_ + 1 - f[0];
  t.bytes = static_cast<std::uint32_t>(f[1]);
  t.headers = static_cast<std::uint32_t>(f[7]);
  t.data = static_cast<std::uint32_t>(f[8]);
  t.credit_wait = Time{f[6]};
  const bool sound = later(record.at, f[2], t.begin) && later(t.begin, f[3], t.end) && later(t.end, f[4], t.arrival) &&
                     earlier(t.begin, f[5], t.offered) && later(t.arrival, f[9], t.returned) && f[6] <= (t.end - t.offered).value &&
                     f[1] <= ~0u && f[7] <= ~0u && f[8] <= ~0u;
  if (sound) sink_.transfer(record.at, logged);
  return sound;
}

}  // namespace ringside
