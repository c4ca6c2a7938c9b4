#include "model/wire/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "model/base/errors.h"
#include "model/wire/capture_traffic.h"
#include "model/wire/synthetic_traffic.h"
#include "model/wire/tcp_sender.h"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 5> kPatterns{"constant", "poisson", "burst", "imix", "tcp"};
constexpr std::array<std::string_view, 3> kTimings{"recorded", "scaled", "rate"};
constexpr Need kSynthetic{{"traffic.pcap", ""}};
constexpr Need kCapture{{"traffic.pcap", "", false}};
constexpr Need kScaled{{"traffic.pcap_timing", "scaled"}};
constexpr Need kPaced{{"traffic.pcap", ""}, {"traffic.pcap_timing", "rate"}};
constexpr Need kAnyRate{{"traffic.pattern", "tcp", false}};
constexpr Need kAnySize{{"traffic.pattern", "imix, tcp", false}};
constexpr Need kBursts{{"traffic.pattern", "burst"}};
constexpr Need kTcp{{"traffic.pattern", "tcp"}};
constexpr std::uint64_t kMaxFrame = 9622;    // 9600 B MTU, header, VLAN tag and FCS
constexpr std::uint64_t kMaxFlows = 64'512;  // UDP source ports 1024 to 65535

}  // namespace

void TrafficConfig::visit(ParameterVisitor& v) {
  constexpr auto origin = ParameterVisitor::Origin::default_value;
  v.packet_rate({"traffic.rate", "packets/s", "convention", "Mean rate of frames; 0 is as fast as the wire allows", {kAnyRate, kPaced}},
                origin, rate, PacketRate{}, PacketRate{10'000'000'000});
  v.number({"traffic.frame_size", "B", "IEEE 802.3", "Size of synthetic frames with FCS; below 64 they are runts", {kSynthetic, kAnySize}},
           origin, frame_size, 1, kMaxFrame);
  v.choice({"traffic.pattern", "", "convention", "Spacing of synthetic UDP frames, the 7:4:1 mix of 64, 594 and 1518 B, or TCP bulk transfers that wait for acknowledgements"},
           origin, pattern, kPatterns);
  v.number({"traffic.burst_length", "frames", "convention", "Frames sent back to back in pattern burst", {kBursts}}, origin,
           burst_length, 1, 1'000'000);
  v.number({"traffic.flows", "flows", "convention", "Flows that take turns, told apart by source port", {kSynthetic}}, origin,
           flows, 1, kMaxFlows);
  v.text({"traffic.pcap", "", "convention", "Capture to replay (pcap or pcapng) in place of synthetic frames"}, origin,
         pcap);
  v.choice({"traffic.pcap_timing", "", "convention", "Replay as recorded, at pcap_scale, or evenly at traffic.rate"},
           origin, pcap_timing, kTimings);
  v.number({"traffic.pcap_scale", "%", "convention", "Speed of a scaled replay against the recording", {kCapture, kScaled}}, origin,
           pcap_scale, 1, 1'000'000'000);
  v.flag({"traffic.loop", "", "convention", "Start the capture over at its end", {kCapture}}, origin, loop);
  v.number({"traffic.packets", "packets", "convention", "Stop after so many frames, or segments of each TCP flow; 0 is never"},
           origin, packets, 0, ~0ULL);
  v.number({"traffic.tcp_mss", "B", "Ethernet's 1500 less headers and timestamps", "Payload of a TCP segment", {kTcp}}, origin, tcp_mss,
           64, 8948);
  v.time({"traffic.tcp_delay", "us", "assumed: the other machine's stack and interrupt, in one rack",
          "From an acknowledgement on the wire to the segments that it allows", {kTcp}},
         origin, tcp_delay, Time{}, milliseconds(1000));
}

std::optional<TrafficConfig::Contradiction> TrafficConfig::contradiction() const {
  const bool capture = !pcap.empty();
  if (capture && pattern != "constant")
    return {{"traffic.pattern", fmt::format("traffic.pattern = \"{}\": traffic.pcap brings its own frames; \"constant\" is allowed beside it", pattern)}};
  if (rate.value == 0 && (pattern == "poisson" || pattern == "burst"))
    return {{"traffic.rate", fmt::format("traffic.rate = 0: traffic.pattern = \"{}\" needs a rate above 0", pattern)}};
  return std::nullopt;
}

std::unique_ptr<TrafficSource> make_traffic(const TrafficConfig& config, std::uint64_t seed, Timeline& timeline) {
  if (const auto wrong = config.contradiction()) throw InputError(wrong->message);
  if (!config.pcap.empty()) return std::make_unique<CaptureTraffic>(config);
  if (config.pattern == "tcp") return std::make_unique<TcpSender>(config, timeline);
  return std::make_unique<SyntheticTraffic>(config, seed);
}

}  // namespace ringside
