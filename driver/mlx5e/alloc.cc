#include "driver/mlx5e/mlx5.h"

void mlx5_frag_buf_alloc(mlx5_frag_buf_ctrl* fbc, u8 log_stride, u8 log_sz) {
  const u64 size = u64{1} << (log_stride + log_sz);
  const u64 npages = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;
  u8* buf = static_cast<u8*>(memblock_alloc(npages << PAGE_SHIFT, PAGE_SIZE));
  fbc->frags = memblock_alloc_array<mlx5_buf_list>(npages);
  for (u64 i = 0; i < npages; i++) {
    fbc->frags[i].buf = buf + (i << PAGE_SHIFT);
    fbc->frags[i].map = virt_to_phys(fbc->frags[i].buf);
  }
  fbc->log_stride = log_stride;
  fbc->log_sz = log_sz;
  fbc->sz_m1 = (1u << log_sz) - 1;
  fbc->log_frag_strides = static_cast<u8>(PAGE_SHIFT - log_stride);
  fbc->frag_sz_m1 = static_cast<u16>((1u << fbc->log_frag_strides) - 1);
  fbc->strides_offset = 0;
}

be32* mlx5_db_alloc() { return static_cast<be32*>(memblock_alloc(2 * sizeof(be32), L1_CACHE_BYTES)); }
