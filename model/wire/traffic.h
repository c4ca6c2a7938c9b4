// What is sent to the device, and when.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "model/base/parameter.h"
#include "model/base/units.h"
#include "model/wire/frame.h"

namespace ringside {

struct TrafficConfig {
  PacketRate rate{};                          // 0: as fast as the wire allows
  std::uint64_t frame_size = kMinFrameBytes;  // bytes with FCS
  std::string pattern = "constant";
  std::uint64_t burst_length = 32;
  std::uint64_t flows = 1;
  std::string pcap;  // empty: synthetic traffic
  std::string pcap_timing = "recorded";
  std::uint64_t pcap_scale = 100;  // percent of the recorded speed
  bool loop = false;
  std::uint64_t packets = 0;  // 0: no end

  void visit(ParameterVisitor& visitor);

  // The first setting that contradicts another one or that would silently do nothing, if there is one.
  struct Contradiction {
    std::string parameter;
    std::string message;  // begins with the parameter
  };
  std::optional<Contradiction> contradiction() const;
};

// Produces frames in the order in which they are sent.
class TrafficSource {
 public:
  struct Offer {
    Time earliest;                        // first bit of the preamble not before; counted from the start of traffic
    std::span<const std::uint8_t> bytes;  // without FCS; valid until the next call of next()
    std::uint32_t size;                   // on the wire, with FCS
  };

  virtual ~TrafficSource() = default;

  // False when there are no more frames.
  virtual bool next(Offer& offer) = 0;
};

// The source that `config` describes. Throws InputError for a capture that cannot be read or settings that contradict
// each other. The same seed gives the same frames at the same times.
std::unique_ptr<TrafficSource> make_traffic(const TrafficConfig& config, std::uint64_t seed);

}  // namespace ringside
