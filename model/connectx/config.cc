#include "model/connectx/config.h"

namespace ringside {

void ConnectxConfig::visit(ParameterVisitor& v) {
  using enum ParameterVisitor::Origin;
  v.size(
      {"nic.packet_buffer", "KiB", "", "Receive packet buffer; a frame that does not fit counts as rx_discards_phy."},
      required, packet_buffer, kibibytes(16), mebibytes(64));
  v.packet_rate({"nic.rx_packet_rate", "Mpps", "", "Packets that the receive engine handles at most."}, required,
                rx_packet_rate, PacketRate{100'000}, PacketRate{2'000'000'000});
  v.number({"nic.wqe_fetch", "entries", "", "Receive WQEs fetched by one DMA read at most."}, required, wqe_fetch, 1,
           64);
  v.number({"nic.wqe_cache", "entries", "", "Fetched receive WQEs that the device holds per queue."}, required,
           wqe_cache, 1, 4096);
  v.number({"nic.wqe_reads", "reads", "", "WQE fetches of one queue that may be outstanding."}, required, wqe_reads, 1,
           64);
  v.number({"nic.record_low_water", "entries", "",
            "Known posted receive WQEs below which the device reads the doorbell record again."},
           required, record_low_water, 1, 32768);
  v.time({"nic.record_poll_interval", "ns", "", "Shortest time between two reads of one doorbell record."}, required,
         record_poll_interval, nanoseconds(1), milliseconds(1));
  v.number({"nic.cq_low_water", "entries", "",
            "Free completion entries below which the device reads the consumer index again."},
           required, cq_low_water, 1, 32768);
  v.time({"nic.command_latency", "us", "", "Time that the firmware takes for one command."}, required, command_latency,
         nanoseconds(0), milliseconds(100));
  v.number({"nic.sq_fetch", "entries", "", "Send WQE basic blocks (64 bytes) fetched by one DMA read at most."},
           required, sq_fetch, 1, 64);
  v.number({"nic.sq_reads", "reads", "", "WQE fetches of one send queue that may be outstanding."}, required, sq_reads,
           1, 64);
  v.time({"nic.umr_latency", "ns", "", "Time that one UMR WQE takes; its queue does nothing else meanwhile."}, required,
         umr_latency, nanoseconds(0), milliseconds(1));
  v.number({"nic.tx_reads", "reads", "", "DMA reads of payload that may be outstanding."}, required, tx_reads, 1, 4096);
  v.size({"nic.tx_buffer", "KiB", "", "Transmit buffer: payload asked for and not yet sent."}, required, tx_buffer,
         kibibytes(10), mebibytes(64));
  v.packet_rate({"nic.tx_packet_rate", "Mpps", "", "Packets that the transmit engine handles at most."}, required,
                tx_packet_rate, PacketRate{100'000}, PacketRate{2'000'000'000});
  v.time({"nic.tx_latency", "ns", "",
          "Time from a packet's last byte in the transmit engine to its completion and to the wire."},
         required, tx_latency, nanoseconds(0), microseconds(100));
  v.bandwidth({"nic.port_rate", "Gbps", "", "Rate at which the port sends."}, required, port_rate, Bandwidth{1'000'000},
              gigabits_per_second(800));
}

}  // namespace ringside
