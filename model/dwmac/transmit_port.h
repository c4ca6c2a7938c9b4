// The MAC's transmit side: frames in order, PAUSE between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/timeline.h"
#include "model/dwmac/context.h"
#include "model/fabric/ring_buffer.h"
#include "model/wire/frame.h"
#include "model/wire/link_partner.h"

namespace ringside::dwmac {

// Hears that the last bit of a frame is on the wire.
class TransmitClient {
 public:
  virtual void transmitted(Time now, std::uint32_t frame) = 0;

 protected:
  ~TransmitClient() = default;
};

class TransmitPort final : public EventTarget {
 public:
  explicit TransmitPort(Context& context)
      : context_(context),
        byte_time_(transfer_time(bytes(1ULL << kFractionBits), context.config.port_rate).value) {}

  // Who hears of each frame of the host at its last bit, and whom PAUSE reaches; nullptr for nobody.
  void set_sink(FrameSink* sink) { sink_ = sink; }
  void set_partner(LinkPartner* partner) { partner_ = partner; }

  // A frame without FCS that is ready at `ready`, which does not fall from call to call. The bytes must stay until the
  // client hears of it.
  void send(Time ready, std::span<const std::uint8_t> bytes, TransmitClient& client, std::uint32_t frame);

  // A PAUSE frame, at the next frame boundary and before waiting frames.
  void send_pause(Time now, std::uint32_t quanta);

  // The other end has asked for silence: no frame of the host begins. PAUSE frames may still be sent.
  void hold(Time now, std::uint32_t quanta);

  // Time of so many times 512 bits.
  Time quanta_time(std::uint32_t quanta) const { return duration(std::uint64_t{quanta} * 64); }

  std::uint64_t waiting() const { return frames_.size(); }

  void fire(Time now, std::uint64_t argument) override;

 private:
  struct Waiting {
    Time ready;
    std::span<const std::uint8_t> bytes;
    TransmitClient* client;
    std::uint32_t frame;
  };

  void start_next(Time now);
  void start(Time now, std::uint32_t length);
  Time duration(std::uint64_t size) const {
    return {(size * byte_time_ + (1ULL << kFractionBits) - 1) >> kFractionBits};
  }

  static constexpr unsigned kFractionBits = 20;

  Context& context_;
  const std::uint64_t byte_time_;  // in units of 2^-20 ps, rounded up
  FrameSink* sink_ = nullptr;
  LinkPartner* partner_ = nullptr;

  RingBuffer<Waiting> frames_;
  RingBuffer<std::uint32_t> pauses_;  // quanta
  bool sending_ = false;
  bool sending_pause_ = false;
  Time end_{};   // of the frame on the wire
  Time free_{};  // end of the gap
  Time held_until_{};
  Time wake_{};  // when start_next() is called at the latest; a time that has passed is none
  std::uint64_t sent_ = 0;
};

}  // namespace ringside::dwmac
