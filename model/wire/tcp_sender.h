// The other end of the wire as a TCP sender: what it sends depends on what the device under test acknowledges.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/base/timeline.h"
#include "model/probe/statistics.h"
#include "model/wire/tcp_connection.h"
#include "model/wire/traffic.h"

namespace ringside {

// One bulk transfer per flow, as iperf makes it; connections are established (model/guest/stream.h says with what) and take
// turns. Acknowledgements come back as frames from the device's transmit side and take traffic.tcp_delay to be acted upon.
class TcpSender final : public TrafficSource, public FrameSink, public EventTarget {
 public:
  TcpSender(const TrafficConfig& config, Timeline& timeline);

  bool next(Offer& offer) override;
  bool ended() const override;
  void listen(TrafficListener& listener) override { listener_ = &listener; }
  FrameSink* peer() override { return this; }

  // A frame that the device sent. Anything but an acknowledgement of one of the connections is counted and ignored.
  void on_frame(Time now, const Frame& frame) override;
  void fire(Time now, std::uint64_t argument) override;

  // Bytes acknowledged on all connections.
  std::uint64_t acknowledged() const;
  void register_statistics(Statistics& statistics) const override;

  static constexpr std::uint32_t kHeaderBytes = 66;  // Ethernet 14, IPv4 20, TCP 20 and 12 of timestamps

 private:
  struct Acknowledgement {
    Time due;
    std::size_t flow;
    std::uint32_t number;
    std::uint64_t window;
    std::uint32_t timestamp;
  };
  struct Flow {
    explicit Flow(std::uint32_t mss) : connection(mss) {}
    TcpConnection connection;
    std::uint32_t echo = 0;  // latest timestamp of the other side
    bool timer_set = false;
  };

  void build(Flow& flow, std::size_t index, TcpConnection::Segment segment);
  void act_on(Time now, const Acknowledgement& ack);
  void set_timer(Flow& flow, std::size_t index);
  void count();

  Timeline& timeline_;
  std::uint32_t mss_;
  std::uint64_t end_;  // of each stream
  Time delay_;
  TrafficListener* listener_ = nullptr;
  std::vector<Flow> flows_;
  std::size_t turn_ = 0;
  std::deque<Acknowledgement> under_way_;
  std::vector<std::uint8_t> frame_;
  std::uint16_t ip_id_ = 0;
  std::uint64_t segments_ = 0, acknowledgements_ = 0, ignored_ = 0, retransmissions_ = 0, timeouts_ = 0;
};

}  // namespace ringside
