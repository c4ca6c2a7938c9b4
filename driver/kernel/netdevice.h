// Network devices and NAPI: the softirq that polls devices, and the state that keeps a device on its list.
#pragma once

#include "driver/kernel/bitops.h"
#include "driver/kernel/interrupt.h"
#include "driver/kernel/spinlock.h"

struct net_device;
struct sk_buff;
struct xdp_frame;
struct xdp_dev_bulk_queue;

inline constexpr u32 ETH_ALEN = 6;
inline constexpr u32 IFNAMSIZ = 16;
inline constexpr u32 XDP_XMIT_FLUSH = BIT(0);  // of ndo_xdp_xmit: tell the device at once

// Bits of net_device.features.
inline constexpr u64 NETIF_F_HW_VLAN_CTAG_RX = 1u << 8;
inline constexpr u64 NETIF_F_GRO = 1u << 14;
inline constexpr u64 NETIF_F_RXHASH = 1u << 28;
inline constexpr u64 NETIF_F_RXCSUM = 1u << 29;

// A transmit queue as the stack sees it.
enum netdev_queue_state : u32 { __QUEUE_STATE_DRV_XOFF = 0 };
struct netdev_queue {
  spinlock_t _xmit_lock;
  int xmit_lock_owner;
  unsigned long state;
};

enum netdev_tx : int { NETDEV_TX_OK = 0x00, NETDEV_TX_BUSY = 0x10 };

struct net_device_ops {
  // Takes the packet, or says NETDEV_TX_BUSY and leaves it to the caller.
  netdev_tx (*ndo_start_xmit)(sk_buff* skb, net_device* dev);
  // Takes frames from the first on and returns how many; negative if it takes none at all. Frames not taken stay with the
  // caller.
  int (*ndo_xdp_xmit)(net_device* dev, int n, xdp_frame** frames, u32 flags);
};

struct net_device {
  alignas(sizeof(u64)) char name[IFNAMSIZ];
  u32 mtu;
  u32 ifindex;
  u64 features;
  alignas(sizeof(u64)) u8 dev_addr[ETH_ALEN];
  const net_device_ops* netdev_ops;
  void* priv;  // the driver's
  netdev_queue* _tx;
  xdp_dev_bulk_queue* xdp_bulkq;  // frames that programs of other interfaces have redirected here
};

template <class T>
__always_inline T* netdev_priv(const net_device* dev) {
  return static_cast<T*>(dev->priv);
}

__always_inline void __netif_tx_lock(netdev_queue* txq, int cpu) {
  spin_lock(&txq->_xmit_lock);
  WRITE_ONCE(txq->xmit_lock_owner, cpu);
}
__always_inline void __netif_tx_unlock(netdev_queue* txq) {
  WRITE_ONCE(txq->xmit_lock_owner, -1);
  spin_unlock(&txq->_xmit_lock);
}
// Who sends and who completes may be on different processors.
__always_inline void netif_tx_stop_queue(netdev_queue* txq) {
  if constexpr (SMP) return set_bit(__QUEUE_STATE_DRV_XOFF, &txq->state);
  txq->state |= BIT(__QUEUE_STATE_DRV_XOFF);
}
__always_inline void netif_tx_wake_queue(netdev_queue* txq) {
  if constexpr (SMP) return clear_bit(__QUEUE_STATE_DRV_XOFF, &txq->state);
  txq->state &= ~static_cast<unsigned long>(BIT(__QUEUE_STATE_DRV_XOFF));
}
__always_inline bool netif_tx_queue_stopped(const netdev_queue* txq) {
  return (READ_ONCE(txq->state) & BIT(__QUEUE_STATE_DRV_XOFF)) != 0;
}

enum napi_state : u32 { NAPI_STATE_SCHED = 0, NAPI_STATE_MISSED = 1, NAPI_STATE_DISABLE = 2 };

// Packets that wait for more of their flow, those of one hash bucket.
inline constexpr u32 GRO_HASH_BUCKETS = 8;
struct gro_list {
  list_head list;
  int count;
};

struct napi_struct {
  unsigned long state;
  list_head poll_list;
  int weight;
  u32 gro_bitmask;  // buckets in use
  int (*poll)(napi_struct* napi, int budget);
  net_device* dev;
  gro_list gro_hash[GRO_HASH_BUCKETS];
  list_head rx_list;  // packets for the stack, handed over in batches
  int rx_count;
  u32 napi_id;
  int list_owner;  // processor that polls it, or -1
};

struct softnet_data {
  list_head poll_list;
  u64 processed;
  u64 time_squeeze;
#ifdef CONFIG_SMP
  ____cacheline_aligned spinlock_t defer_lock;
  u32 defer_count;
  sk_buff* defer_list;  // packets of this processor that others have read
#endif
};

inline constexpr int NAPI_POLL_WEIGHT = 64;

DECLARE_PER_CPU(softnet_data, softnet);

// Packets that one softirq pass may process before others get a turn.
extern int netdev_budget;

void net_dev_init();

// The instance starts disabled.
void netif_napi_add_weight(net_device* dev, napi_struct* napi, int (*poll)(napi_struct*, int), int weight);
void napi_enable(napi_struct* napi);
void napi_disable(napi_struct* napi);

bool napi_schedule_prep(napi_struct* napi);
void __napi_schedule(napi_struct* napi);

__always_inline void napi_schedule(napi_struct* napi) {
  if (napi_schedule_prep(napi)) __napi_schedule(napi);
}

// Ends polling. False if the device was scheduled again meanwhile, so that its interrupt must stay off.
bool napi_complete_done(napi_struct* napi, int work_done);
