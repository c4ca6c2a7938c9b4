// XDP in the Ethernet driver.
#pragma once

#include "driver/kernel/devmap.h"
#include "driver/mlx5e/en.h"
#include "driver/mlx5e/en_txrx.h"

// Runs the program and carries out its verdict. True if the packet was consumed.
bool mlx5e_xdp_handle(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf);

// ndo_xdp_xmit of the interface: takes frames that programs of other interfaces have redirected here.
int mlx5e_xdp_xmit(net_device* dev, int n, xdp_frame** frames, u32 flags);

// Ends a poll: sends what the programs have transmitted.
void mlx5e_xdp_rx_poll_complete(mlx5e_rq* rq);

// Closes the multi-packet WQE under construction.
void mlx5e_xdp_mpwqe_complete(mlx5e_xdpsq* sq);

// Two ways to transmit a packet. False if it was not taken.
bool mlx5e_xmit_xdp_frame_mpwqe(mlx5e_xdpsq* sq, mlx5e_xmit_data* xdptxd);
bool mlx5e_xmit_xdp_frame(mlx5e_xdpsq* sq, mlx5e_xmit_data* xdptxd);

__always_inline void mlx5e_xdpi_fifo_push(mlx5e_xdp_info_fifo* fifo, mlx5e_xdp_info xi) {
  fifo->xi[(*fifo->pc)++ & fifo->mask] = xi;
}
__always_inline mlx5e_xdp_info mlx5e_xdpi_fifo_pop(mlx5e_xdp_info_fifo* fifo) {
  return fifo->xi[(*fifo->cc)++ & fifo->mask];
}

// Begins a packet of `num` pages, the first of which is `page`; mlx5e_xdpi_push_page() adds the others.
__always_inline void mlx5e_xdpi_push_packet(mlx5e_xdp_info_fifo* fifo, u32 num, struct page* page) {
#if MLX5E_XDPI_FIFO_ENTRIES == 1
  mlx5e_xdpi_fifo_push(fifo, {.mode = MLX5E_XDP_XMIT_MODE_PAGE, .num = num, .page = page});
#else
  mlx5e_xdpi_fifo_push(fifo, {.mode = MLX5E_XDP_XMIT_MODE_PAGE});
  mlx5e_xdpi_fifo_push(fifo, {.num = num});
  mlx5e_xdpi_fifo_push(fifo, {.page = page});
#endif
}
// Begins a redirected frame whose first buffer is mapped at `dma_addr`; mlx5e_xdpi_push_dma() adds the others.
__always_inline void mlx5e_xdpi_push_frame(mlx5e_xdp_info_fifo* fifo, xdp_frame* xdpf, dma_addr_t dma_addr) {
#if MLX5E_XDPI_FIFO_ENTRIES == 1
  mlx5e_xdpi_fifo_push(fifo, {.mode = MLX5E_XDP_XMIT_MODE_FRAME, .num = 1, .frame = {.xdpf = xdpf, .dma_addr = dma_addr}});
#else
  mlx5e_xdpi_fifo_push(fifo, {.mode = MLX5E_XDP_XMIT_MODE_FRAME});
  mlx5e_xdpi_fifo_push(fifo, {.frame = {.xdpf = xdpf}});
  mlx5e_xdpi_fifo_push(fifo, {.frame = {.dma_addr = dma_addr}});
#endif
}
__always_inline void mlx5e_xdpi_push_dma(mlx5e_xdp_info_fifo* fifo, dma_addr_t dma_addr) {
  mlx5e_xdp_info xi = {};
  xi.frame.dma_addr = dma_addr;
  mlx5e_xdpi_fifo_push(fifo, xi);
}
__always_inline void mlx5e_xdpi_push_page(mlx5e_xdp_info_fifo* fifo, struct page* page) {
  mlx5e_xdp_info xi = {};
  xi.page = page;
  mlx5e_xdpi_fifo_push(fifo, xi);
}
