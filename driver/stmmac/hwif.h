// What the driver needs from a core, as tables of functions: EQOS and XGMAC each have theirs. A core need not have all.
#pragma once

#include "driver/kernel/io.h"
#include "driver/kernel/skbuff.h"
#include "model/dwmac/hw/common_regs.h"
#include "model/dwmac/hw/desc.h"
#include "model/dwmac/hw/eqos_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"

using ringside::dwmac::dma_desc;

// What a receive descriptor says about its frame; a set of bits.
enum rx_frame_status : int {
  good_frame = 0x0,
  discard_frame = 0x1,
  csum_none = 0x2,
  dma_own = 0x8,
  rx_not_ls = 0x10,
};

enum tx_frame_status : int { tx_done = 0x0, tx_not_ls = 0x1, tx_err = 0x2, tx_dma_own = 0x4 };

// What an interrupt asks for.
enum dma_irq_status : int { tx_hard_error = 0x1, handle_rx = 0x4, handle_tx = 0x8 };
enum dma_irq_dir : u32 { DMA_DIR_RX = 0x1, DMA_DIR_TX = 0x2, DMA_DIR_RXTX = 0x3 };

inline constexpr u32 MTL_MAX_RX_QUEUES = 8;

// Counters of `ethtool -S`.
struct stmmac_rxq_stats {
  u64 rx_bytes;
  u64 rx_packets;
  u64 rx_normal_irq_n;
  u64 napi_poll;
};
struct stmmac_txq_stats {
  u64 tx_bytes;
  u64 tx_packets;
  u64 tx_pkt_n;
  u64 tx_normal_irq_n;
  u64 tx_set_ic_bit;
  u64 tx_clean;
  u64 napi_poll;
};
struct stmmac_extra_stats {
  u64 rx_desc;
  u64 rx_length;
  u64 rx_crc_errors;
  u64 rx_watchdog;
  u64 rx_gmac_overflow;
  u64 rx_mii;
  u64 dribbling_bit;
  u64 rx_vlan;
  u64 rx_split_hdr_pkt_n;
  u64 ip_hdr_err;
  u64 ip_payload_err;
  u64 ip_csum_bypassed;
  u64 ipv4_pkt_rcvd;
  u64 ipv6_pkt_rcvd;
  u64 timestamp_dropped;
  u64 sa_rx_filter_fail;
  u64 da_rx_filter_fail;
  u64 tx_process_stopped_irq;
  u64 rx_buf_unav_irq;
  u64 rx_process_stopped_irq;
  u64 fatal_bus_error_irq;
  u64 rx_errors;
  u64 rx_dropped;
  u64 tx_errors;
  stmmac_rxq_stats rxq_stats[MTL_MAX_RX_QUEUES];
  stmmac_txq_stats txq_stats;
};

struct dma_features {
  u32 rx_coe;
  u32 sphen;
  u32 rx_fifo_size;
  u32 number_rx_channel;
};

struct stmmac_dma_cfg {
  u32 pbl;
  bool pblx8;
  u32 wr_osr_lmt;
  u32 rd_osr_lmt;
  u32 blen;  // the longest burst allowed in beats, and with it all shorter ones
  bool dche;
};

struct stmmac_desc_ops {
  // Hands a descriptor with its buffers to the DMA. `disable_rx_ic`: it does not interrupt on completion.
  void (*init_rx_desc)(dma_desc* p, int disable_rx_ic);
  void (*set_rx_owner)(dma_desc* p, int disable_rx_ic);
  void (*clear)(dma_desc* p);
  void (*set_addr)(dma_desc* p, dma_addr_t addr);
  void (*set_sec_addr)(dma_desc* p, dma_addr_t addr, bool buf2_valid);
  int (*rx_status)(stmmac_extra_stats* x, dma_desc* p);
  int (*get_rx_frame_len)(dma_desc* p);
  int (*get_rx_header_len)(dma_desc* p, u32* len);
  int (*get_rx_hash)(dma_desc* p, u32* hash, pkt_hash_types* type);
  bool (*get_rx_vlan_valid)(dma_desc* p);
  u16 (*get_rx_vlan_tci)(dma_desc* p);
  // Whether `next` is a context descriptor with the timestamp of the frame in `p`.
  bool (*get_rx_timestamp_status)(dma_desc* p, dma_desc* next);
  void (*get_timestamp)(dma_desc* p, u64* ns);
  void (*prepare_tx_desc)(dma_desc* p, int is_fs, u32 len, bool csum_flag, bool tx_own, bool ls, u32 tot_pkt_len);
  void (*set_tx_owner)(dma_desc* p);
  void (*set_tx_ic)(dma_desc* p);
  int (*tx_status)(dma_desc* p);
  void (*release_tx_desc)(dma_desc* p);
};

struct stmmac_dma_ops {
  int (*reset)(__iomem* ioaddr);
  void (*init)(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg);
  void (*init_chan)(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, u32 chan);
  void (*init_rx_chan)(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, dma_addr_t phy, u32 chan);
  void (*init_tx_chan)(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, dma_addr_t phy, u32 chan);
  void (*axi)(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg);
  // `flow`: the queue asks for PAUSE frames when it fills.
  void (*dma_rx_mode)(__iomem* ioaddr, u32 channel, u32 fifosz, bool flow);
  void (*dma_tx_mode)(__iomem* ioaddr, u32 channel);
  void (*enable_dma_irq)(__iomem* ioaddr, u32 chan, bool rx, bool tx);
  void (*disable_dma_irq)(__iomem* ioaddr, u32 chan, bool rx, bool tx);
  void (*start_tx)(__iomem* ioaddr, u32 chan);
  void (*stop_tx)(__iomem* ioaddr, u32 chan);
  void (*start_rx)(__iomem* ioaddr, u32 chan);
  void (*stop_rx)(__iomem* ioaddr, u32 chan);
  int (*dma_interrupt)(__iomem* ioaddr, stmmac_extra_stats* x, u32 chan, u32 dir);
  void (*get_hw_feature)(__iomem* ioaddr, dma_features* dma_cap);
  void (*rx_watchdog)(__iomem* ioaddr, u32 riwt, u32 queue);
  void (*set_tx_ring_len)(__iomem* ioaddr, u32 len, u32 chan);
  void (*set_rx_ring_len)(__iomem* ioaddr, u32 len, u32 chan);
  void (*set_rx_tail_ptr)(__iomem* ioaddr, dma_addr_t tail_ptr, u32 chan);
  void (*set_tx_tail_ptr)(__iomem* ioaddr, dma_addr_t tail_ptr, u32 chan);
  void (*set_bfsize)(__iomem* ioaddr, u32 bfsize, u32 chan);
  void (*enable_sph)(__iomem* ioaddr, bool en, u32 chan);
};

struct stmmac_ops {
  // Frames of any length pass, with their FCS.
  void (*core_init)(__iomem* ioaddr);
  void (*set_mac)(__iomem* ioaddr, bool enable);
  void (*rx_ipc)(__iomem* ioaddr, bool enable);
  void (*rx_queue_enable)(__iomem* ioaddr, u32 queue);
  void (*rx_queue_prio)(__iomem* ioaddr, u32 prio, u32 queue);
  void (*map_mtl_to_dma)(__iomem* ioaddr, u32 queue, u32 chan);
  void (*set_umac_addr)(__iomem* ioaddr, const u8* addr);
  void (*set_filter)(__iomem* ioaddr, bool promisc);
  void (*flow_ctrl)(__iomem* ioaddr, u32 pause_time, u32 tx_cnt);
};

struct mac_device_info {
  const stmmac_ops* mac;
  const stmmac_desc_ops* desc;
  const stmmac_dma_ops* dma;
  u32 synopsys_id;
  bool xgmac;
  bool rx_csum;
  bool hw_vlan_en;
};

// Calls a core's function if it has one. The second form's value is -EINVAL otherwise.
#define stmmac_do_void_callback(__priv, __module, __cname, ...)                         \
  do {                                                                                  \
    if ((__priv)->hw->__module->__cname) (__priv)->hw->__module->__cname(__VA_ARGS__);  \
  } while (0)
#define stmmac_do_callback(__priv, __module, __cname, ...)                              \
  ((__priv)->hw->__module->__cname ? (__priv)->hw->__module->__cname(__VA_ARGS__) : -EINVAL)

#define stmmac_init_rx_desc(__priv, ...) stmmac_do_void_callback(__priv, desc, init_rx_desc, __VA_ARGS__)
#define stmmac_set_rx_owner(__priv, ...) stmmac_do_void_callback(__priv, desc, set_rx_owner, __VA_ARGS__)
#define stmmac_clear_desc(__priv, ...) stmmac_do_void_callback(__priv, desc, clear, __VA_ARGS__)
#define stmmac_set_desc_addr(__priv, ...) stmmac_do_void_callback(__priv, desc, set_addr, __VA_ARGS__)
#define stmmac_set_desc_sec_addr(__priv, ...) stmmac_do_void_callback(__priv, desc, set_sec_addr, __VA_ARGS__)
#define stmmac_rx_status(__priv, ...) stmmac_do_callback(__priv, desc, rx_status, __VA_ARGS__)
#define stmmac_get_rx_frame_len(__priv, ...) stmmac_do_callback(__priv, desc, get_rx_frame_len, __VA_ARGS__)
#define stmmac_get_rx_header_len(__priv, ...) stmmac_do_callback(__priv, desc, get_rx_header_len, __VA_ARGS__)
#define stmmac_get_rx_hash(__priv, ...) stmmac_do_callback(__priv, desc, get_rx_hash, __VA_ARGS__)
#define stmmac_prepare_tx_desc(__priv, ...) stmmac_do_void_callback(__priv, desc, prepare_tx_desc, __VA_ARGS__)
#define stmmac_set_tx_owner(__priv, ...) stmmac_do_void_callback(__priv, desc, set_tx_owner, __VA_ARGS__)
#define stmmac_set_tx_ic(__priv, ...) stmmac_do_void_callback(__priv, desc, set_tx_ic, __VA_ARGS__)
#define stmmac_tx_status(__priv, ...) stmmac_do_callback(__priv, desc, tx_status, __VA_ARGS__)
#define stmmac_release_tx_desc(__priv, ...) stmmac_do_void_callback(__priv, desc, release_tx_desc, __VA_ARGS__)
#define stmmac_enable_dma_irq(__priv, ...) stmmac_do_void_callback(__priv, dma, enable_dma_irq, __VA_ARGS__)
#define stmmac_disable_dma_irq(__priv, ...) stmmac_do_void_callback(__priv, dma, disable_dma_irq, __VA_ARGS__)
#define stmmac_dma_interrupt_status(__priv, ...) stmmac_do_callback(__priv, dma, dma_interrupt, __VA_ARGS__)
#define stmmac_set_rx_tail_ptr(__priv, ...) stmmac_do_void_callback(__priv, dma, set_rx_tail_ptr, __VA_ARGS__)
#define stmmac_set_tx_tail_ptr(__priv, ...) stmmac_do_void_callback(__priv, dma, set_tx_tail_ptr, __VA_ARGS__)

extern const stmmac_desc_ops dwmac4_desc_ops;
extern const stmmac_dma_ops dwmac4_dma_ops;
extern const stmmac_dma_ops dwmac410_dma_ops;
extern const stmmac_ops dwmac4_ops;
extern const stmmac_desc_ops dwxgmac210_desc_ops;
extern const stmmac_dma_ops dwxgmac210_dma_ops;
extern const stmmac_ops dwxgmac210_ops;

// Finds out which core is behind the registers. -EINVAL if it is none of those that the driver knows.
int stmmac_hwif_init(__iomem* ioaddr, mac_device_info* hw);
