// Steering: which receive queue a packet goes to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/connectx/receive_queue.h"
#include "model/wire/frame.h"

namespace ringside::connectx {

// All traffic of a port goes to its latest TIR, and a TIR names one queue.
class Steering {
 public:
  struct Tir {
    std::uint32_t number;
    std::uint32_t port;
    ReceiveQueue* queue;
  };

  void add(Tir tir) {
    tirs_.push_back(tir);
    update();
  }

  // Removes a TIR and returns the queue that it named, nullptr if there is no such TIR.
  ReceiveQueue* remove(std::uint32_t number) {
    const auto found = std::find_if(tirs_.begin(), tirs_.end(), [number](const Tir& t) { return t.number == number; });
    if (found == tirs_.end()) return nullptr;
    ReceiveQueue* queue = found->queue;
    tirs_.erase(found);
    update();
    return queue;
  }

  // Of a frame that the first port received. nullptr: no rule matches.
  ReceiveQueue* select(const Frame&) const { return first_port_; }

 private:
  void update() {
    const auto latest = std::find_if(tirs_.rbegin(), tirs_.rend(), [](const Tir& t) { return t.port == 0; });
    first_port_ = latest == tirs_.rend() ? nullptr : latest->queue;
  }

  std::vector<Tir> tirs_;
  ReceiveQueue* first_port_ = nullptr;
};

}  // namespace ringside::connectx
