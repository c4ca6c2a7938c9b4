// Turns the records of a block into calls of a sink.
#pragma once

#include <cstdint>
#include <string>

#include "tb/log/format.h"
#include "tb/log/frame_codec.h"
#include "tb/log/log_sink.h"
#include "tb/log/record_codec.h"

namespace ringside {

// Keeps what records refer to from block to block.
class LogReplay {
 public:
  LogReplay(const LogDirectory& directory, LogSink& sink) : directory_(directory), sink_(sink) {}

  // What is wrong with the payload, or nothing.
  std::string block(std::span<const std::uint8_t> payload);

 private:
  bool begin(const BlockStart& start);
  bool play(const RecordCodec::Record& record, ByteSource& from);
  bool play_frame(const RecordCodec::Record& record, ByteSource& from);
  bool play_of_packet(const RecordCodec::Record& record);
  bool play_of_device(const RecordCodec::Record& record);
  bool play_of_core(const RecordCodec::Record& record);
  bool play_transfer(const RecordCodec::Record& record);

  const LogDirectory& directory_;
  LogSink& sink_;
  RecordCodec codec_;
  FrameCodec frame_codec_;
  bool started_ = false;
  std::uint64_t frames_ = 0;
  std::uint64_t depth_ = 0;  // of the guest's calls
};

}  // namespace ringside
