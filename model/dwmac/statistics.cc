#include "model/dwmac/dwmac.h"

namespace ringside {

// The MAC's management counters have the names that ethtool -S prints with the driver; what only the DMA sees has none there.
// rx_pkt_n, rx_buf_unav_irq and the like are counters of the driver.
void Dwmac::register_statistics(Statistics& s) const {
  const dwmac::Counters& c = context_.counters;
  s.add("mmc_rx_framecount_gb", "packets", c.rx_framecount_gb, "Frames received, good and bad.");
  s.add("mmc_rx_octetcount_gb", "bytes", c.rx_octetcount_gb, "Bytes of mmc_rx_framecount_gb, FCS included.");
  s.add("mmc_rx_unicast_g", "packets", c.rx_unicast_g, "Good unicast frames that passed the filter.");
  s.add("mmc_rx_multicastframe_g", "packets", c.rx_multicast_g, "Good multicast frames that passed the filter.");
  s.add("mmc_rx_broadcastframe_g", "packets", c.rx_broadcast_g, "Good broadcast frames that passed the filter.");
  s.add("mmc_rx_undersize_g", "packets", c.rx_undersize_g, "Frames shorter than 64 bytes.");
  s.add("mmc_rx_oversize_g", "packets", c.rx_oversize_g, "Frames longer than 1518 bytes, or 9018 with jumbo frames on.");
  s.add("mmc_rx_watchdog_error", "packets", c.rx_watchdog_error, "Frames longer than the receive watchdog allows.");
  s.add("mmc_rx_pause_frames", "packets", c.rx_pause_frames, "PAUSE frames received; they end at the MAC.");
  s.add("mmc_rx_fifo_overflow", "packets", c.rx_fifo_overflow, "Frames lost, or cut short in threshold mode, because the FIFO was full.");
  s.add("mmc_rx_ipv4_hderr", "packets", c.rx_ipv4_hderr, "Frames with an error in the IPv4 header.");
  s.add("mmc_rx_udp_err", "packets", c.rx_udp_err, "Frames with a wrong UDP checksum.");
  s.add("mmc_rx_tcp_err", "packets", c.rx_tcp_err, "Frames with a wrong TCP checksum.");
  s.add("mmc_rx_icmp_err", "packets", c.rx_icmp_err, "Frames with a wrong ICMP checksum.");
  s.add("mmc_tx_framecount_gb", "packets", c.tx_framecount_gb, "Frames sent, PAUSE included.");
  s.add("mmc_tx_octetcount_gb", "bytes", c.tx_octetcount_gb, "Bytes of these, padding and FCS included.");
  s.add("mmc_tx_pause_frame", "packets", c.tx_pause_frames, "PAUSE frames sent.");
  s.add("device.rx_filtered", "packets", c.filtered, "Packets dropped by the address filter; dropped as da_rx_filter_fail.");
  s.add("device.rx_disabled", "packets", c.disabled, "Packets dropped while the receiver was off.");
  s.add("device.rx_flushed", "packets", c.flushed, "Packets lost to a reset of the device.");
  s.add("device.rx_error_frames", "packets", c.error_frames, "Packets whose descriptor tells the driver to discard them.");
  s.add("device.packets_completed", "packets", c.completed, "Packets written to memory and completed.");
  s.add("device.packets_in_fifo", "packets", c.buffered, "Packets in the receive FIFO now.");
  s.add("device.rx_fifo_peak", "bytes", c.fifo_peak, "Most bytes that one receive queue held.");
  s.add("device.rx_descriptors", "entries", c.rx_descriptors, "Receive descriptors used.");
  s.add("device.rx_context_descriptors", "entries", c.rx_contexts, "Those that became context descriptors.");
  s.add("device.descriptor_fetches", "reads", c.descriptor_fetches, "DMA reads of descriptors, receive and transmit.");
  s.add("device.descriptors_fetched", "entries", c.descriptors_fetched, "Descriptors asked for by these reads.");
  s.add("device.descriptors_discarded", "entries", c.descriptors_discarded,
        "Prefetched descriptors thrown away because the driver owned one before or at them.");
  s.add("device.tail_writes", "events", c.tail_writes, "Writes of tail pointers while the channel ran.");
  s.add("device.rx_buffer_unavailable", "events", c.rbu_events, "Times that a receive channel ran out of descriptors (RBU).");
  s.add("device.tx_buffer_unavailable", "events", c.tbu_events, "Times that a transmit channel ran out of descriptors (TBU).");
  s.add("device.rx_watchdog_interrupts", "events", c.riwt_expired, "Times that the receive interrupt watchdog expired.");
  s.add("device.fatal_bus_errors", "events", c.bus_errors, "Channels stopped because a read had no answer (FBE).");
  s.add("device.tx_descriptors", "entries", c.tx_descriptors, "Transmit descriptors used.");
  s.add("device.interrupts", "events", c.interrupts, "Interrupt lines that rose or were still high after a write.");
  s.add("device.mmio_ignored", "events", c.mmio_ignored, "Register accesses of a wrong size or alignment.");
}

}  // namespace ringside
