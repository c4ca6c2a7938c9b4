#include "model/core/engine_memory.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace ringside {

namespace {

static_assert(std::endian::native == std::endian::little);  // as the guests

constexpr std::uint64_t kPage = 4096;  // of the emulator

void check(uc_err error) {
  if (error != UC_ERR_OK) throw std::runtime_error(fmt::format("unicorn: RAM: {}", uc_strerror(error)));
}

template <class Integer>
void put(std::uint8_t* to, std::int64_t value) {
  const auto part = static_cast<Integer>(value);
  std::memcpy(to, &part, sizeof part);
}

// A store that leaves a page comes a second time, byte by byte, as far as RAM goes.
bool store(uc_engine*, uc_mem_type, std::uint64_t address, int size, std::int64_t value, void* user) {
  PhysicalMemory& memory = *static_cast<PhysicalMemory*>(user);
  const PhysAddr at{address};
  if (!memory.contains(at, static_cast<std::uint64_t>(size))) return true;
  std::uint8_t* const to = memory.host(at);
  switch (size) {
    case 1: put<std::uint8_t>(to, value); break;
    case 2: put<std::uint16_t>(to, value); break;
    case 4: put<std::uint32_t>(to, value); break;
    default: put<std::uint64_t>(to, value); break;
  }
  return true;
}

}  // namespace

void map_engine_memory(uc_struct* engine, const Image& image, PhysicalMemory& memory) {
  const std::uint64_t begin = memory.base().value, end = begin + memory.size().value;
  const std::uint64_t code_begin = image.text_begin() / kPage * kPage;
  const std::uint64_t code_end = (image.text_end() + kPage - 1) / kPage * kPage;
  const auto map = [&](std::uint64_t from, std::uint64_t to) {
    if (from < to) check(uc_mem_map_ptr(engine, from, to - from, UC_PROT_ALL, memory.host(PhysAddr{from})));
  };
  const auto forbid_stores = [&](std::uint64_t from, std::uint64_t to) {
    if (from < to) check(uc_mem_protect(engine, from, to - from, UC_PROT_READ | UC_PROT_EXEC));
  };
  map(begin, code_begin);
  map(code_begin, code_end);
  map(code_end, end);
  forbid_stores(begin, code_begin);
  forbid_stores(code_end, end);
  uc_hook hook;
  check(uc_hook_add(engine, &hook, UC_HOOK_MEM_WRITE_PROT, reinterpret_cast<void*>(store), &memory, 1, 0));
}

}  // namespace ringside
