#include "model/memory/dram_image.h"

#include <cstring>

namespace ringside {

DramImage::DramImage(PhysicalMemory& memory, PhysAddr uncached_begin, PhysAddr uncached_end)
    : memory_(memory),
      uncached_begin_(uncached_begin.value),
      uncached_size_(uncached_end.value - uncached_begin.value),
      first_line_(memory.base().value / kCacheLine),
      flags_(memory.size().value / kCacheLine),
      dram_(memory.base(), memory.size()) {}

DramImage::~DramImage() = default;

std::uint8_t* DramImage::core_bytes(std::uint64_t line) const { return memory_.host(PhysAddr{line * kCacheLine}); }
std::uint8_t* DramImage::dram_bytes(std::uint64_t line) const {
  return const_cast<PhysicalMemory&>(dram_).host(PhysAddr{line * kCacheLine});
}

void DramImage::write_back(std::uint64_t line) {
  if ((flags(line) & kStale) != 0) {
    ++counts_.overwritten_lines;
    if (overwritten_.size() < kKept) overwritten_.push_back(line * kCacheLine);
  }
  flags(line) = 0;
}

void DramImage::refill(std::uint64_t line) {
  std::memcpy(core_bytes(line), dram_bytes(line), kCacheLine);
  flags(line) = 0;
}

void DramImage::stored(std::uint64_t address, std::uint32_t size) {
  if (uncached(address)) return;
  for (std::uint64_t line = address / kCacheLine; line <= (address + size - 1) / kCacheLine; ++line) {
    if (!contains(line) || (flags(line) & kDirty) != 0) continue;
    if (flags(line) == 0) std::memcpy(dram_bytes(line), core_bytes(line), kCacheLine);
    flags(line) |= kDirty;
  }
}

bool DramImage::loaded_stale(std::uint64_t address, std::uint32_t size) {
  bool fresh = true;
  for (std::uint64_t line = address / kCacheLine; line <= (address + size - 1) / kCacheLine; ++line) {
    if (!contains(line) || (flags(line) & kStale) == 0) continue;
    const std::uint64_t begin = std::max(address, line * kCacheLine);
    const std::uint64_t end = std::min(address + size, (line + 1) * kCacheLine);
    const std::uint64_t offset = begin % kCacheLine;
    if (std::memcmp(core_bytes(line) + offset, dram_bytes(line) + offset, end - begin) != 0) fresh = false;
  }
  if (!fresh) ++counts_.stale_loads;
  return fresh;
}

void DramImage::clean(std::uint64_t address) {
  const std::uint64_t line = address / kCacheLine;
  if (contains(line) && (flags(line) & kDirty) != 0) write_back(line);
}

void DramImage::invalidate(std::uint64_t address, Invalidate how) {
  const std::uint64_t line = address / kCacheLine;
  if (!contains(line) || flags(line) == 0) return;
  const bool dirty = (flags(line) & kDirty) != 0;
  if (dirty && how == Invalidate::clean) return write_back(line);
  if (dirty) ++counts_.discarded_lines;
  refill(line);
}

void DramImage::left(LineNumber line) {
  if (!contains(line) || flags(line) == 0) return;
  (flags(line) & kDirty) != 0 ? write_back(line) : refill(line);
}

void DramImage::write(PhysAddr address, std::span<const std::uint8_t> data, bool cached) {
  const std::uint64_t line = address.value / kCacheLine;
  if (uncached(address.value) || (flags(line) == 0 && !cached)) {
    std::memcpy(memory_.host(address), data.data(), data.size());
    return;
  }
  if (flags(line) == 0) std::memcpy(dram_bytes(line), core_bytes(line), kCacheLine);
  if ((flags(line) & kStale) == 0) ++counts_.stale_lines;
  flags(line) |= kStale;
  std::memcpy(dram_.host(address), data.data(), data.size());
}

void DramImage::read(PhysAddr address, std::span<std::uint8_t> data) const {
  const std::uint64_t line = address.value / kCacheLine;
  const bool same = uncached(address.value) || flags_[line - first_line_] == 0;
  std::memcpy(data.data(), same ? memory_.host(address) : dram_.host(address), data.size());
}

}  // namespace ringside
