// A Synopsys Ethernet core, DWXGMAC or EQOS, with one port.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "model/base/timeline.h"
#include "model/dwmac/config.h"
#include "model/dwmac/context.h"
#include "model/dwmac/interrupt_lines.h"
#include "model/dwmac/mac.h"
#include "model/dwmac/registers.h"
#include "model/dwmac/rx_channel.h"
#include "model/dwmac/transmit_port.h"
#include "model/dwmac/tx_channel.h"
#include "model/fabric/ports.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"
#include "model/wire/frame.h"
#include "model/wire/link_partner.h"

namespace ringside {

// Where the receive descriptors of a channel are: 16 bytes each.
struct DescriptorRange {
  std::uint32_t channel;
  PhysAddr base;
  std::uint32_t entries;
};

// Frames in from the wire, registers from the host, descriptors and data by DMA, interrupts by wires.
class Dwmac : public sc_core::sc_module, public FrameSink, public MmioTarget, private dwmac::QueueClient {
 public:
  Dwmac(const sc_core::sc_module_name& name, const DwmacConfig& config, Timeline& timeline, AxiMaster& fabric,
        InterruptSink& interrupts);

  // At most one; nullptr for none. The completion slot of a packet is the address of its last descriptor. A frame that the
  // driver must discard is reported by completed(error) and dropped().
  void set_observer(PacketObserver* observer) { context_.observer = observer; }
  void set_detail_observer(DeviceObserver* observer) { context_.details = observer; }

  // Hears of each transmitted frame at its last bit; nullptr for nobody.
  void set_transmit_sink(FrameSink* sink) { port_.set_sink(sink); }

  // Whom PAUSE frames reach; nullptr for nobody.
  void set_link_partner(LinkPartner* partner) { port_.set_partner(partner); }

  void on_frame(Time now, const Frame& frame) override { mac_.on_frame(now, frame); }
  std::uint32_t head_bytes() const override { return mac_.head_bytes(); }
  void on_head(Time now, const Frame& frame) override { mac_.on_head(now, frame); }
  void mmio_write(Time now, std::uint64_t offset, std::uint32_t size, std::uint64_t value) override;
  std::uint64_t mmio_read(Time now, std::uint64_t offset, std::uint32_t size) override;

  void register_statistics(Statistics& statistics) const;

  // Receive rings of the channels that run.
  std::vector<DescriptorRange> descriptor_ranges() const;

  // Packets that are neither dropped nor completed.
  std::uint64_t packets_inside() const { return context_.counters.buffered; }

  // Packets whose descriptor was written back but is not visible to the host at `now`.
  std::uint64_t completions_in_flight(Time now) const;

  std::uint64_t packets_offered() const { return context_.counters.offered; }
  std::uint64_t packets_dropped() const { return context_.counters.dropped; }
  std::uint64_t packets_completed() const { return context_.counters.completed; }

  // Throws InvariantError unless offered = dropped + inside + completed.
  void check_conservation(Time now) const;

  // What each unit waits for, a line each: for the report of a run that is stuck.
  std::string waiting_for() const;

 private:
  void frame_arrived(Time now, std::uint32_t queue, bool next) override;
  void write_channel(Time now, std::uint32_t number, std::uint32_t offset, std::uint32_t value);
  void write_rx(Time now, std::uint32_t number, std::uint32_t offset, std::uint32_t value);
  void write_tx(Time now, std::uint32_t number, std::uint32_t offset, std::uint32_t value);
  void update_bus();
  void reset(Time now);

  PhysAddr list(std::uint32_t number, std::uint32_t high) const;

  dwmac::Context context_;
  dwmac::Registers registers_;
  dwmac::InterruptLines lines_;
  dwmac::TransmitPort port_;
  dwmac::Mac::Queues queues_;
  dwmac::Mac mac_;
  std::vector<std::unique_ptr<dwmac::RxChannel>> rx_;
  std::vector<std::unique_ptr<dwmac::TxChannel>> tx_;
};

}  // namespace ringside
