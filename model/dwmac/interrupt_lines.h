// Channel status and interrupt enable registers, and the lines that they drive.
#pragma once

#include <cstdint>
#include <vector>

#include "model/dwmac/context.h"
#include "model/dwmac/registers.h"
#include "model/fabric/ports.h"

namespace ringside::dwmac {

// Lines are level-triggered. The board learns of one that rises, and again of one that is still high after the driver has
// written to the channel's status or enable register.
class InterruptLines {
 public:
  InterruptLines(Context& context, const Registers& registers, InterruptSink& sink, std::uint32_t channels);

  // An event: its status bit is set whether or not it is enabled.
  void raise(Time now, std::uint32_t channel, std::uint32_t bits);

  void write_status(Time now, std::uint32_t channel, std::uint32_t value);  // write 1 to clear
  void write_enable(Time now, std::uint32_t channel);                       // the register has been written

  std::uint32_t status(std::uint32_t channel) const { return status_[channel]; }
  std::uint32_t dma_status() const;  // a bit for each channel that has something to say

  void reset();

 private:
  void update(Time now, std::uint32_t channel, bool again);
  void summarise(std::uint32_t channel);
  bool summary(std::uint32_t channel) const;
  void drive(Time now, std::uint32_t vector, bool level, bool again);

  std::uint32_t enabled(std::uint32_t channel) const {
    return registers_.channel(channel, registers_.map().int_enable);
  }

  Context& context_;
  const Registers& registers_;
  InterruptSink& sink_;
  const std::uint32_t normal_;    // status bits that are summed up in NIS
  const std::uint32_t abnormal_;  // in AIS
  const std::uint32_t nie_, aie_;
  std::vector<std::uint32_t> status_;
  std::vector<bool> high_;  // by vector
};

}  // namespace ringside::dwmac
