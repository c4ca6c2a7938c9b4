#include "model/core/engine_memory.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace ringside {

namespace {

static_assert(std::endian::native == std::endian::little);  // as the guests

void check(uc_err error) {
  if (error != UC_ERR_OK) throw std::runtime_error(fmt::format("unicorn: RAM: {}", uc_strerror(error)));
}

template <class Integer>
void put(std::uint8_t* to, std::int64_t value) {
  const auto part = static_cast<Integer>(value);
  std::memcpy(to, &part, sizeof part);
}

}  // namespace

struct EngineMemory::Hook {
  // A store that leaves a page comes a second time, byte by byte, as far as RAM goes.
  static bool store(uc_engine* engine, uc_mem_type, std::uint64_t address, int size, std::int64_t value, void* user) {
    const EngineMemory& ram = *static_cast<EngineMemory*>(user);
    const PhysAddr at{address};
    const auto bytes = static_cast<std::uint64_t>(size);
    if (!ram.memory_.contains(at, bytes)) return true;
    std::uint8_t* const to = ram.memory_.host(at);
    switch (size) {
      case 1: put<std::uint8_t>(to, value); break;
      case 2: put<std::uint16_t>(to, value); break;
      case 4: put<std::uint32_t>(to, value); break;
      default: put<std::uint64_t>(to, value); break;
    }
    if (address < ram.code_end_ && address + bytes > ram.code_begin_) [[unlikely]]
      uc_ctl_remove_cache(engine, address, address + bytes);
    return true;
  }
};

EngineMemory::EngineMemory(uc_struct* engine, const Image& image, PhysicalMemory& memory)
    : memory_(memory), code_begin_(image.text_begin()), code_end_(image.text_end()) {
  std::uint8_t* const host = memory.host(memory.base());
  check(uc_mem_map_ptr(engine, memory.base().value, memory.size().value, UC_PROT_ALL, host));
  check(uc_mem_protect(engine, memory.base().value, memory.size().value, UC_PROT_READ | UC_PROT_EXEC));
  uc_hook hook;
  check(uc_hook_add(engine, &hook, UC_HOOK_MEM_WRITE_PROT, reinterpret_cast<void*>(Hook::store), this, 1, 0));
}

}  // namespace ringside
