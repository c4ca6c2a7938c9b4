// Memory as a device sees it: DMA addresses equal physical ones. Caches are coherent with the device's DMA or not; then
// lines are written back before the device reads or writes, and forgotten before the processor reads.
#pragma once

#include "driver/kernel/mm.h"

enum dma_data_direction : u8 { DMA_BIDIRECTIONAL = 0, DMA_TO_DEVICE = 1, DMA_FROM_DEVICE = 2 };

// Mapping or unmapping leaves the caches alone: the caller synchronises what is used.
inline constexpr u32 DMA_ATTR_SKIP_CPU_SYNC = BIT(5);

struct device {
  bool dma_coherent;
  bool dma_skip_sync;  // synchronisation would do nothing, so that it is not even called
};

// Decides, when a driver binds, whether its synchronisation calls can be skipped.
void dma_setup_need_sync(device* dev);

// Takes over memory that is not cached, for dma_alloc_coherent(). `size` may be 0.
void dma_pool_init(u64 base, u64 size);

// Zeroed memory that processor and device share without synchronisation; it is never given back. Panics if there is none.
void* dma_alloc_coherent(device* dev, size_t size, dma_addr_t* dma_handle);

void __dma_sync_single_for_cpu(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir);
void __dma_sync_single_for_device(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir);
dma_addr_t dma_map_page_attrs(device* dev, page* p, size_t offset, size_t size, dma_data_direction dir, u32 attrs);
void dma_unmap_page_attrs(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir, u32 attrs);

// Kernels before 6.10 always made the call; CONFIG_DMA_ALWAYS_SYNC builds them.
__always_inline bool dma_dev_need_sync(const device* dev) {
#ifdef CONFIG_DMA_ALWAYS_SYNC
  return dev != nullptr;
#else
  return !dev->dma_skip_sync;
#endif
}

__always_inline void dma_sync_single_range_for_cpu(device* dev, dma_addr_t addr, size_t offset, size_t size,
                                                   dma_data_direction dir) {
  if (dma_dev_need_sync(dev)) __dma_sync_single_for_cpu(dev, addr + offset, size, dir);
}

__always_inline void dma_sync_single_for_cpu(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir) {
  if (dma_dev_need_sync(dev)) __dma_sync_single_for_cpu(dev, addr, size, dir);
}

__always_inline void dma_sync_single_for_device(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir) {
  if (dma_dev_need_sync(dev)) __dma_sync_single_for_device(dev, addr, size, dir);
}

__always_inline dma_addr_t dma_map_single(device* dev, void* ptr, size_t size, dma_data_direction dir) {
  const dma_addr_t addr = virt_to_phys(ptr);
  return dma_map_page_attrs(dev, pfn_to_page(addr >> PAGE_SHIFT), addr & (PAGE_SIZE - 1), size, dir, 0);
}
__always_inline void dma_unmap_single(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir) {
  dma_unmap_page_attrs(dev, addr, size, dir, 0);
}
