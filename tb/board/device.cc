#include "tb/board/device.h"

#include <algorithm>

#include "model/connectx/connectx.h"
#include "model/connectx/hw/cqe.h"
#include "model/dwmac/dwmac.h"
#include "model/dwmac/hw/desc.h"
#include "model/fabric/axi_port.h"
#include "model/fabric/pcie_link.h"
#include "model/guest/contract.h"

namespace ringside {

namespace {

Device::Range ring(PhysAddr base, std::uint64_t entries, std::uint64_t entry) {
  return {base.value, base.value + entries * entry, entry};
}

class ConnectxDevice final : public Device {
 public:
  ConnectxDevice(const Scenario& scenario, Timeline& timeline, PhysicalMemory& memory, MemorySystem& caches,
                 InterruptSink& interrupts)
      : packet_interval_(scenario.nic.packet_interval()),
        pcie_("pcie", scenario.pcie, timeline, memory, caches, interrupts),
        nic_("nic", scenario.nic, timeline, pcie_) {
    pcie_.attach(nic_, guest::kNicBar, guest::kNicBarSize);
    nic_.register_statistics(nic_statistics_);
    pcie_.register_statistics(pcie_statistics_);
  }

  FrameSink& port() override { return nic_; }
  MmioFabric& mmio() override { return pcie_; }
  void set_observer(PacketObserver& observer) override {
    nic_.set_observer(&observer);
    pcie_.set_observer(&observer);
  }
  void set_detail_observers(DeviceObserver& device, FabricObserver& fabric) override {
    nic_.set_detail_observer(&device);
    pcie_.set_transfer_observer(&fabric);
  }
  void set_link(FrameSink* transmitted, LinkPartner*) override { nic_.set_transmit_sink(transmitted); }
  std::vector<Range> completions() const override {
    std::vector<Range> rings;
    for (const CqRange& queue : nic_.cq_ranges()) {
      rings.push_back(ring(queue.base, std::uint64_t{1} << queue.log_size, sizeof(connectx::cqe64)));
    }
    return rings;
  }
  std::uint64_t packets_inside() const override { return nic_.packets_inside(); }
  void check_conservation(Time now) const override { nic_.check_conservation(now); }
  std::string waiting_for() const override { return nic_.waiting_for(); }
  const Statistics& device_statistics() const override { return nic_statistics_; }
  std::string_view fabric_name() const override { return "pcie"; }
  const Statistics& fabric_statistics() const override { return pcie_statistics_; }
  std::vector<Busy> busy() const override {
    return {{"pcie upstream", value_of(pcie_statistics_, "pcie_upstream_busy")},
            {"pcie downstream", value_of(pcie_statistics_, "pcie_downstream_busy")},
            {"nic rx engine", nic_.packets_completed() * packet_interval_.value}};
  }

 private:
  Time packet_interval_;
  PcieLink pcie_;
  ConnectX nic_;
  Statistics nic_statistics_, pcie_statistics_;
};

class DwmacDevice final : public Device {
 public:
  DwmacDevice(const Scenario& scenario, Timeline& timeline, PhysicalMemory& memory, MemorySystem& caches,
              InterruptSink& interrupts)
      : axi_("axi", scenario.axi, timeline, memory, caches), mac_("dwmac", scenario.dwmac, timeline, axi_, interrupts) {
    axi_.attach(mac_, guest::kNicBar, guest::kNicBarSize);
    mac_.register_statistics(mac_statistics_);
    axi_.register_statistics(axi_statistics_);
  }

  FrameSink& port() override { return mac_; }
  MmioFabric& mmio() override { return axi_; }
  void set_observer(PacketObserver& observer) override {
    mac_.set_observer(&observer);
    axi_.set_observer(&observer);
  }
  void set_detail_observers(DeviceObserver& device, FabricObserver& fabric) override {
    mac_.set_detail_observer(&device);
    axi_.set_transfer_observer(&fabric);
  }
  void set_link(FrameSink* transmitted, LinkPartner* partner) override {
    mac_.set_transmit_sink(transmitted);
    mac_.set_link_partner(partner);
  }
  std::vector<Range> completions() const override {
    std::vector<Range> rings;
    for (const DescriptorRange& range : mac_.descriptor_ranges()) {
      rings.push_back(ring(range.base, range.entries, sizeof(dwmac::dma_desc)));
    }
    return rings;
  }
  std::uint64_t packets_inside() const override { return mac_.packets_inside(); }
  void check_conservation(Time now) const override { mac_.check_conservation(now); }
  std::string waiting_for() const override { return mac_.waiting_for(); }
  const Statistics& device_statistics() const override { return mac_statistics_; }
  std::string_view fabric_name() const override { return "axi"; }
  const Statistics& fabric_statistics() const override { return axi_statistics_; }
  std::vector<Busy> busy() const override {
    return {{"axi write channel", value_of(axi_statistics_, "axi_write_busy")},
            {"axi read channel", value_of(axi_statistics_, "axi_read_busy")}};
  }

 private:
  AxiPort axi_;
  Dwmac mac_;
  Statistics mac_statistics_, axi_statistics_;
};

}  // namespace

std::uint64_t value_of(const Statistics& statistics, std::string_view name) {
  const auto& all = statistics.all();
  const auto at = std::find_if(all.begin(), all.end(), [name](const Statistic& s) { return s.name == name; });
  return at == all.end() ? 0 : *at->value;
}

std::unique_ptr<Device> make_device(const Scenario& scenario, Timeline& timeline, PhysicalMemory& memory,
                                    MemorySystem& caches, InterruptSink& interrupts) {
  if (scenario.driver.name == "stmmac") return std::make_unique<DwmacDevice>(scenario, timeline, memory, caches, interrupts);
  return std::make_unique<ConnectxDevice>(scenario, timeline, memory, caches, interrupts);
}

}  // namespace ringside
