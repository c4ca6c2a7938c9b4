// The cable between a traffic source and a MAC.
#pragma once

#include <cstdint>
#include <systemc>

#include "model/base/parameter.h"
#include "model/base/timeline.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"
#include "model/wire/frame.h"
#include "model/wire/link_partner.h"
#include "model/wire/traffic.h"

namespace ringside {

struct WireConfig {
  Bandwidth rate = gigabits_per_second(100);

  void visit(ParameterVisitor& v) {
    v.bandwidth({"wire.rate", "Gbps", "ConnectX-6 Dx", "Rate of the Ethernet link"},
                ParameterVisitor::Origin::default_value, rate, Bandwidth{1'000'000}, gigabits_per_second(800));
  }
};

// Serialises frames at the line rate with preamble and gap between them, one event for each, at its last bit, and one at
// its head if the sink asks for it.
class EthernetWire : public sc_core::sc_module, public EventTarget, public LinkPartner, public TrafficListener {
 public:
  EthernetWire(const sc_core::sc_module_name& name, const WireConfig& config, Timeline& timeline, TrafficSource& source,
               FrameSink& sink);

  // Traffic begins at `at`; the source's times count from there.
  void start(Time at);

  // No frame arrives any more; one that is under way is not offered.
  void stop() { stopped_ = true; }

  // Holds back frames that have not begun.
  void pause(Time now, std::uint32_t quanta) override;

  // The source has no more frames and the last one has arrived, or stop() was called.
  bool exhausted() const { return stopped_ || finished_; }

  std::uint64_t offered_packets() const { return packets_; }
  std::uint64_t offered_bytes() const { return bytes_; }  // with FCS

  void set_observer(PacketObserver* observer) { observer_ = observer; }
  void set_frame_observer(WireObserver* observer) { frame_observer_ = observer; }
  void register_statistics(Statistics& statistics) const;

  void fire(Time now, std::uint64_t argument) override;
  void traffic_ready(Time now) override;

 private:
  void send_next();
  void place(Time begin);
  Time duration(std::uint32_t size) const {
    return {(size * byte_time_ + (1ULL << kFractionBits) - 1) >> kFractionBits};
  }

  static constexpr unsigned kFractionBits = 20;

  const std::uint64_t byte_time_;  // in units of 2^-20 ps, rounded up
  Timeline& timeline_;
  TrafficSource& source_;
  FrameSink& sink_;
  PacketObserver* observer_ = nullptr;
  WireObserver* frame_observer_ = nullptr;

  Time origin_{};
  Time free_{};  // end of the gap after the latest frame
  TrafficSource::Offer under_way_{};
  bool waiting_ = false;  // for the source
  Time unpaused_{};         // when the frame would have begun, were it not for PAUSE
  Time begin_{};            // when it begins or has begun
  Time paused_until_{};
  std::uint64_t place_ = 0;  // counts the frames' times, of which PAUSE may void one
  bool started_ = false;
  bool stopped_ = false;
  bool finished_ = false;

  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t busy_ps_ = 0;
  std::uint64_t pauses_ = 0;
  std::uint64_t paused_ps_ = 0;
};

}  // namespace ringside
