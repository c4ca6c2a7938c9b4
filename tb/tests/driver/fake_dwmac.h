// A machine around the natively built stmmac driver: heap, uncached memory, caches that do not see DMA, and a device that
// does just enough. It sees every access to registers and descriptors when it happens.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/stmmac/stmmac.h"

namespace ringside {

// panic() of the driver.
struct GuestPanic : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FakeDwmacConfig {
  bool xgmac = false;
  std::uint32_t version = 0x52;
  std::uint32_t ring = 512;
  std::uint32_t mtu = 1500;
  std::string program = "";
  std::string stack = "sink";
  std::uint32_t budget = 64;
  std::uint64_t heap_pages = 16384;
  bool coherent = true;
  bool split = false;
  bool pause = false;
  std::uint32_t rx_frames = 0;
  std::uint32_t rx_usecs = 0;
  std::uint32_t tx_ring = 0;
  int rx = STMMAC_RX_NET_PREFETCH;
  int fault = STMMAC_FAULT_NONE;

  // Readings of what the hardware does where documents are silent or disagree.
  bool zero_buffer_used = false;  // XGMAC: a second buffer at address 0 is written to
  bool retry_by_owner = false;    // a frame has the DMA look again at a descriptor that it stopped at
  bool preempt = false;           // interrupts reach the processor at once, not only when it is idle
};

// What the device finds in a frame, and how it fares.
struct FrameInfo {
  std::uint32_t header = 0;  // bytes to split off
  std::uint32_t l34t = 0;    // XGMAC
  bool bad_checksum = false;
  bool bad_crc = false;
  bool other_address = false;  // passed by the filter for the driver to judge
  std::uint32_t hash = 0;      // XGMAC; 0: none
  std::uint16_t vlan = 0;      // a tag that was removed; 0: none
  std::uint64_t timestamp = 0;  // ns; 0: none
  std::uint32_t claimed_length = ~0u;  // instead of the true one
};

class FakeDwmac {
 public:
  using Packet = std::vector<std::uint8_t>;

  struct Received {
    Packet bytes;
    std::uint8_t ip_summed;
    std::uint32_t hash;
    std::uint8_t l4_hash;
    std::uint16_t vlan;
    std::uint64_t timestamp;
    std::uint32_t truesize;
    std::uint8_t frags;
  };

  struct LineOperations {
    std::uint64_t cvac, ivac, civac, dsb;
    std::uint64_t lines() const { return cvac + ivac + civac; }
  };

  explicit FakeDwmac(const FakeDwmacConfig& config = {});
  ~FakeDwmac();
  FakeDwmac(const FakeDwmac&) = delete;
  FakeDwmac& operator=(const FakeDwmac&) = delete;

  // Brings the interface up and runs what that leaves to do.
  void open();
  void close();
  void reopen();

  // A frame without FCS arrives. It waits in the FIFO if the DMA has no descriptor.
  void arrive(const Packet& packet, const FrameInfo& info = {});
  // Interrupts, polls, and again, until nothing is left to do.
  void run();
  void receive(const Packet& packet, const FrameInfo& info = {}) {
    arrive(packet, info);
    run();
  }
  // One poll of the receive queue, without softirq around it.
  int poll(int budget = 64);

  stmmac_priv& priv() { return *priv_; }
  stmmac_rx_queue& rxq() { return priv_->dma_conf.rx_queue[0]; }
  stmmac_tx_queue& txq() { return priv_->dma_conf.tx_queue; }
  std::uint64_t stat(const std::string& name) const;
  const std::vector<Received>& received() const { return received_; }
  void forget_received() { received_.clear(); }
  std::size_t waiting() const { return fifo_.size(); }

  // While set, the readers of the stack keep packets; letting go frees them.
  void hold_packets(bool hold);
  // Takes all pages from the driver's allocator, and gives them back.
  void exhaust_memory();
  void return_memory();
  // While set, the transmit engine stands still.
  void stall_transmit(bool stalled);
  const std::vector<Packet>& transmitted() const { return transmitted_; }
  const std::vector<bool>& transmit_interrupts() const { return transmit_interrupts_; }

  LineOperations line_operations() const { return operations_; }
  std::uint64_t descriptor_loads() const { return descriptor_loads_; }
  std::uint64_t descriptor_stores() const { return descriptor_stores_; }
  std::uint64_t tail_writes() const { return tail_writes_; }
  // What the device complains about: bytes written to address 0, descriptors that make no sense.
  const std::vector<std::string>& complaints() const { return complaints_; }
  bool suspended() const { return suspended_; }
  std::uint32_t reg(std::uint32_t offset) const;

  // What the driver's machine interface calls.
  static FakeDwmac* current();
  void before_access(const void* address, bool store);
  void settle_registers();
  void clean_line(std::uint64_t line);
  void invalidate_line(std::uint64_t line, bool clean_first);
  void barrier_done() { operations_.dsb++; }
  void take_from_stack(sk_buff* skb);
  bool in_handler() const { return in_handler_; }

 private:
  struct Frame {
    Packet bytes;  // with FCS
    FrameInfo info;
    std::uint64_t done = 0;  // bytes that are in memory
    bool context = false;    // only the timestamp is still to be written
  };

  std::uint32_t channel(std::uint32_t eqos_offset, std::uint32_t xgmac_offset) const;
  std::uint32_t& word(std::uint32_t offset);
  void reset_registers();
  void register_written(std::uint32_t offset);
  void raise(std::uint32_t bits);
  bool line_pending();
  void run_receive();
  bool receive_piece(Frame& frame);
  void write_context(dma_desc& descriptor, std::uint64_t timestamp);
  void write_back(dma_desc& descriptor, const Frame& frame, bool first, bool last);
  std::uint64_t fill(dma_desc& descriptor, Frame& frame);
  void advance();
  void run_transmit();
  void dma_write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);
  bool in_heap(std::uint64_t address) const;

  FakeDwmacConfig config_;
  std::vector<std::uint32_t> bar_;
  std::unique_ptr<std::uint8_t[]> heap_, pool_;
  board_info board_{};
  stmmac_priv* priv_ = nullptr;
  const guest_stat* table_ = nullptr;

  std::uint32_t status_ = 0, current_ = 0, transmit_current_ = 0;
  std::uint32_t written_ = ~0u;  // offset of a register whose new value has not been looked at
  bool suspended_ = false, stalled_ = false, in_handler_ = false, owned_before_ = true, inside_ = false;
  std::deque<Frame> fifo_;
  std::vector<Packet> transmitted_;
  std::vector<bool> transmit_interrupts_;
  Packet building_;

  std::vector<bool> clean_;  // lines of the heap that the processor has not written since they were written back
  std::map<std::uint64_t, std::vector<std::uint8_t>> unseen_;  // by line: what DMA wrote and the processor does not see
  LineOperations operations_{};
  std::uint64_t descriptor_loads_ = 0, descriptor_stores_ = 0, tail_writes_ = 0;
  std::vector<std::string> complaints_;

  std::vector<Received> received_;
  std::vector<sk_buff*> held_;
  bool hold_ = false;
  std::vector<page*> hoard_;
};

// A frame with IPv4 and UDP headers for the interface, `length` bytes without FCS, whose payload depends on `seed`.
FakeDwmac::Packet udp_frame(std::size_t length, std::uint32_t seed = 0);
// A frame of a type that no core knows.
FakeDwmac::Packet other_frame(std::size_t length, std::uint32_t seed = 0);

}  // namespace ringside
