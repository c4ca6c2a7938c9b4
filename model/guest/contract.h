// The contract between a guest image and the board. Freestanding: the driver and the board both include it, and nothing
// else passes between them. docs/guest-contract.md says the same in prose.
//
// Image      ELF64, statically linked, ET_EXEC, for x86-64 or AArch64. Segments are loaded at their physical addresses,
//            which must lie inside [kRamBase + 1 MiB, kRamBase + ram_size). Virtual equals physical; no paging is set up.
// Entry      e_entry is called with the address of a board_info in the first argument register (rdi, x0), on a 64 KiB
//            stack whose top is board_info.stack_top (16-byte aligned, minus 8 on x86-64 as after a call), with zeroed
//            general registers. It must not return. No vector or floating-point unit may be used.
// Memory     RAM from kRamBase. [heap_base, heap_base + heap_size) is free for the guest. Address 0 up to kRamBase is
//            unmapped, so that null pointers fault. DMA addresses equal physical addresses.
// MMIO       board registers at kBoardRegs; device BARs where board_info says. Accesses are 4 or 8 bytes, naturally
//            aligned.
// Interrupts MSI-X: a device writes the 32-bit vector number to kMsiAddress. A vector becomes pending; it is delivered
//            only while the guest is idle: the guest writes BoardReg::idle, and that write completes when at least one
//            vector is pending. It then reads BoardReg::pending (64-bit mask, cleared by the read) and handles each. It may read it at other times.
// Processors the guest starts on CPU 0. BoardReg::cpu_on starts another one, BoardReg::ipi interrupts one. All share memory and
//            devices; devices interrupt CPU 0. Each has its own BoardReg::idle and BoardReg::pending.
// Statistics the guest may point BoardReg::stats at an array of guest_stat, terminated by an empty name. The board reads
//            the values when the run ends. Neighbours of the same name are parts of one counter.
// Faults     an access to unmapped memory, an undefined instruction, or a write to BoardReg::panic ends the run as an error.
#pragma once

#include <cstdint>

namespace ringside::guest {

inline constexpr std::uint64_t kRamBase = 0x0010'0000;
inline constexpr std::uint64_t kImageBase = 0x0020'0000;  // where Ringside's own images are linked
inline constexpr std::uint64_t kBoardRegs = 0xf000'0000;
inline constexpr std::uint64_t kBoardRegsSize = 0x1000;
inline constexpr std::uint64_t kMsiAddress = 0xfee0'0000;
inline constexpr std::uint64_t kNicBar = 0xe000'0000;  // BAR 0 of the first NIC
inline constexpr std::uint64_t kNicBarSize = 0x10'0000;
inline constexpr std::uint8_t kNicMac[6] = {0x02, 0, 0, 0, 0, 0x01};  // its MAC address; synthetic traffic goes there

// Offsets from kBoardRegs; each register is 8 bytes wide.
enum class BoardReg : std::uint64_t {
  idle = 0x00,     // W: wait until a vector is pending
  pending = 0x08,  // R: mask of pending vectors, cleared by the read
  stats = 0x10,    // W: address of the guest_stat array
  console = 0x18,  // W: one byte of text for a person
  panic = 0x20,    // W: address of a NUL-terminated message; ends the run with status 3
  exit = 0x28,     // W: ends the run cleanly
  cpu_on = 0x30,   // W: address of a cpu_start: starts a CPU that is off
  ipi = 0x38,      // W: sends vector [5:0] to CPU [63:32]
};

// How a CPU begins, as PSCI's CPU_ON has it: it calls `entry` with `argument` in the first argument register, on a stack
// whose top is `stack_top` (16-byte aligned). Other general registers are zero.
struct cpu_start {
  std::uint64_t cpu;
  std::uint64_t entry;
  std::uint64_t argument;
  std::uint64_t stack_top;
};
static_assert(sizeof(cpu_start) == 32);

struct guest_stat {
  char name[32];         // the name that `ethtool -S` prints
  std::uint64_t* value;  // where the guest counts
};
static_assert(sizeof(guest_stat) == 40);

inline constexpr std::uint32_t kBoardMagic = 0x52494e47;  // "RING"
inline constexpr std::uint32_t kContractVersion = 1;

// What the board tells the guest. Strings are NUL-terminated. All driver options are what a user could set with
// ethtool, xdp-loader or ip on a real machine.
struct board_info {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t ram_size;   // bytes from kRamBase
  std::uint64_t heap_base;  // free RAM, 4 KiB aligned
  std::uint64_t heap_size;
  std::uint64_t stack_top;
  std::uint64_t nic_bar;    // BAR 0
  std::uint64_t tsc_khz;    // frequency of the core's cycle counter
  std::uint32_t rx_ring;    // ethtool -G rx, entries
  std::uint32_t mtu;        // ip link mtu, bytes
  std::uint32_t rx_usecs;   // ethtool -C rx-usecs
  std::uint32_t rx_frames;  // ethtool -C rx-frames
  std::uint32_t rx_cqe_moderation;  // 1: moderation period starts at the last CQE, 0: at the last event
  std::uint32_t napi_budget;        // packets per poll, 64 in Linux
  char xdp_program[32];             // name of a program in the image, "" for none
  std::uint32_t rx_striding_rq;     // ethtool --set-priv-flags rx_striding_rq
  std::uint32_t xdp_tx_mpwqe;       // ethtool --set-priv-flags xdp_tx_mpwqe
  char stack[16];                   // where packets for the stack end: "raw-drop" (also ""), "digest", "udp-no-port", "sink" or "tcp"
  std::uint32_t gro;                // ethtool -K gro
  std::uint32_t rx_split_header;    // ethtool -G tcp-data-split: headers and payload in buffers of their own
  std::uint64_t dma_pool_base;    // RAM that the core does not cache, for what is shared with a device that is not coherent
  std::uint64_t dma_pool_size;    // 0: there is none
  std::uint32_t dma_coherent;     // what the device tree says: DMA needs no cache maintenance
  std::uint32_t csr_khz;          // clock of the device's registers and interrupt timers; 0: it has no such
  std::uint32_t tx_ring;          // ethtool -G tx, entries; 0: the driver's default
  std::uint32_t rx_queues;        // ethtool -L rx; 0: one
  std::uint32_t pause;            // ethtool -A: send PAUSE frames when a receive queue fills
  std::uint32_t tcp_flows;        // "tcp": connections that are established, see stream.h
  std::uint32_t tcp_rmem;         // "tcp": bytes of a socket's receive buffer; 0: 6 MiB
  std::uint32_t tcp_verify;       // "tcp": the reader compares what it reads with stream.h
  std::uint32_t promisc;          // ip link set promisc: frames for other stations come through
  std::uint32_t cpus;             // that the board has; 0: one
  std::uint32_t reader_cpu;       // "tcp": where processes that read sockets run, as taskset -c
};
static_assert(sizeof(board_info) == 208);

}  // namespace ringside::guest
