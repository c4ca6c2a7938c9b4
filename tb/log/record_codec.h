// Records as bytes, and back.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tb/log/format.h"
#include "tb/log/varint.h"

namespace ringside {

// What records are encoded against: times of the streams and the latest fields of each kind. A block starts anew.
class RecordCodec {
 public:
  // At most, without the bytes of a frame.
  static constexpr std::size_t kMostBytes = 1 + (1 + kMaxFields) * kVarintBytes;

  void start_block(const std::array<std::uint64_t, kStreams>& time) {
    time_ = time;
    fields_ = {};
  }
  const std::array<std::uint64_t, kStreams>& times() const { return time_; }

  // The sink has room for kMostBytes.
  void encode(ByteSink& to, RecordKind kind, Time at, std::span<const std::uint64_t> fields) {
    const RecordLayout& layout = kRecordLayouts[static_cast<std::size_t>(kind)];
    std::uint64_t& time = time_[static_cast<std::size_t>(layout.stream)];
    auto& before = fields_[static_cast<std::size_t>(kind)];
    to.byte(static_cast<std::uint8_t>(kind));
    to.varint(zigzag(at.value - time));
    time = at.value;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool delta = (layout.deltas >> i & 1) != 0;
      to.varint(delta ? zigzag(fields[i] - before[i]) : fields[i]);
      before[i] = fields[i];
    }
  }

  struct Record {
    RecordKind kind = RecordKind::frame;
    Time at{};
    std::array<std::uint64_t, kMaxFields> fields{};
  };

  // False if the bytes are no record.
  bool decode(ByteSource& from, Record& record) {
    const std::uint8_t code = from.byte();
    if (code >= kRecordKinds || !kRecordLayouts[code].known) return false;
    const RecordLayout& layout = kRecordLayouts[code];
    std::uint64_t& time = time_[static_cast<std::size_t>(layout.stream)];
    auto& before = fields_[code];
    time += unzigzag(from.varint());
    record.kind = static_cast<RecordKind>(code);
    record.at = Time{time};
    for (std::size_t i = 0; i < layout.fields; ++i) {
      const bool delta = (layout.deltas >> i & 1) != 0;
      const std::uint64_t value = from.varint();
      before[i] = delta ? before[i] + unzigzag(value) : value;
      record.fields[i] = before[i];
    }
    return from.ok() && time <= kMaxTime;
  }

 private:
  std::array<std::uint64_t, kStreams> time_{};
  std::array<std::array<std::uint64_t, kMaxFields>, kRecordKinds> fields_{};
};

}  // namespace ringside
