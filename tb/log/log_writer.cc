#include "tb/log/log_writer.h"

#include <algorithm>

#include "tb/log/sections.h"

namespace ringside {
namespace {

std::string_view text_of(std::span<const std::uint8_t> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

}  // namespace

LogWriter::LogWriter(const std::filesystem::path& file, const LogHead& head) : file_(file) {
  ByteSink body;
  encode(body, head);
  const std::string fixed = std::string(kHeadMagic) + little_endian_32(kLogVersion) +
                            little_endian_32(static_cast<std::uint32_t>(body.size())) + little_endian_32(crc_of(body.data()));
  file_.write(fixed);
  file_.write(text_of(body.data()));
  offset_ = fixed.size() + body.size();
  begin_block();
}

void LogWriter::begin_block() {
  block_.clear();
  codec_.start_block(state_.time);
  frames_.clear();
  alive_.push_back({directory_.blocks.size(), state_.frames, 0});
  while (alive_.size() > 1 && alive_.front().packets == 0) alive_.pop_front();
  directory_.blocks.push_back({offset_, kMaxTime, 0, alive_.front().block});
  encode(block_, state_);
  block_.reserve(RecordCodec::kMostBytes + FrameCodec::kMostBytes);
}

void LogWriter::end_block() {
  BlockIndex& index = directory_.blocks.back();
  if (index.first_time > index.last_time) index.first_time = index.last_time = state_.time[0];  // no records
  const std::string fixed = little_endian_32(kBlockMagic) + little_endian_32(static_cast<std::uint32_t>(block_.size())) +
                            little_endian_32(crc_of(block_.data()));
  file_.write(fixed);
  file_.write(text_of(block_.data()));
  offset_ += fixed.size() + block_.size();
  state_.time = codec_.times();
}

void LogWriter::put(RecordKind kind, Time at, std::initializer_list<std::uint64_t> fields) {
  if (block_.size() >= kBlockBytes) {
    end_block();
    begin_block();
  }
  BlockIndex& index = directory_.blocks.back();
  index.first_time = std::min(index.first_time, at.value);
  index.last_time = std::max(index.last_time, at.value);
  block_.reserve(RecordCodec::kMostBytes + FrameCodec::kMostBytes);
  codec_.encode(block_, kind, at, {fields.begin(), fields.size()});
}

void LogWriter::frame(Time now, Time begin, std::uint32_t size, std::span<const std::uint8_t> bytes) {
  put(RecordKind::frame, now, {(now - begin).value, size, bytes.size()});
  frames_.encode(block_, bytes.size(), bytes.first(std::min<std::size_t>(bytes.size(), kSnapLength)));
  ++state_.frames;
  ++alive_.back().packets;
}

// The packet's block is the last one that begins with it or earlier.
void LogWriter::gone(std::uint64_t sequence) {
  const auto next = std::upper_bound(alive_.begin(), alive_.end(), sequence,
                                     [](std::uint64_t s, const Alive& block) { return s < block.first; });
  if (next != alive_.begin()) --std::prev(next)->packets;
}

void LogWriter::dropped(Time at, std::uint64_t sequence, std::uint64_t cause) {
  put(RecordKind::dropped, at, {distance(sequence), cause});
  gone(sequence);
}

void LogWriter::read(Time at, std::uint64_t sequence, bool delivered) {
  put(RecordKind::read, at, {distance(sequence)});
  if (!delivered) return;
  gone(sequence);
  ++state_.delivered;
}

void LogWriter::ended(Time at, std::uint64_t name, std::uint64_t count) {
  put(RecordKind::ended, at, {name, count});
  state_.ended += count;
}

void LogWriter::ring(Time at, RingKind kind, std::uint32_t number, std::uint64_t level, std::uint64_t size) {
  auto known = rings_.find({kind, number});
  if (known == rings_.end()) {
    if (directory_.rings.size() == kMaxRings) return;
    known = rings_.emplace(std::pair{kind, number}, directory_.rings.size()).first;
    directory_.rings.push_back({kind, number, size});
    state_.levels.push_back(0);
  }
  put(RecordKind::ring, at, {known->second, level});
  state_.levels[known->second] = level;
}

void LogWriter::call(Time at, std::uint64_t function) {
  if (state_.stack.size() == kMaxStack) {
    ++too_deep_;
    return;
  }
  put(RecordKind::call, at, {function});
  state_.stack.push_back(function);
}

void LogWriter::leave(Time at) {
  if (too_deep_ != 0) {
    --too_deep_;
  } else if (!state_.stack.empty()) {
    put(RecordKind::leave, at, {});
    state_.stack.pop_back();
  }
}

std::uint64_t LogWriter::string(std::string_view text) {
  const auto known = strings_.find(text);
  if (known != strings_.end()) return known->second;
  directory_.strings.emplace_back(text.substr(0, kMaxString));
  strings_.emplace(text, directory_.strings.size() - 1);
  return directory_.strings.size() - 1;
}

void LogWriter::finish(LogTotals totals) {
  end_block();
  directory_.totals = std::move(totals);
  ByteSink directory;
  encode(directory, directory_);
  file_.write(text_of(directory.data()));
  file_.write(little_endian_64(offset_) + little_endian_32(static_cast<std::uint32_t>(directory.size())) +
              little_endian_32(crc_of(directory.data())) + std::string(kFootMagic));
  file_.commit();
}

}  // namespace ringside
