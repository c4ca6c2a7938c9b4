// XDP in the Ethernet driver.
#pragma once

#include "driver/mlx5e/en.h"

// Runs the program and carries out its verdict. True if the packet was consumed.
bool mlx5e_xdp_handle(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf);
