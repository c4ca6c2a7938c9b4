// The driver's objects: rings with their buffers, channels that NAPI polls, the interface.
#pragma once

#include "driver/kernel/bitops.h"
#include "driver/kernel/board.h"
#include "driver/kernel/netdevice.h"
#include "driver/kernel/xdp.h"
#include "driver/net/headers.h"
#include "driver/stmmac/hwif.h"
#include "driver/stmmac/variants.h"

inline constexpr u32 DMA_DEFAULT_TX_SIZE = 512;
inline constexpr u32 DMA_MIN_RX_SIZE = 64;
inline constexpr u32 DMA_MAX_RX_SIZE = 1024;
inline constexpr u32 ETH_FCS_LEN = 4;
inline constexpr u32 STMMAC_RX_FILL_BATCH = 16;  // with so many entries to refill, polling goes on
inline constexpr u32 STMMAC_TX_FRAMES = 25;      // an interrupt after every so many
inline constexpr u32 STMMAC_MAX_MTU = 9000;
inline constexpr u32 STMMAC_XDP_MAX_MTU = 1500;
inline constexpr u32 DEF_DMA_RIWT = 160;
inline constexpr u32 MIN_DMA_RIWT = 0x10;
inline constexpr u32 MAX_DMA_RIWT = 0xff;
inline constexpr u32 PAUSE_TIME = 0xffff;

// What the device may write of a page before pools were told exactly.
constexpr u32 STMMAC_MAX_RX_BUF_SIZE(u32 num_pages) {
  return num_pages * static_cast<u32>(PAGE_SIZE) - XDP_PACKET_HEADROOM;
}

constexpr u32 STMMAC_GET_ENTRY(u32 x, u32 size) { return (x + 1) & (size - 1); }

// What became of a packet that a program saw; a set of bits.
enum stmmac_xdp_result : u32 {
  STMMAC_XDP_PASS = 0,
  STMMAC_XDP_CONSUMED = BIT(0),
  STMMAC_XDP_TX = BIT(1),
  STMMAC_XDP_REDIRECT = BIT(2)
};

// The buffer that a program works on, with what its metadata functions need.
struct stmmac_xdp_buff {
  xdp_buff xdp;
  struct stmmac_priv* priv;
  dma_desc* desc;
  dma_desc* ndesc;
};
static_assert(sizeof(stmmac_xdp_buff) == 80);

// The buffers of one descriptor. The second one holds what does not fit the first, or with split header the payload.
struct stmmac_rx_buffer {
  struct page* page;
  dma_addr_t addr;
  u32 page_offset;
  struct page* sec_page;
  dma_addr_t sec_addr;
};
static_assert(sizeof(stmmac_rx_buffer) == 40);

struct stmmac_rx_queue {
  u32 rx_count_frames;
  u32 queue_index;
  xdp_rxq_info xdp_rxq;
  struct page_pool* page_pool;
  stmmac_rx_buffer* buf_pool;
  struct stmmac_priv* priv_data;
  ____cacheline_aligned dma_desc* dma_rx;
  u32 cur_rx;    // the next entry to look at
  u32 dirty_rx;  // the next entry to refill
  u32 buf_alloc_num;
  u32 napi_skb_frag_size;
  dma_addr_t dma_rx_phy;
  dma_addr_t rx_tail_addr;
  bool state_saved;
  struct {
    sk_buff* skb;
    u32 len;
    u32 error;
  } state;  // of a frame whose end was not there when the last poll ended
};

// Frames of the own receive queue, or of any interface.
enum stmmac_txbuf_type : u8 { STMMAC_TXBUF_T_SKB, STMMAC_TXBUF_T_XDP_TX, STMMAC_TXBUF_T_XDP_NDO };

struct stmmac_tx_info {
  dma_addr_t buf;  // to unmap; 0: nothing
  u32 len;
  bool map_as_page;
  bool last_segment;
  stmmac_txbuf_type buf_type;
};

struct stmmac_tx_queue {
  u32 tx_count_frames;
  u32 queue_index;
  bool timer_armed;
  struct stmmac_priv* priv_data;
  ____cacheline_aligned dma_desc* dma_tx;
  union {
    sk_buff** tx_skbuff;
    xdp_frame** xdpf;
  };
  stmmac_tx_info* tx_skbuff_dma;
  u32 cur_tx;
  u32 dirty_tx;
  dma_addr_t dma_tx_phy;
  dma_addr_t tx_tail_addr;
  netdev_queue nq;
};

struct stmmac_channel {
  napi_struct rx_napi;
  napi_struct tx_napi;
  struct stmmac_priv* priv_data;
  spinlock_t lock;
  u32 index;
};

struct stmmac_dma_conf {
  u32 dma_buf_sz;
  u32 dma_rx_size;
  u32 dma_tx_size;
  stmmac_rx_queue rx_queue[MTL_MAX_RX_QUEUES];
  stmmac_tx_queue tx_queue;
};

struct stmmac_priv {
  __iomem* ioaddr;
  struct device* device;
  net_device* dev;
  mac_device_info* hw;
  u32 rx_coal_frames;
  u32 tx_coal_frames;
  u32 rx_riwt;
  bool use_riwt;
  bool sph;
  bool hwts_rx_en;
  const bpf_prog* xdp_prog;
  stmmac_extra_stats xstats;
  stmmac_dma_conf dma_conf;
  stmmac_channel channel[MTL_MAX_RX_QUEUES];
  stmmac_dma_cfg dma_cfg;
  dma_features dma_cap;
  u32 rx_queues_to_use;
  int napi_weight;
  bool flow_ctrl;
  bool promisc;
};

__always_inline bool stmmac_xdp_is_enabled(const stmmac_priv* priv) { return priv->xdp_prog != nullptr; }

// Where a packet starts in its page.
__always_inline u32 stmmac_rx_offset(const stmmac_priv* priv) {
  if (stmmac_xdp_is_enabled(priv)) return XDP_PACKET_HEADROOM;
  return STMMAC_RX == STMMAC_RX_COPY ? 0 : NET_SKB_PAD;
}

// Entries that were consumed and not refilled.
__always_inline u32 stmmac_rx_dirty(const stmmac_priv* priv, u32 queue) {
  const stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[queue];
  if (rx_q->dirty_rx <= rx_q->cur_rx) return rx_q->cur_rx - rx_q->dirty_rx;
  return priv->dma_conf.dma_rx_size - rx_q->dirty_rx + rx_q->cur_rx;
}

// Entries that can be filled; one stays free, so that a full ring does not look empty.
__always_inline u32 stmmac_tx_avail(const stmmac_priv* priv) {
  const stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  if (tx_q->dirty_tx > tx_q->cur_tx) return tx_q->dirty_tx - tx_q->cur_tx - 1;
  return priv->dma_conf.dma_tx_size - tx_q->cur_tx + tx_q->dirty_tx - 1;
}

// stmmac_main.cc
// Brings the interface up; negative on failure.
int stmmac_open(stmmac_priv* priv);
// Traffic stops, and all pages go back to the allocator. The interface can be brought up again.
void stmmac_release(stmmac_priv* priv);
void stmmac_interrupt(void* dev_id);

// stmmac_ring.cc
// Size of a receive buffer for frames of an interface with this MTU.
u32 stmmac_set_bfsize(u32 mtu);
int init_dma_desc_rings(stmmac_priv* priv);
void free_dma_desc_resources(stmmac_priv* priv);

// stmmac_rx.cc
int stmmac_napi_poll_rx(napi_struct* napi, int budget);

// stmmac_tx.cc
netdev_tx stmmac_xmit(sk_buff* skb, net_device* dev);
int stmmac_napi_poll_tx(napi_struct* napi, int budget);
void stmmac_flush_tx_descriptors(stmmac_priv* priv);
void stmmac_tx_timer_arm(stmmac_priv* priv);
// Polls the transmit queue if the timer would have.
void stmmac_tx_timer(stmmac_priv* priv);
void dma_free_tx_skbufs(stmmac_priv* priv);

// stmmac_xdp.cc
// Runs the program on a packet and does what it says.
u32 __stmmac_xdp_run_prog(stmmac_priv* priv, const bpf_prog* prog, xdp_buff* xdp);
__always_inline u32 stmmac_xdp_run_prog(stmmac_priv* priv, xdp_buff* xdp) {
  const bpf_prog* prog = READ_ONCE(priv->xdp_prog);
  return prog != nullptr ? __stmmac_xdp_run_prog(priv, prog, xdp) : u32{STMMAC_XDP_PASS};
}
void stmmac_finalize_xdp_rx(stmmac_priv* priv, u32 xdp_status);
// Sends frames that were redirected here; returns how many.
int stmmac_xdp_xmit(net_device* dev, int num_frames, xdp_frame** frames, u32 flags);

// stmmac_platform.cc
// Sets up the device and interface that `board` describes; panics if that fails.
stmmac_priv* stmmac_dvr_probe(const board_info& board);

// stmmac_ethtool.cc
// The counters of the interface under the names that ethtool prints; ends with an empty name.
const guest_stat* stmmac_stats(stmmac_priv* priv);
