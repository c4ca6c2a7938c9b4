#include "model/wire/synthetic_traffic.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/base/bigendian.h"

namespace ringside {
namespace {

constexpr std::uint32_t kMixSizes[] = {64, 594, 1518};  // with FCS; the usual "simple IMIX", 7:4:1
constexpr std::uint32_t kMixShares[] = {7, 4, 1};

constexpr std::uint32_t kPortOffset = 34;  // UDP source port

void put16(std::uint8_t* at, std::uint16_t value) {
  const std::uint16_t big = byte_swapped(value);
  std::memcpy(at, &big, sizeof big);
}

// Header fields of a frame of `size` bytes without FCS, cut off at its end.
std::vector<std::uint8_t> make_frame(std::uint32_t size) {
  std::vector<std::uint8_t> frame(std::max(size, SyntheticTraffic::kHeaderBytes));
  static constexpr std::uint8_t kHeader[SyntheticTraffic::kHeaderBytes] = {
      0x02, 0,    0, 0, 0,   0x01,                         // destination, locally administered
      0x02, 0,    0, 0, 0,   0x02,                         // source
      0x08, 0x00,                                          // IPv4
      0x45, 0,    0, 0, 0,   0,    0x40, 0, 64, 17, 0, 0,  // version, length, don't fragment, TTL, UDP, checksum
      198,  18,   0, 1, 198, 19,   0,    1,                // addresses of RFC 2544 benchmarks
      0,    0,    0, 9, 0,   0,    0,    0,                // ports (discard), length, no checksum
  };
  std::memcpy(frame.data(), kHeader, sizeof kHeader);
  const auto ip_length = static_cast<std::uint16_t>(frame.size() - 14);
  put16(&frame[16], ip_length);
  put16(&frame[38], static_cast<std::uint16_t>(ip_length - 20));
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < 34; i += 2) sum += static_cast<std::uint32_t>(frame[i] << 8 | frame[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  put16(&frame[24], static_cast<std::uint16_t>(~sum));
  frame.resize(size);
  return frame;
}

}  // namespace

SyntheticTraffic::SyntheticTraffic(const TrafficConfig& config, std::uint64_t seed)
    : pattern_(config.pattern == "poisson" ? Pattern::poisson
               : config.pattern == "burst" ? Pattern::burst
               : config.pattern == "imix"  ? Pattern::imix
                                           : Pattern::constant),
      burst_length_(pattern_ == Pattern::burst ? config.burst_length : 1),
      flows_(config.flows),
      packets_(config.packets),
      random_(seed),
      pacer_(config.rate),
      left_in_burst_(1) {
  if (pattern_ == Pattern::poisson)
    mean_gap_ =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(1'000'000'000'000) << 16) / config.rate.value);
  if (pattern_ == Pattern::imix) {
    std::uint32_t filled = 0;
    for (std::uint8_t kind = 0; kind < 3; ++kind) {
      frames_.push_back(make_frame(kMixSizes[kind] - kFcsBytes));
      for (std::uint32_t i = 0; i < kMixShares[kind]; ++i) mix_[filled++] = kind;
    }
  } else {
    const auto size = static_cast<std::uint32_t>(config.frame_size);
    fcs_bytes_ = std::min(size, kFcsBytes);
    frames_.push_back(make_frame(size - fcs_bytes_));
  }
}

bool SyntheticTraffic::next(Offer& offer) {
  if (packets_ != 0 && sequence_ == packets_) return false;
  std::vector<std::uint8_t>& frame = next_frame();
  if (frame.size() >= kPortOffset + 2) put16(&frame[kPortOffset], static_cast<std::uint16_t>(kFirstPort + flow_));
  if (frame.size() >= kHeaderBytes + sizeof sequence_) {
    const std::uint64_t big = byte_swapped(sequence_);
    std::memcpy(&frame[kHeaderBytes], &big, sizeof big);
  }
  if (++flow_ == flows_) flow_ = 0;
  offer = {next_time(), frame, static_cast<std::uint32_t>(frame.size()) + fcs_bytes_};
  ++sequence_;
  return true;
}

std::vector<std::uint8_t>& SyntheticTraffic::next_frame() {
  if (pattern_ != Pattern::imix) return frames_.front();
  if (mix_position_ == 0) shuffle_mix();
  std::vector<std::uint8_t>& frame = frames_[mix_[mix_position_]];
  mix_position_ = (mix_position_ + 1) % kMixLength;
  return frame;
}

// Every run of 12 frames holds the exact shares, in random order.
void SyntheticTraffic::shuffle_mix() {
  for (std::uint32_t i = kMixLength - 1; i > 0; --i) std::swap(mix_[i], mix_[random_.below(i + 1)]);
}

Time SyntheticTraffic::next_time() {
  if (pattern_ == Pattern::poisson) {
    const Time due = due_;
    const auto gap =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(random_.exponential()) * mean_gap_) >> 32);
    due_fraction_ += gap & 0xffff;
    due_.value += (gap >> 16) + (due_fraction_ >> 16);
    due_fraction_ &= 0xffff;
    return due;
  }
  // A burst takes as many steps of the pacer as it has frames, so that the mean rate is exact.
  const Time due = pacer_.next();
  if (--left_in_burst_ == 0) {
    due_ = due;
    left_in_burst_ = burst_length_;
  }
  return due_;
}

}  // namespace ringside
