#include "driver/kernel/barrier.h"
#include "driver/kernel/board.h"
#include "driver/kernel/cacheflush.h"
#include "driver/kernel/dma-mapping.h"
#include "driver/kernel/string.h"

struct dma_pool {
  u64 next;
  u64 end;
};

static dma_pool coherent_pool;

void dma_setup_need_sync(device* dev) { dev->dma_skip_sync = dev->dma_coherent; }

void dma_pool_init(u64 base, u64 size) { coherent_pool = {base, base + size}; }

void* dma_alloc_coherent(device* dev, size_t size, dma_addr_t* dma_handle) {
  size = ALIGN(size, PAGE_SIZE);
  if (dev->dma_coherent) {
    void* memory = memblock_alloc(size, PAGE_SIZE);
    *dma_handle = virt_to_phys(memory);
    return memory;
  }
  if (size > coherent_pool.end - coherent_pool.next) panic("no uncached memory left for a device that is not coherent");
  *dma_handle = coherent_pool.next;
  coherent_pool.next += size;
  return memset64(reinterpret_cast<u64*>(*dma_handle + page_offset_base), 0, size / sizeof(u64));
}

void __dma_sync_single_for_cpu(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir) {
  barrier();
  if (dev->dma_coherent || dir == DMA_TO_DEVICE) return;
  const u64 start = addr + page_offset_base;
  dcache_inval_poc(start, start + size);
}

void __dma_sync_single_for_device(device* dev, dma_addr_t addr, size_t size, dma_data_direction) {
  barrier();
  if (dev->dma_coherent) return;
  const u64 start = addr + page_offset_base;
  dcache_clean_poc(start, start + size);
}

dma_addr_t dma_map_page_attrs(device* dev, page* p, size_t offset, size_t size, dma_data_direction dir, u32 attrs) {
  const dma_addr_t addr = page_to_phys(p) + offset;
  if ((attrs & DMA_ATTR_SKIP_CPU_SYNC) == 0) dma_sync_single_for_device(dev, addr, size, dir);
  return addr;
}

void dma_unmap_page_attrs(device* dev, dma_addr_t addr, size_t size, dma_data_direction dir, u32 attrs) {
  if ((attrs & DMA_ATTR_SKIP_CPU_SYNC) == 0) dma_sync_single_for_cpu(dev, addr, size, dir);
}
