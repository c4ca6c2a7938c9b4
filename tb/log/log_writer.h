// Writes an event log while a run goes on.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/units.h"
#include "tb/log/format.h"
#include "tb/log/frame_codec.h"
#include "tb/log/record_codec.h"
#include "tb/log/varint.h"
#include "tb/report/atomic_file.h"

namespace ringside {

// Records go to a buffer and from there to the file, a block at a time. Throws InputError when the file cannot be written.
// Without finish() there is no file.
class LogWriter {
 public:
  LogWriter(const std::filesystem::path& file, const LogHead& head);

  // A frame has arrived; the next sequence number is its own.
  void frame(Time now, Time begin, std::uint32_t size, std::span<const std::uint8_t> bytes);

  // A record with the fields of format.h, in which a packet is named by its distance(). The kinds below change what the next
  // block has to begin with, and are not for put().
  void put(RecordKind kind, Time at, std::initializer_list<std::uint64_t> fields);
  void dropped(Time at, std::uint64_t sequence, std::uint64_t cause);
  void read(Time at, std::uint64_t sequence, bool delivered);
  void ended(Time at, std::uint64_t name, std::uint64_t count);
  void ring(Time at, RingKind kind, std::uint32_t number, std::uint64_t level, std::uint64_t size);
  void call(Time at, std::uint64_t function);
  void leave(Time at);

  std::uint64_t distance(std::uint64_t sequence) const { return state_.frames - sequence; }

  // The number of a text that records refer to.
  std::uint64_t string(std::string_view text);

  void finish(LogTotals totals);

 private:
  void begin_block();
  void end_block();
  void gone(std::uint64_t sequence);

  AtomicFile file_;
  std::uint64_t offset_ = 0;
  ByteSink block_;
  RecordCodec codec_;
  FrameCodec frames_;
  BlockStart state_;
  std::uint64_t too_deep_ = 0;  // calls that are left out, inside the deepest that is kept
  LogDirectory directory_;
  std::map<std::string, std::uint64_t, std::less<>> strings_;
  std::map<std::pair<RingKind, std::uint32_t>, std::uint64_t> rings_;

  // Of each block that still has one, packets that are alive.
  struct Alive {
    std::uint64_t block;
    std::uint64_t first;  // sequence
    std::uint64_t packets;
  };
  std::deque<Alive> alive_;
};

}  // namespace ringside
