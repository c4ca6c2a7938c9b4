// The driver's entry: the user's settings become parameters, and the interface comes up.
#include "driver/mlx5e/en_xdp.h"
#include "driver/net/stack.h"
#include "driver/xdp/programs.h"

static void mlx5e_check_mtu(const mlx5e_params* params) {
  mlx5e_rq_frags_info info = {};
  if (mlx5e_build_rq_frags_info(params, &info) != 0) panic("MTU too large for the fragments of a receive WQE");
  if (params->xdp_prog != nullptr && !mlx5e_rx_is_linear_skb(params) && !params->xdp_prog->xdp_has_frags) {
    panic("MTU too large for an XDP program that wants packets in one piece");
  }
}

static mlx5e_params mlx5e_build_nic_params(const board_info& board) {
  constexpr u32 min_ring = 16;
  constexpr u32 max_ring = 8192;
  if (board.rx_ring < min_ring || board.rx_ring > max_ring) panic("rx ring: 16 to 8192 entries are possible");
  if (board.napi_budget == 0) panic("napi budget must not be 0");
  mlx5e_params params = {};
  params.sw_mtu = board.mtu;
  params.log_rq_mtu_frames = static_cast<u8>(ilog2(roundup_pow_of_two(board.rx_ring)));
  params.rq_wq_type = board.rx_striding_rq != 0 ? MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ : MLX5_WQ_TYPE_CYCLIC;
  params.rx_cq_moderation = {.usec = board.rx_usecs, .pkts = board.rx_frames, .from_cqe = board.rx_cqe_moderation != 0};
  params.xdp_tx_mpwqe = board.xdp_tx_mpwqe != 0;
  params.tx = net_stack_transmits(board);
  params.napi_weight = static_cast<int>(board.napi_budget);
  if (board.xdp_program[0] != '\0') {
    params.xdp_prog = bpf_prog_get_by_name(board.xdp_program);
    if (params.xdp_prog == nullptr) panic("no XDP program of this name in the image");
  }
  mlx5e_check_mtu(&params);
  return params;
}

static mlx5_core_dev* mlx5_init_one(const board_info& board) {
  mlx5_core_dev* mdev = memblock_alloc_array<mlx5_core_dev>(1);
  mdev->pdev = memblock_alloc_array<device>(1);
  mdev->pdev->dma_coherent = true;
  dma_setup_need_sync(mdev->pdev);
  mdev->bar = reinterpret_cast<__iomem*>(board.nic_bar);
  mdev->uar = mdev->bar + ringside::connectx::kUarPage;
  mdev->cmd = memblock_alloc_array<mlx5_cmd_mailbox>(1);
  if (readl(mdev->bar + ringside::connectx::kRegFirmwareRevision) != ringside::connectx::kFirmwareRevision) {
    panic("mlx5: unknown firmware");
  }
  return mdev;
}

static const net_device_ops mlx5e_netdev_ops = {.ndo_start_xmit = mlx5e_xmit, .ndo_xdp_xmit = mlx5e_xdp_xmit};

static mlx5e_priv* mlx5e_create_netdev(const board_info& board, mlx5_core_dev* mdev, u32 port, const mlx5e_params& params) {
  mlx5e_priv* priv = memblock_alloc_array<mlx5e_priv>(1);
  priv->params = params;
  priv->mdev = mdev;
  priv->port = port;
  priv->netdev = memblock_alloc_array<net_device>(1);
  priv->netdev->netdev_ops = &mlx5e_netdev_ops;
  priv->netdev->priv = priv;
  priv->netdev->mtu = board.mtu;
  priv->netdev->ifindex = 2 + port;  // 1 is the loopback interface
  priv->netdev->features =
      NETIF_F_RXCSUM | NETIF_F_RXHASH | NETIF_F_HW_VLAN_CTAG_RX | (board.gro != 0 ? NETIF_F_GRO : 0);
  __builtin_memcpy(priv->netdev->name, port == 0 ? "eth0" : "eth1", sizeof("eth0"));
  __builtin_memcpy(priv->netdev->dev_addr, ringside::guest::kNicMac, ETH_ALEN);
  priv->netdev->dev_addr[ETH_ALEN - 1] = static_cast<u8>(priv->netdev->dev_addr[ETH_ALEN - 1] + port);
  dev_map_add(priv->netdev);
  return priv;
}

// The interface on the other port. A program has to be attached to it, or it would have no queue for redirected frames.
static mlx5e_priv* mlx5e_probe_other_port(const board_info& board, mlx5_core_dev* mdev, const mlx5e_params& first) {
  mlx5e_params params = first;
  params.xdp_prog = bpf_prog_get_by_name("pass");
  params.tx = false;
  mlx5e_priv* priv = mlx5e_create_netdev(board, mdev, 1, params);
  if (mlx5e_open(priv) != 0) panic("mlx5e: the device refused a command for its second port");
  return priv;
}

mlx5e_priv* mlx5e_probe(const board_info& board) {
  const mlx5e_params params = mlx5e_build_nic_params(board);
  mlx5_core_dev* mdev = mlx5_init_one(board);
  net_dev_init();
  net_stack_init(board);
  mlx5e_priv* priv = mlx5e_create_netdev(board, mdev, 0, params);
  tx_port.netdev_map[TX_PORT_SAME] = priv->netdev;
  if (params.xdp_prog != nullptr && params.xdp_prog->other_port) {
    priv->other_port = mlx5e_probe_other_port(board, mdev, params);
    tx_port.netdev_map[TX_PORT_OTHER] = priv->other_port->netdev;
  }
  if (mlx5e_open(priv) != 0) panic("mlx5e: the device refused a command");
  return priv;
}

void module_init(const board_info& board) { publish_statistics(mlx5e_stats(mlx5e_probe(board))); }
