// The receive interrupt watchdog (RIWT): a bound on how long a frame waits for its interrupt.
#pragma once

#include <cstdint>

#include "model/base/timeline.h"
#include "model/base/units.h"

namespace ringside::dwmac {

class ReceiveWatchdog final : public EventTarget {
 public:
  class Client {
   public:
    virtual void watchdog_expired(Time now) = 0;

   protected:
    ~Client() = default;
  };

  // `reload`: each load() starts the time anew; otherwise a running watchdog goes on.
  ReceiveWatchdog(Timeline& timeline, Client& client, bool reload) : timeline_(timeline), client_(client), reload_(reload) {}

  void load(Time now, Time period) {
    if (running_ && !reload_) return;
    running_ = true;
    timeline_.schedule(now + period, *this, ++round_);
  }
  void cancel() { running_ = false; }

  void fire(Time now, std::uint64_t round) override {
    if (!running_ || round != round_) return;
    running_ = false;
    client_.watchdog_expired(now);
  }

 private:
  Timeline& timeline_;
  Client& client_;
  const bool reload_;
  bool running_ = false;
  std::uint64_t round_ = 0;
};

}  // namespace ringside::dwmac
