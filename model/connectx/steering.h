// Steering: which receive queue a packet goes to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/connectx/receive_queue.h"
#include "model/wire/frame.h"

namespace ringside::connectx {

// All traffic of the port goes to the latest TIR, and a TIR names one queue.
class Steering {
 public:
  struct Tir {
    std::uint32_t number;
    ReceiveQueue* queue;
  };

  void add(Tir tir) { tirs_.push_back(tir); }

  // Removes a TIR and returns the queue that it named, nullptr if there is no such TIR.
  ReceiveQueue* remove(std::uint32_t number) {
    const auto found = std::find_if(tirs_.begin(), tirs_.end(), [number](const Tir& t) { return t.number == number; });
    if (found == tirs_.end()) return nullptr;
    ReceiveQueue* queue = found->queue;
    tirs_.erase(found);
    return queue;
  }

  // nullptr: no rule matches.
  ReceiveQueue* select(const Frame&) const { return tirs_.empty() ? nullptr : tirs_.back().queue; }

 private:
  std::vector<Tir> tirs_;
};

}  // namespace ringside::connectx
