// BAR 0 of the ConnectX model and its command interface. Freestanding. The command layout is Ringside's own: opcodes have
// the device's numbers and the objects its meaning, but mailboxes hold plain structs instead of the device's bit-packed
// contexts. Doorbells have the device's layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/base/bigendian.h"

namespace ringside::connectx {

// Offsets in BAR 0.
inline constexpr std::uint64_t kRegFirmwareRevision = 0x0000;  // R 32 bit: kFirmwareRevision
inline constexpr std::uint64_t kRegCommandAddress = 0x0010;    // W 64 bit: physical address of a command_mailbox
inline constexpr std::uint64_t kRegCommandDoorbell = 0x0018;   // W 32 bit: any value runs the command
inline constexpr std::uint64_t kUarPage = 0x1000;              // doorbell page
inline constexpr std::uint64_t kUarCqDoorbell = kUarPage + 0x20;     // W 64 bit: {arm word, cqn}, both big-endian
inline constexpr std::uint64_t kUarEqArm = kUarPage + 0x40;          // W 32 bit big-endian: eqn << 24 | consumer index
inline constexpr std::uint64_t kUarEqUpdate = kUarPage + 0x48;       // W 32 bit big-endian: update only
inline constexpr std::uint64_t kUarBlueFlame = kUarPage + 0x800;     // W 64 bit: first 8 bytes of a ctrl segment

inline constexpr std::uint32_t kPorts = 2;

inline constexpr std::uint32_t kFirmwareRevision = 0x0016'0001;

enum CommandOpcode : std::uint16_t {
  kCmdCreateMkey = 0x200,
  kCmdDestroyMkey = 0x202,
  kCmdCreateEq = 0x301,
  kCmdDestroyEq = 0x302,
  kCmdCreateCq = 0x400,
  kCmdDestroyCq = 0x401,
  kCmdModifyCq = 0x403,
  kCmdSetPortMtu = 0x805,  // stands for ACCESS_REG(PMTU)
  kCmdCreateTir = 0x900,
  kCmdDestroyTir = 0x902,
  kCmdCreateSq = 0x904,
  kCmdModifySq = 0x905,
  kCmdDestroySq = 0x906,
  kCmdCreateRq = 0x908,
  kCmdModifyRq = 0x909,
  kCmdDestroyRq = 0x90a,
};

enum CommandStatus : std::uint8_t {
  kCmdOk = 0x0,
  kCmdBadOpcode = 0x2,
  kCmdBadParameter = 0x3,
  kCmdExceedsLimit = 0x8,
  kCmdBadResourceState = 0x9,
  kCmdBusy = 0xff,  // written by the driver before the doorbell; the device overwrites it
};

enum RqType : std::uint32_t {
  kRqCyclic = 0,
  kRqStriding = 1,  // linked list of multi-packet WQEs (rx_wqe_ll)
};

// Work queues, receive and send.
enum RqState : std::uint32_t { kRqReset = 0, kRqReady = 1, kRqError = 3 };

// All fields little-endian host integers: this layout is ours. `object` is the number of the object created (output) or
// acted upon (input). The device reads the mailbox by DMA and writes its first 8 bytes back; one command runs at a time,
// and a doorbell rung meanwhile is ignored. An RQ is created in state reset.
struct command_mailbox {
  std::uint16_t opcode;
  std::uint8_t status;  // CommandStatus, written by the device when the command has completed
  std::uint8_t rsvd;
  std::uint32_t object;
  union {
    struct {
      std::uint64_t address, length;
      std::uint32_t translations;  // 0: addresses are physical; else entries of 4 KiB pages, set by UMR WQEs
      std::uint64_t filler;        // physical address of the page that all entries name at first; 0: none
    } mkey;                        // object (output) is the lkey
    struct {
      std::uint64_t buffer;  // physical address of the first eqe
      std::uint32_t log_size, vector;
    } eq;
    struct {
      std::uint64_t buffer, doorbell_record;
      std::uint32_t log_size, eqn;
      std::uint32_t period_us, max_count;  // moderation; 0 = none
      std::uint32_t period_from_cqe;       // 1: the period restarts at each CQE; 0: it starts at the last event
    } cq;                                  // also modify_cq (moderation fields only)
    struct {
      std::uint64_t buffer, doorbell_record;
      std::uint32_t log_size, log_stride;  // WQEs; bytes per WQE = 1 << log_stride
      std::uint32_t cqn, state;            // state: modify_rq only
      std::uint32_t type;                  // RqType
      std::uint32_t log_strides, log_stride_size;  // striding: strides per WQE, bytes per stride
    } rq;
    struct {
      std::uint64_t buffer, doorbell_record;
      std::uint32_t log_size;  // WQEBBs
      std::uint32_t cqn, state;  // state: modify_sq only
      std::uint32_t port;        // from 0
    } sq;
    struct {
      std::uint32_t rqn;
      std::uint32_t port;  // from 0
    } tir;  // steering: all traffic of the port goes to its latest TIR
    struct {
      std::uint32_t mtu;
      std::uint32_t number;  // from 0
    } port;  // longest L3 payload; longer frames are dropped by the port
    std::uint8_t raw[56];
  };
};
static_assert(sizeof(command_mailbox) == 64);

}  // namespace ringside::connectx
