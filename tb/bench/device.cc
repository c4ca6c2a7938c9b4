#include "tb/bench/device.h"

#include "model/connectx/connectx.h"
#include "model/connectx/hw/registers.h"
#include "model/dwmac/dwmac.h"

namespace ringside::bench {

namespace {

class BenchConnectx final : public BenchDevice {
 public:
  BenchConnectx(const Scenario& scenario, Timeline& timeline, FunctionalFabric& fabric)
      : interval_(scenario.nic.packet_interval()), nic_("nic", scenario.nic, timeline, fabric) {}

  MmioTarget& mmio() override { return nic_; }
  FrameSink& port() override { return nic_; }
  std::uint64_t packets_completed() const override { return nic_.packets_completed(); }
  std::string waiting_for() const override { return nic_.waiting_for(); }
  Time interval() const override { return interval_; }
  bool eight_bytes(std::uint64_t offset) const override {
    return offset == connectx::kRegCommandAddress || offset == connectx::kUarCqDoorbell || offset == connectx::kUarBlueFlame;
  }

 private:
  Time interval_;
  ConnectX nic_;
};

class BenchDwmac final : public BenchDevice {
 public:
  BenchDwmac(const Scenario& scenario, Timeline& timeline, FunctionalFabric& fabric)
      : interval_(scenario.dwmac.rx_latency + scenario.dwmac.rx_descriptor),
        mac_("dwmac", scenario.dwmac, timeline, fabric, fabric) {}

  MmioTarget& mmio() override { return mac_; }
  FrameSink& port() override { return mac_; }
  std::uint64_t packets_completed() const override { return mac_.packets_completed(); }
  std::string waiting_for() const override { return mac_.waiting_for(); }
  Time interval() const override { return interval_; }
  bool eight_bytes(std::uint64_t) const override { return false; }

 private:
  Time interval_;
  Dwmac mac_;
};

}  // namespace

std::unique_ptr<BenchDevice> make_bench_device(const Scenario& scenario, Timeline& timeline, FunctionalFabric& fabric) {
  if (scenario.driver.name == "stmmac") return std::make_unique<BenchDwmac>(scenario, timeline, fabric);
  return std::make_unique<BenchConnectx>(scenario, timeline, fabric);
}

}  // namespace ringside::bench
