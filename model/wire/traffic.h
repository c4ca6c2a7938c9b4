// What is sent to the device, and when.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "model/base/parameter.h"
#include "model/base/units.h"
#include "model/probe/statistics.h"
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
  std::uint64_t tcp_mss = 1448;  // bytes
  Time tcp_delay = microseconds(20);

  void visit(ParameterVisitor& visitor);

  // The first setting that contradicts another one or that would silently do nothing, if there is one.
  struct Contradiction {
    std::string parameter;
    std::string message;  // begins with the parameter
  };
  std::optional<Contradiction> contradiction() const;
};

class Timeline;

// Hears of frames that a source has had none of before.
class TrafficListener {
 public:
  virtual void traffic_ready(Time now) = 0;

 protected:
  ~TrafficListener() = default;
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

  // False when there is no frame now.
  virtual bool next(Offer& offer) = 0;

  // After next() returned false: there will be none any more. Otherwise the listener hears when there is one again.
  virtual bool ended() const { return true; }
  virtual void listen(TrafficListener&) {}

  // Who hears of the frames that the device sends; null if nobody does.
  virtual FrameSink* peer() { return nullptr; }
  virtual void register_statistics(Statistics&) const {}
};

// The source that `config` describes. Throws InputError for a capture that cannot be read or settings that contradict
// each other. `timeline` is for sources that depend on what comes back. The same seed gives the same frames at the same times.
std::unique_ptr<TrafficSource> make_traffic(const TrafficConfig& config, std::uint64_t seed, Timeline& timeline);

}  // namespace ringside
