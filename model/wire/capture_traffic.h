// Replay of a recorded capture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/wire/pacer.h"
#include "model/wire/traffic.h"

namespace ringside {

class CaptureReader;

// The frames of a pcap or pcapng file, through libpcap. The whole file is read once when the source is made, so that
// what is wrong with it is said then; up to 32 MiB of it stay in memory, a larger one is read again as it is sent.
//
// Captures hold no FCS. Frames below 60 bytes, which are recorded before the sender's MAC pads them, are padded with
// zeros to 60, and frames that were cut short when recorded are padded with zeros to their real length.
// A packet stamped earlier than the one before it is sent right after that one. A loop starts the mean distance of two
// packets after the last packet of the previous one.
class CaptureTraffic : public TrafficSource {
 public:
  // Throws InputError: no such file, not a capture, truncated, not Ethernet.
  explicit CaptureTraffic(const TrafficConfig& config);
  ~CaptureTraffic() override;

  bool next(Offer& offer) override;

 private:
  enum class Timing { recorded, scaled, rate };
  struct Stored {
    std::uint64_t nanoseconds;
    std::uint64_t position;
    std::uint32_t length;
  };

  void scan();
  bool read_packet();
  Time scaled(std::uint64_t nanoseconds) const;

  const std::string path_;
  const Timing timing_;
  const std::uint64_t percent_;
  const bool loop_;
  const std::uint64_t packets_;
  Pacer pacer_;

  std::uint64_t count_ = 0;     // packets in the file
  std::uint64_t duration_ = 0;  // ns from the first to the latest
  bool stored_ = true;
  std::vector<Stored> index_;
  std::vector<std::uint8_t> data_;
  std::unique_ptr<CaptureReader> reader_;  // of a capture that is not stored

  std::uint64_t sent_ = 0;
  std::uint64_t position_ = 0;  // of the next packet in the file
  std::uint64_t loop_start_ns_ = 0;
  std::uint64_t first_ns_ = 0;   // time stamp of the first packet, when read as sent
  std::uint64_t packet_ns_ = 0;  // of the packet read last, from the first of the file
  std::span<const std::uint8_t> packet_;
};

}  // namespace ringside
