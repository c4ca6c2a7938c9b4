// XDP in the Ethernet driver.
#pragma once

#include "driver/mlx5e/en.h"

// The buffer that a program works on, with what its metadata functions need.
struct mlx5e_xdp_buff {
  xdp_buff xdp;
  mlx5_cqe64* cqe;
  mlx5e_rq* rq;
};
static_assert(sizeof(mlx5e_xdp_buff) == 72);

// Runs the program and carries out its verdict. True if the packet was consumed.
bool mlx5e_xdp_handle(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf);
