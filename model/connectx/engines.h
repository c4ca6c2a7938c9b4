// The engines of the device, for what concerns all of them.
#pragma once

#include <array>

#include "model/connectx/rx_engine.h"
#include "model/connectx/tx_engine.h"

namespace ringside::connectx {

// A completion queue does not know whose completions wait for room in it.
class Engines final : public SpaceClient {
 public:
  Engines(RxEngine& rx_in, std::array<TxEngine, kPorts>& tx_in) : rx(rx_in), tx(tx_in) {}

  RxEngine& rx;
  std::array<TxEngine, kPorts>& tx;  // by port

  void resume(Time now) override {
    rx.resume(now);
    for (TxEngine& engine : tx) engine.resume(now);
  }
};

}  // namespace ringside::connectx
