#include "tb/tests/driver/fake_dwmac.h"

#include <algorithm>
#include <cstring>

#include "driver/kernel/board.h"
#include "driver/kernel/devmap.h"
#include "driver/net/gro.h"
#include "driver/net/stack.h"
#include "driver/xdp/programs.h"

namespace ringside {

int stmmac_test_rx = STMMAC_RX_NET_PREFETCH;
int stmmac_test_fault = STMMAC_FAULT_NONE;

namespace {

constexpr std::uint64_t kPoolBytes = 256 * 1024;
constexpr std::uint16_t kOtherType = 0x88b5;  // local experimental
FakeDwmac* machine = nullptr;

void udp_to_test(sk_buff* skb) { machine->take_from_stack(skb); }

void other_to_test(list_head* head, packet_type*, net_device*) {
  while (!list_empty(head)) {
    sk_buff* skb = skb_list_entry(head->next);
    skb_list_del_init(skb);
    machine->take_from_stack(skb);
  }
}

packet_type other_packet_type = {.type = kOtherType, .list_func = other_to_test, .list = {}};

}  // namespace

FakeDwmac::FakeDwmac(const FakeDwmacConfig& config)
    : config_(config),
      bar_(dwmac::kRegisterWindow / 4),
      heap_(new std::uint8_t[(config.heap_pages + 1) * PAGE_SIZE]),
      pool_(new std::uint8_t[kPoolBytes + PAGE_SIZE]),
      clean_(config.heap_pages * PAGE_SIZE / L1_CACHE_BYTES) {
  machine = this;
  stmmac_test_rx = config.rx;
  stmmac_test_fault = config.fault;
  reset_registers();
  board_.nic_bar = reinterpret_cast<std::uint64_t>(bar_.data());
  board_.heap_base = ALIGN(reinterpret_cast<std::uint64_t>(heap_.get()), PAGE_SIZE);
  board_.heap_size = config.heap_pages * PAGE_SIZE;
  board_.dma_pool_base = ALIGN(reinterpret_cast<std::uint64_t>(pool_.get()), PAGE_SIZE);
  board_.dma_pool_size = kPoolBytes;
  board_.dma_coherent = config.coherent ? 1 : 0;
  board_.csr_khz = 250'000;
  board_.rx_ring = config.ring;
  board_.tx_ring = config.tx_ring;
  board_.mtu = config.mtu;
  board_.rx_usecs = config.rx_usecs;
  board_.rx_frames = config.rx_frames;
  board_.napi_budget = config.budget;
  board_.rx_split_header = config.split ? 1 : 0;
  board_.pause = config.pause ? 1 : 0;
  config.program.copy(board_.xdp_program, sizeof board_.xdp_program - 1);
  config.stack.copy(board_.stack, sizeof board_.stack - 1);
  for (datarec& rec : rx_cnt) rec = {};
  xdp_stats = {};
  redirect_stats = {};
}

FakeDwmac::~FakeDwmac() {
  machine = nullptr;
  stmmac_test_rx = STMMAC_RX_NET_PREFETCH;
  stmmac_test_fault = STMMAC_FAULT_NONE;
}

FakeDwmac* FakeDwmac::current() { return machine; }

void FakeDwmac::open() {
  mm_init(board_.heap_base, board_.heap_size);
  dma_pool_init(board_.dma_pool_base, board_.dma_pool_size);
  softirq_init();
  priv_ = stmmac_dvr_probe(board_);
  table_ = stmmac_stats(priv_);
  inet_add_protocol(IPPROTO_UDP, udp_to_test);
  dev_add_pack(&other_packet_type);
  run();
}

void FakeDwmac::close() { stmmac_release(priv_); }

void FakeDwmac::reopen() {
  close();
  if (stmmac_open(priv_) != 0) throw std::runtime_error("open failed");
  table_ = stmmac_stats(priv_);
  run();
}

void FakeDwmac::arrive(const Packet& packet, const FrameInfo& info) {
  Frame frame{packet, info};
  frame.bytes.insert(frame.bytes.end(), {0xfc, 0x5f, 0xc5, 0xcf});
  fifo_.push_back(std::move(frame));
  if (config_.retry_by_owner) suspended_ = false;
  run_receive();
}

void FakeDwmac::run() {
  handle_interrupts(0);
  for (int i = 0; line_pending(); ++i) {
    if (i == 100'000) throw std::runtime_error("interrupts without end");
    handle_interrupts(1);
  }
}

int FakeDwmac::poll(int budget) {
  napi_struct* napi = &priv_->channel[0].rx_napi;
  if (napi_schedule_prep(napi)) __napi_schedule(napi);
  __preempt_count += SOFTIRQ_OFFSET;
  const int work = napi->poll(napi, budget);
  gro_normal_list(napi);
  __preempt_count -= SOFTIRQ_OFFSET;
  return work;
}

std::uint64_t FakeDwmac::stat(const std::string& name) const {
  for (const guest_stat* stat = table_; stat->name[0] != '\0'; ++stat) {
    if (name == stat->name) return *stat->value;
  }
  throw std::logic_error("no statistic " + name);
}

void FakeDwmac::take_from_stack(sk_buff* skb) {
  constexpr std::uint32_t longest = 65536;
  if (skb->len > longest) {
    complaints_.push_back("a packet of impossible length");
    return napi_consume_skb(skb, NAPI_POLL_WEIGHT);
  }
  Received received{};
  const std::uint8_t* start = skb_mac_header(skb);
  received.bytes.assign(start, static_cast<const std::uint8_t*>(skb_tail_pointer(skb)));
  const skb_shared_info* shinfo = skb_shinfo(skb);
  for (std::uint32_t i = 0; i < shinfo->nr_frags; ++i) {
    const std::uint8_t* fragment = skb_frag_address(&shinfo->frags[i]);
    received.bytes.insert(received.bytes.end(), fragment, fragment + skb_frag_size(&shinfo->frags[i]));
  }
  received.ip_summed = skb->ip_summed;
  received.hash = skb->hash;
  received.l4_hash = skb->l4_hash;
  received.vlan = skb->vlan_tci;
  received.timestamp = shinfo->hwtstamps;
  received.truesize = skb->truesize;
  received.frags = shinfo->nr_frags;
  received_.push_back(std::move(received));
  if (hold_) {
    held_.push_back(skb);
  } else {
    napi_consume_skb(skb, NAPI_POLL_WEIGHT);
  }
}

void FakeDwmac::hold_packets(bool hold) {
  hold_ = hold;
  if (hold) return;
  for (sk_buff* skb : held_) kfree_skb(skb);
  held_.clear();
}

void FakeDwmac::exhaust_memory() {
  for (std::uint32_t order = 0; order <= MAX_PAGE_ORDER; ++order) {
    while (page* p = alloc_pages(order)) hoard_.push_back(p);
  }
}

void FakeDwmac::return_memory() {
  for (page* p : hoard_) put_page(p);
  hoard_.clear();
}

FakeDwmac::Packet other_frame(std::size_t length, std::uint32_t seed) {
  FakeDwmac::Packet frame(length);
  for (std::size_t i = 0; i < length; ++i) frame[i] = static_cast<std::uint8_t>((i * 131 + i / 251 + seed * 29) ^ seed);
  std::copy_n(guest::kNicMac, ETH_ALEN, frame.begin());
  frame.at(12) = kOtherType >> 8;
  frame.at(13) = kOtherType & 0xff;
  return frame;
}

FakeDwmac::Packet udp_frame(std::size_t length, std::uint32_t seed) {
  FakeDwmac::Packet frame = other_frame(length, seed);
  frame.at(12) = 0x08;
  frame.at(13) = 0x00;
  const std::size_t ip_bytes = length - ETH_HLEN;
  const std::uint8_t ip[] = {0x45, 0, static_cast<std::uint8_t>(ip_bytes >> 8), static_cast<std::uint8_t>(ip_bytes),
                             0, 0, 0, 0, 64, IPPROTO_UDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  std::copy(std::begin(ip), std::end(ip), frame.begin() + ETH_HLEN);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < sizeof ip; i += 2) sum += static_cast<std::uint32_t>(ip[i] << 8 | ip[i + 1]);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  frame.at(ETH_HLEN + 10) = static_cast<std::uint8_t>(~sum >> 8);
  frame.at(ETH_HLEN + 11) = static_cast<std::uint8_t>(~sum);
  const std::size_t udp_bytes = ip_bytes - sizeof ip;
  const std::uint8_t udp[] = {0, 1, 0, 2, static_cast<std::uint8_t>(udp_bytes >> 8),
                              static_cast<std::uint8_t>(udp_bytes), 0, 0};
  std::copy(std::begin(udp), std::end(udp), frame.begin() + ETH_HLEN + sizeof ip);
  return frame;
}

}  // namespace ringside

void panic(const char* message) { throw ringside::GuestPanic(message); }
void cond_resched() {}
u64 pending_interrupts() { return 0; }  // run() delivers them
void publish_statistics(const guest_stat*) {}

// The driver unmasks interrupts with a lock held, and interrupts of the processor off. What a handler does then, it would do
// right after the lock is free.
void _raw_spin_lock(spinlock_t* lock) {
  if (lock->value != 0 && !ringside::FakeDwmac::current()->in_handler()) throw std::logic_error("a deadlock");
  lock->value = 1;
}

void dc_cvac(u64 line) { ringside::FakeDwmac::current()->clean_line(line); }
void dc_ivac(u64 line) { ringside::FakeDwmac::current()->invalidate_line(line, false); }
void dc_civac(u64 line) { ringside::FakeDwmac::current()->invalidate_line(line, true); }
void dsb_sy() { ringside::FakeDwmac::current()->barrier_done(); }

// The functions that the compiler calls for the thread sanitizer, each before its access.
static void watch(const void* address, bool store) {
  if (ringside::FakeDwmac* fake = ringside::FakeDwmac::current()) fake->before_access(address, store);
}

extern "C" {
void __tsan_init();
void __tsan_func_entry(void* caller);
void __tsan_func_exit();
void __tsan_read1(void* address);
void __tsan_read2(void* address);
void __tsan_read4(void* address);
void __tsan_read8(void* address);
void __tsan_read16(void* address);
void __tsan_write1(void* address);
void __tsan_write2(void* address);
void __tsan_write4(void* address);
void __tsan_write8(void* address);
void __tsan_write16(void* address);
void __tsan_unaligned_write8(void* address);
void __tsan_unaligned_write16(void* address);
void __tsan_read_range(void* address, size_t size);
void __tsan_write_range(void* address, size_t size);
void* __tsan_memset(void* address, int value, size_t size);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {
  if (ringside::FakeDwmac* fake = ringside::FakeDwmac::current()) fake->settle_registers();
}
void __tsan_read1(void* address) { watch(address, false); }
void __tsan_read2(void* address) { watch(address, false); }
void __tsan_read4(void* address) { watch(address, false); }
void __tsan_read8(void* address) { watch(address, false); }
void __tsan_read16(void* address) { watch(address, false); }
void __tsan_write1(void* address) { watch(address, true); }
void __tsan_write2(void* address) { watch(address, true); }
void __tsan_write4(void* address) { watch(address, true); }
void __tsan_write8(void* address) { watch(address, true); }
void __tsan_write16(void* address) { watch(address, true); }
void __tsan_unaligned_write8(void* address) { watch(address, true); }
void __tsan_unaligned_write16(void* address) { watch(address, true); }
void __tsan_read_range(void* address, size_t) { watch(address, false); }
void __tsan_write_range(void* address, size_t) { watch(address, true); }
void* __tsan_memset(void* address, int value, size_t size) {
  watch(address, true);
  return std::memset(address, value, size);
}
