// XDP in the Ethernet driver.
#pragma once

#include "driver/mlx5e/en.h"
#include "driver/mlx5e/en_txrx.h"

// Runs the program and carries out its verdict. True if the packet was consumed.
bool mlx5e_xdp_handle(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf);

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
__always_inline void mlx5e_xdpi_push_page(mlx5e_xdp_info_fifo* fifo, struct page* page) {
  mlx5e_xdp_info xi = {};
  xi.page = page;
  mlx5e_xdpi_fifo_push(fifo, xi);
}
