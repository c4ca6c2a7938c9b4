#include "model/core/engine_registers.h"

#include <unicorn/unicorn.h>

#include <charconv>
#include <utility>

namespace ringside {

namespace {

constexpr std::pair<std::string_view, int> kX86[] = {
    {"RAX", UC_X86_REG_RAX}, {"RBX", UC_X86_REG_RBX}, {"RCX", UC_X86_REG_RCX}, {"RDX", UC_X86_REG_RDX},
    {"RSI", UC_X86_REG_RSI}, {"RDI", UC_X86_REG_RDI}, {"RBP", UC_X86_REG_RBP}, {"RSP", UC_X86_REG_RSP},
    {"R8", UC_X86_REG_R8},   {"R9", UC_X86_REG_R9},   {"R10", UC_X86_REG_R10}, {"R11", UC_X86_REG_R11},
    {"R12", UC_X86_REG_R12}, {"R13", UC_X86_REG_R13}, {"R14", UC_X86_REG_R14}, {"R15", UC_X86_REG_R15},
};

}  // namespace

int engine_register(Architecture architecture, std::string_view name) {
  if (architecture == Architecture::x86_64) {
    for (const auto& [known, number] : kX86) {
      if (known == name) return number;
    }
    return 0;
  }
  if (name == "SP") return UC_ARM64_REG_SP;
  if (name == "FP" || name == "X29") return UC_ARM64_REG_X29;
  if (name == "LR" || name == "X30") return UC_ARM64_REG_X30;
  unsigned index = 0;
  const bool numbered = name.size() >= 2 && name.front() == 'X' &&
                        std::from_chars(name.data() + 1, name.data() + name.size(), index).ec == std::errc{} && index <= 28;
  return numbered ? UC_ARM64_REG_X0 + static_cast<int>(index) : 0;
}

}  // namespace ringside
