// The device as the board describes it, and the user's settings.
#include "driver/net/stack.h"
#include "driver/stmmac/stmmac.h"
#include "driver/xdp/programs.h"

// What a device tree that says nothing gets: bursts of 64 beats, two of each kind on the bus.
static constexpr stmmac_dma_cfg default_dma_cfg = {
    .pbl = 8, .pblx8 = true, .wr_osr_lmt = 1, .rd_osr_lmt = 1, .blen = 64, .dche = false};

static u32 stmmac_usec2riwt(u32 usec, u32 csr_khz) {
  constexpr u32 khz_per_mhz = 1000, clocks = 256;
  return static_cast<u32>(u64{usec} * (csr_khz / khz_per_mhz) / clocks);
}

// Times out of the timer's range are refused, as `ethtool -C` does. 0 leaves the default.
static void stmmac_set_coalesce(stmmac_priv* priv, const board_info& board) {
  constexpr u32 DWMAC_CORE_3_50 = 0x35;
  priv->tx_coal_frames = STMMAC_TX_FRAMES;
  priv->rx_coal_frames = board.rx_frames;
  priv->use_riwt = priv->hw->xgmac || priv->hw->synopsys_id >= DWMAC_CORE_3_50;
  priv->rx_riwt = DEF_DMA_RIWT;
  if (board.rx_usecs == 0) return;
  priv->rx_riwt = stmmac_usec2riwt(board.rx_usecs, board.csr_khz);
  if (priv->rx_riwt < MIN_DMA_RIWT || priv->rx_riwt > MAX_DMA_RIWT) {
    panic("rx-usecs: 16 to 255 times 256 periods of the register clock are possible");
  }
}

static void stmmac_set_rings(stmmac_priv* priv, const board_info& board) {
  const u32 rx = board.rx_ring;
  const u32 tx = board.tx_ring != 0 ? board.tx_ring : DMA_DEFAULT_TX_SIZE;
  if (rx < DMA_MIN_RX_SIZE || rx > DMA_MAX_RX_SIZE || (rx & (rx - 1)) != 0) {
    panic("rx ring: powers of two from 64 to 1024 are possible");
  }
  if (tx < DMA_MIN_RX_SIZE || tx > DMA_MAX_RX_SIZE || (tx & (tx - 1)) != 0) {
    panic("tx ring: powers of two from 64 to 1024 are possible");
  }
  priv->dma_conf.dma_rx_size = rx;
  priv->dma_conf.dma_tx_size = tx;
  priv->dma_conf.dma_buf_sz = stmmac_set_bfsize(board.mtu);
}

// XDP needs whole frames in one buffer, and headers with their payload.
static void stmmac_set_xdp(stmmac_priv* priv, const board_info& board) {
  if (board.xdp_program[0] == '\0') return;
  priv->xdp_prog = bpf_prog_get_by_name(board.xdp_program);
  if (priv->xdp_prog == nullptr) panic("no XDP program of this name in the image");
  if (board.mtu > STMMAC_XDP_MAX_MTU) panic("MTU: at most 1500 is possible with XDP");
  priv->sph = false;
}

static void stmmac_hw_init(stmmac_priv* priv, const board_info& board) {
  priv->device = memblock_alloc_array<device>(1);
  priv->device->dma_coherent = board.dma_coherent != 0;
  dma_setup_need_sync(priv->device);
  priv->ioaddr = reinterpret_cast<__iomem*>(board.nic_bar);
  priv->hw = memblock_alloc_array<mac_device_info>(1);
  if (stmmac_hwif_init(priv->ioaddr, priv->hw) != 0) panic("stmmac: unknown core");
  priv->hw->dma->get_hw_feature(priv->ioaddr, &priv->dma_cap);
  priv->hw->rx_csum = priv->dma_cap.rx_coe != 0;
  priv->dma_cfg = default_dma_cfg;
  priv->sph = board.rx_split_header != 0;
  if (priv->sph && (!priv->dma_cap.sphen || !priv->hw->rx_csum)) panic("stmmac: the core cannot split headers");
  priv->rx_queues_to_use = board.rx_queues != 0 ? board.rx_queues : 1;
  if (priv->rx_queues_to_use > min(priv->dma_cap.number_rx_channel, MTL_MAX_RX_QUEUES)) {
    panic("rx queues: more than the core has channels");
  }
  priv->flow_ctrl = board.pause != 0;
  priv->promisc = board.promisc != 0;
}

static net_device* stmmac_alloc_netdev(stmmac_priv* priv, const board_info& board) {
  static const net_device_ops stmmac_netdev_ops = {.ndo_start_xmit = stmmac_xmit, .ndo_xdp_xmit = stmmac_xdp_xmit};
  net_device* ndev = memblock_alloc_array<net_device>(1);
  ndev->mtu = board.mtu;
  ndev->ifindex = 2;  // 1 is the loopback interface
  ndev->features = (priv->hw->rx_csum ? NETIF_F_RXCSUM : 0) | (board.gro != 0 ? NETIF_F_GRO : 0);
  ndev->netdev_ops = &stmmac_netdev_ops;
  ndev->priv = priv;
  ndev->_tx = &priv->dma_conf.tx_queue.nq;
  __builtin_memcpy(ndev->name, "eth0", sizeof("eth0"));
  __builtin_memcpy(ndev->dev_addr, ringside::guest::kNicMac, ETH_ALEN);
  return ndev;
}

stmmac_priv* stmmac_dvr_probe(const board_info& board) {
  if (board.mtu > STMMAC_MAX_MTU) panic("MTU: at most 9000 is possible");
  if (board.napi_budget == 0) panic("napi budget must not be 0");
  stmmac_priv* priv = memblock_alloc_array<stmmac_priv>(1);
  stmmac_hw_init(priv, board);
  stmmac_set_coalesce(priv, board);
  stmmac_set_rings(priv, board);
  stmmac_set_xdp(priv, board);
  priv->napi_weight = static_cast<int>(board.napi_budget);
  priv->dev = stmmac_alloc_netdev(priv, board);
  net_dev_init();
  dev_map_add(priv->dev);
  tx_port.netdev_map[TX_PORT_SAME] = priv->dev;
  net_stack_init(board);
  if (stmmac_open(priv) != 0) panic("stmmac: the interface does not come up");
  return priv;
}
