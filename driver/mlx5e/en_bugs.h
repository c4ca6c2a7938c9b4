// Bugs that Linux's driver had and that were repaired. -DMLX5E_BUG=N brings number N back, so that tests can show that
// they would have found it; images are built without.
#pragma once

#ifndef MLX5E_BUG
#define MLX5E_BUG 0
#endif

enum mlx5e_bug : int {
  MLX5E_BUG_STALE_LAYOUT_LEGACY = 1,     // an skb with the fragments that the packet had before the program
  MLX5E_BUG_STALE_LAYOUT_STRIDING = 2,   // the same, and without what the program put in front
  MLX5E_BUG_UNCOUNTED_FRAGS = 3,         // no account of fragments that the program dropped
  MLX5E_BUG_REFILL_FAILURE_LEGACY = 4,   // pages of WQEs whose refill failed are released again
  MLX5E_BUG_REFILL_FAILURE_STRIDING = 5,
  MLX5E_BUG_STUCK_STRIDING = 6,          // consumed WQEs keep the pages that a refill waits for
  MLX5E_BUG_XMIT_FIRST_FRAG = 9,         // the first buffer of a transmitted packet is released too early
};

constexpr bool mlx5e_fixed(mlx5e_bug bug) { return MLX5E_BUG != bug; }
