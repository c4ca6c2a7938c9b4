// The network device that a guest drives on Unicorn alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/base/timeline.h"
#include "model/fabric/ports.h"
#include "model/wire/frame.h"
#include "tb/bench/functional_fabric.h"
#include "tb/scenario/scenario.h"

namespace ringside::bench {

class BenchDevice {
 public:
  virtual ~BenchDevice() = default;

  virtual MmioTarget& mmio() = 0;
  virtual FrameSink& port() = 0;
  virtual std::uint64_t packets_completed() const = 0;
  virtual std::string waiting_for() const = 0;

  // Between frames, so that the device keeps up.
  virtual Time interval() const = 0;

  // A register that is written with eight bytes at once. All others have four.
  virtual bool eight_bytes(std::uint64_t offset) const = 0;
};

// The device that scenario.driver.name drives. The references must outlive it.
std::unique_ptr<BenchDevice> make_bench_device(const Scenario& scenario, Timeline& timeline, FunctionalFabric& fabric);

}  // namespace ringside::bench
