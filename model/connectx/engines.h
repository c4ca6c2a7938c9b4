// The two engines of the device, for what concerns both.
#pragma once

#include "model/connectx/rx_engine.h"
#include "model/connectx/tx_engine.h"

namespace ringside::connectx {

// A completion queue does not know whose completions wait for room in it.
class Engines final : public SpaceClient {
 public:
  Engines(RxEngine& rx_in, TxEngine& tx_in) : rx(rx_in), tx(tx_in) {}

  RxEngine& rx;
  TxEngine& tx;

  void resume(Time now) override {
    rx.resume(now);
    tx.resume(now);
  }
};

}  // namespace ringside::connectx
