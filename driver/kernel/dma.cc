#include "driver/kernel/barrier.h"
#include "driver/kernel/board.h"
#include "driver/kernel/dma-mapping.h"

void dma_setup_need_sync(device* dev) { dev->dma_skip_sync = dev->dma_coherent; }

void __dma_sync_single_for_cpu(device* dev, dma_addr_t, size_t, dma_data_direction) {
  if (unlikely(!dev->dma_coherent)) panic("DMA that bypasses the caches is not supported");
  barrier();
}

void __dma_sync_single_for_device(device* dev, dma_addr_t, size_t, dma_data_direction) {
  if (unlikely(!dev->dma_coherent)) panic("DMA that bypasses the caches is not supported");
  barrier();
}

dma_addr_t dma_map_page_attrs(device* dev, page* p, size_t offset, size_t size, dma_data_direction dir) {
  const dma_addr_t addr = page_to_phys(p) + offset;
  if (dma_dev_need_sync(dev)) __dma_sync_single_for_device(dev, addr, size, dir);
  return addr;
}

void dma_unmap_page_attrs(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir) {
  if (dma_dev_need_sync(dev)) __dma_sync_single_for_cpu(dev, addr, size, dir);
}
