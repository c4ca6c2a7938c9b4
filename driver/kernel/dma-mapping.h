// Memory as a device sees it: DMA addresses equal physical ones, and caches are coherent with DMA.
#pragma once

#include "driver/kernel/mm.h"

enum dma_data_direction : u8 { DMA_BIDIRECTIONAL = 0, DMA_TO_DEVICE = 1, DMA_FROM_DEVICE = 2 };

struct device {
  bool dma_coherent;
  bool dma_skip_sync;  // synchronisation would do nothing, so that it is not even called
};

// Decides, when a driver binds, whether its synchronisation calls can be skipped.
void dma_setup_need_sync(device* dev);

void __dma_sync_single_for_cpu(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir);
void __dma_sync_single_for_device(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir);
dma_addr_t dma_map_page_attrs(device* dev, page* p, size_t offset, size_t size, dma_data_direction dir);
void dma_unmap_page_attrs(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir);

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

__always_inline void dma_sync_single_for_device(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir) {
  if (dma_dev_need_sync(dev)) __dma_sync_single_for_device(dev, addr, size, dir);
}
