#include "driver/mlx5e/en_xdp.h"

bool mlx5e_xdp_handle(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf) {
  const u32 act = bpf_prog_run_xdp(prog, &mxbuf->xdp);
  switch (act) {
    case XDP_PASS:
      return false;
    default:
      bpf_warn_invalid_xdp_action(rq->netdev, prog, act);
      [[fallthrough]];
    case XDP_ABORTED:
      trace_xdp_exception(rq->netdev, prog, act);
      [[fallthrough]];
    case XDP_DROP:
      rq->stats->xdp_drop++;
      return true;
  }
}
