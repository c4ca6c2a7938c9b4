#include "model/connectx/connectx.h"

#include "model/base/bigendian.h"
#include "model/connectx/hw/registers.h"

namespace ringside {

using namespace connectx;

ConnectX::ConnectX(const sc_core::sc_module_name& module_name, const ConnectxConfig& config, Timeline& timeline,
                   DmaFabric& fabric)
    : sc_module(module_name),
      context_(name(), config, timeline, fabric),
      objects_(context_),
      engine_(context_, objects_.steering(), objects_.mkeys()),
      transmit_{TxEngine(context_, 0), TxEngine(context_, 1)},
      engines_(engine_, transmit_),
      commands_(context_, objects_, engines_) {}

void ConnectX::mmio_write(Time now, std::uint64_t offset, std::uint32_t size, std::uint64_t value) {
  // Doorbells are big-endian in the order of the bytes on the bus.
  const std::uint32_t first = byte_swapped(static_cast<std::uint32_t>(value));
  const std::uint32_t second = byte_swapped(static_cast<std::uint32_t>(value >> 32));
  if (offset == kUarCqDoorbell && size == 8) {
    if (CompletionQueue* cq = objects_.completion_queue(second)) return cq->arm(now, first);
  } else if (offset == kUarBlueFlame && size == 8) {
    if (SendQueue* sq = objects_.send_queue(second >> 8)) return sq->ring(now, first, second);
  } else if (offset == kUarEqArm && size == 4) {
    if (EventQueue* eq = objects_.event_queue(first >> 24)) return eq->arm(now, first & kCqIndexMask);
  } else if (offset == kUarEqUpdate && size == 4) {
    if (EventQueue* eq = objects_.event_queue(first >> 24)) return eq->update(now, first & kCqIndexMask);
  } else if (offset == kRegCommandAddress && size == 8) {
    return commands_.set_address(PhysAddr{value});
  } else if (offset == kRegCommandDoorbell && size == 4) {
    return commands_.ring(now);
  }
  ++context_.counters.mmio_ignored;
}

std::uint64_t ConnectX::mmio_read(Time, std::uint64_t offset, std::uint32_t size) {
  if (offset == kRegFirmwareRevision && size == 4) return kFirmwareRevision;
  ++context_.counters.mmio_ignored;
  return 0;
}

std::vector<CqRange> ConnectX::cq_ranges() const {
  std::vector<CqRange> ranges;
  for (const auto& cq : objects_.completion_queues()) {
    if (!cq->destroyed()) ranges.push_back({cq->number(), cq->layout().buffer, cq->layout().log_size});
  }
  return ranges;
}

std::string ConnectX::waiting_for() const {
  std::string text = engine_.waiting_for();
  for (const TxEngine& engine : transmit_) text += engine.port().waiting_for();
  return text + objects_.waiting_for() + commands_.waiting_for();
}

void ConnectX::register_statistics(Statistics& s) const {
  const Counters& c = context_.counters;
  s.add("rx_packets_phy", "packets", c.rx_packets_phy, "Frames received by the port, without those of a wrong length.");
  s.add("rx_bytes_phy", "bytes", c.rx_bytes_phy, "Bytes of rx_packets_phy, FCS included.");
  s.add("rx_undersize_pkts_phy", "packets", c.rx_undersize_pkts_phy, "Frames dropped as shorter than 64 bytes.");
  s.add("rx_oversize_pkts_phy", "packets", c.rx_oversize_pkts_phy,
        "Frames dropped as longer than the port's MTU allows.");
  s.add("rx_discards_phy", "packets", c.rx_discards_phy, "Frames dropped because the packet buffer was full.");
  s.add("rx_steer_missed_packets", "packets", c.rx_steer_missed_packets,
        "Packets dropped for lack of a ready receive queue.");
  s.add("rx_out_of_buffer", "packets", c.rx_out_of_buffer, "Packets dropped because no receive WQE was posted.");
  s.add("rx_cq_error", "packets", c.rx_cq_error,
        "Packets dropped because their completion queue is in error (no Linux name).");
  s.add("device.error_completions", "packets", c.rx_wqe_err,
        "Packets lost to an error completion; dropped as rx_wqe_err, the driver's name.");
  s.add("device.filler_completions", "entries", c.filler_completions,
        "Completions that give up the last strides of a receive WQE; rx_mpwqe_filler_cqes of the driver.");
  s.add("device.packets_completed", "packets", c.completed, "Packets written to memory and completed.");
  s.add("device.packets_in_buffer", "packets", c.buffered, "Packets in the packet buffer now.");
  s.add("device.packet_buffer_peak", "bytes", c.buffered_bytes_max, "Most bytes that the packet buffer held.");
  s.add("device.wqe_fetches", "reads", c.wqe_fetches, "DMA reads of receive WQEs.");
  s.add("device.wqes_fetched", "entries", c.wqes_fetched, "Receive WQEs asked for by these reads.");
  s.add("device.wqes_consumed", "entries", c.wqes_consumed, "Receive WQEs used.");
  s.add("device.rq_record_reads", "reads", c.rq_record_reads, "DMA reads of receive queue doorbell records.");
  s.add("device.cq_record_reads", "reads", c.cq_record_reads, "DMA reads of completion queue doorbell records.");
  s.add("tx_packets_phy", "packets", c.transmit[0].packets, "Frames handed to the port.");
  s.add("tx_bytes_phy", "bytes", c.transmit[0].bytes, "Bytes of tx_packets_phy, padding and FCS included.");
  s.add("eth1:tx_packets_phy", "packets", c.transmit[1].packets, "Frames handed to the second port.");
  s.add("eth1:tx_bytes_phy", "bytes", c.transmit[1].bytes, "Bytes of eth1:tx_packets_phy, padding and FCS included.");
  s.add("device.sq_fetches", "reads", c.sq_fetches, "DMA reads of send WQEs.");
  s.add("device.sq_wqebbs_fetched", "entries", c.sq_blocks_fetched, "64-byte blocks of send WQEs asked for.");
  s.add("device.send_wqes", "entries", c.send_wqes, "Send WQEs begun, NOPs and UMRs included.");
  s.add("device.send_nops", "entries", c.send_nops, "NOPs among them.");
  s.add("device.umrs", "entries", c.umrs, "UMR WQEs carried out.");
  s.add("device.send_error_completions", "entries", c.send_error_completions, "Send WQEs that ended in an error.");
  s.add("device.sq_errors", "events", c.sq_errors, "Send queues that went into the error state.");
  s.add("device.rq_errors", "events", c.rq_errors, "Receive queues that went into the error state.");
  s.add("device.cq_errors", "events", c.cq_errors, "Completion queues that overran.");
  s.add("device.eqes", "entries", c.eqes, "Event queue entries written.");
  s.add("device.interrupts", "events", c.interrupts, "MSI-X messages sent.");
  s.add("device.commands", "events", c.commands, "Commands carried out.");
  s.add("device.commands_failed", "events", c.commands_failed, "Commands refused.");
  s.add("device.mmio_ignored", "events", c.mmio_ignored, "Register accesses that mean nothing to the device.");
}

}  // namespace ringside
