// Accesses to device registers. The raw forms carry no barrier: the caller has ordered what the device will read.
#pragma once

#include "driver/kernel/barrier.h"

using __iomem = volatile u8;

__always_inline u32 __raw_readl(const __iomem* addr) { return *reinterpret_cast<const volatile u32*>(addr); }
__always_inline u64 __raw_readq(const __iomem* addr) { return *reinterpret_cast<const volatile u64*>(addr); }
__always_inline void __raw_writel(u32 value, __iomem* addr) { *reinterpret_cast<volatile u32*>(addr) = value; }
__always_inline void __raw_writeq(u64 value, __iomem* addr) { *reinterpret_cast<volatile u64*>(addr) = value; }

__always_inline u32 readl(const __iomem* addr) {
  const u32 value = __raw_readl(addr);
  dma_rmb();
  return value;
}
__always_inline u64 readq(const __iomem* addr) {
  const u64 value = __raw_readq(addr);
  dma_rmb();
  return value;
}
__always_inline void writel(u32 value, __iomem* addr) {
  dma_wmb();
  __raw_writel(value, addr);
}
__always_inline void writeq(u64 value, __iomem* addr) {
  dma_wmb();
  __raw_writeq(value, addr);
}
