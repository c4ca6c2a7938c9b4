// One decoded instruction, as the timing model needs it. Everything that does not depend on a particular execution is
// worked out once, when the block is decoded.
#pragma once

#include <array>
#include <cstdint>

namespace ringside {

enum class BranchKind : std::uint8_t {
  none,
  conditional,
  direct_jump,
  direct_call,
  indirect_jump,
  indirect_call,
  function_return,
};

enum class Barrier : std::uint8_t {
  none,
  load_fence,   // lfence: nothing younger starts before everything older has completed
  store_fence,  // sfence, dmb ishst: orders stores among themselves
  load_order,   // dmb ishld: no younger access before the older loads are complete
  full_fence,   // mfence, dmb ish: no younger access before the older ones are globally visible
  full_stop,    // dsb: as full_fence, and nothing younger starts at all
  locked,       // atomic read-modify-write that also orders, as x86 has it
  serialise,    // cpuid, isb and the like: drains the pipeline
  pause,        // pause: orders nothing, but nothing younger starts for a while
};

enum class Repeat : std::uint8_t { none, store, move };

// Which way an instruction takes through the timing model: the usual kinds have short ones.
enum class Path : std::uint8_t {
  simple,   // arithmetic and branches: no memory
  load,     // at most one load, and perhaps an operation or a branch on it
  store,    // at most one store, and perhaps a branch
  complex,  // everything else
};

// What a calm run (pipeline_calm.cc) makes of an instruction: the usual ones have a way of their own that does no more than
// they need. The number of data sources and of results is what the way has room for.
enum class Shape : std::uint8_t {
  other,            // not for a calm run
  fused,            // the second half of a fused pair: takes no slot, gives no result
  move_1_1,         // no integer slot, 1 source, 1 result
  move_2_1,
  alu_1_1,
  alu_1_2,
  alu_2_1,
  alu_2_2,
  simple,           // any other without memory
  load_1,           // a load to a register by an address of 1 register
  load_2,
  pop,              // and one register beside it
  load,             // any other
  store,
  load_pair,        // two loads by one address
  store_pair,
  update,           // a load, and a store of what was made of it
};

// Pseudo registers that fill unused operand slots of the short paths.
inline constexpr std::uint8_t kRegisterAlwaysReady = 255;
inline constexpr std::uint8_t kRegisterNowhere = 254;
inline constexpr unsigned kRegisters = 256;  // real ones are below the pseudo registers

// Register operands are small numbers that the decoder hands out; two names of the same storage (al, eax, rax) share
// one.
struct alignas(64) Instruction {
  static constexpr std::size_t kMaxSources = 10;
  static constexpr std::size_t kMaxResults = 8;

  std::uint64_t address = 0;
  std::uint16_t latency = 1;    // cycles in the execution units; loads come on top with what the memory says
  std::uint16_t occupancy = 0;  // cycles for which the unpipelined divider is taken
  std::uint16_t place = 0;      // how many instructions of its block precede it; a fused pair is one
  std::uint8_t length = 0;      // bytes
  std::uint8_t micro_ops = 1;   // slots at dispatch and in the reorder buffer, after fusion
  std::uint8_t registers = 0;   // of the integer register file, until it retires
  std::uint8_t loads = 0;       // accesses it may make, as the emulator reports them
  std::uint8_t stores = 0;
  BranchKind branch = BranchKind::none;
  Barrier barrier = Barrier::none;
  Repeat repeat = Repeat::none;
  std::uint8_t element_size = 0;  // bytes, of a repeated string instruction
  bool prefetch = false;          // software prefetch: a load that nobody waits for
  bool maintains = false;         // cache maintenance: a store that commits when the line is done
  bool uses_alu = false;          // takes an integer execution slot
  bool new_line = false;          // starts in another line of code than its predecessor in the block
  Path path = Path::complex;
  Shape shape = Shape::other;

  // Address operands come first: they let a load start before the other operands are there.
  std::uint8_t address_sources = 0;
  std::uint8_t sources = 0;  // all, the address operands included
  // Early results come first: a stack pointer or base register that is updated beside the access.
  std::uint8_t early_results = 0;
  std::uint8_t results = 0;  // all, the early ones included
  std::uint8_t early_latency = 0;
  std::array<std::uint8_t, kMaxSources> source{};
  std::array<std::uint8_t, kMaxResults> result{};

  // The same operands in a fixed number of slots, which is what the short paths read. On these, an early result is the
  // only one of its kind.
  std::array<std::uint8_t, 2> short_address{kRegisterAlwaysReady, kRegisterAlwaysReady};
  std::array<std::uint8_t, 3> short_data{kRegisterAlwaysReady, kRegisterAlwaysReady, kRegisterAlwaysReady};
  std::array<std::uint8_t, 2> short_result{kRegisterNowhere, kRegisterNowhere};
  std::uint8_t short_early = kRegisterNowhere;
};
static_assert(sizeof(Instruction) == 64);

}  // namespace ringside
