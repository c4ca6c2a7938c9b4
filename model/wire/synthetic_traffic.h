// Made-up UDP frames.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/base/random.h"
#include "model/wire/pacer.h"
#include "model/wire/traffic.h"

namespace ringside {

// Ethernet, IPv4 with a correct header checksum, UDP without one (as RFC 768 allows), then the frame's sequence number
// as a 64-bit big-endian integer where there is room for it, then zeros. Flow f sends from UDP port 1024 + f; flows
// take turns. A frame below 46 bytes is the beginning of such a frame.
class SyntheticTraffic : public TrafficSource {
 public:
  SyntheticTraffic(const TrafficConfig& config, std::uint64_t seed);

  bool next(Offer& offer) override;

  static constexpr std::uint16_t kFirstPort = 1024;
  static constexpr std::uint32_t kHeaderBytes = 42;  // Ethernet 14, IPv4 20, UDP 8

 private:
  enum class Pattern { constant, poisson, burst, imix };
  static constexpr std::uint32_t kMixLength = 12;

  std::vector<std::uint8_t>& next_frame();
  Time next_time();
  void shuffle_mix();

  Pattern pattern_;
  std::uint64_t burst_length_;
  std::uint64_t flows_;
  std::uint64_t packets_;
  Random random_;
  Pacer pacer_;
  std::uint64_t mean_gap_ = 0;  // of pattern poisson, in units of 2^-16 ps

  std::uint64_t sequence_ = 0;
  std::uint64_t flow_ = 0;
  std::uint64_t left_in_burst_ = 0;
  Time due_{};
  std::uint64_t due_fraction_ = 0;  // of pattern poisson, in units of 2^-16 ps

  std::vector<std::vector<std::uint8_t>> frames_;  // one for each size, without FCS
  std::array<std::uint8_t, kMixLength> mix_{};     // index into frames_
  std::uint32_t mix_position_ = 0;
  std::uint32_t fcs_bytes_ = kFcsBytes;
};

}  // namespace ringside
