// What a send WQE asks for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/connectx/hw/wqe.h"
#include "model/connectx/mkey_table.h"

namespace ringside::connectx {

inline constexpr std::uint32_t kMaxSendWqeBytes = kMaxSendWqeBbs * kSendWqeBb;

// A packet gathered from a WQE: parts in order, each either bytes of the WQE or host memory.
struct Gather {
  struct Part {
    const std::uint8_t* inlined;  // nullptr: host memory
    PhysAddr address;
    std::uint32_t length;
  };

  std::vector<Part> parts;
  std::uint32_t length = 0;
  std::uint32_t reads = 0;    // parts in host memory
  std::uint32_t ds = 0;       // where the WQE goes on after the packet
  std::uint8_t syndrome = 0;  // CqeSyndrome, 0 if all is well
};

// A WQE in the hands of the device. Units of 16 bytes (DS) count from its control segment.
class SendWqe {
 public:
  std::array<std::uint8_t, kMaxSendWqeBytes> bytes;

  const wqe_ctrl_seg& ctrl() const { return at<wqe_ctrl_seg>(0); }
  std::uint8_t opcode() const { return static_cast<std::uint8_t>(ctrl().opmod_idx_opcode & 0xff); }
  std::uint32_t ds() const { return ctrl().qpn_ds & 0x3f; }
  bool wants_completion() const { return (ctrl().fm_ce_se & kWqeCtrlCqUpdate) != 0; }

  // The packet of a SEND: inline header of the Ethernet segment, then all data segments.
  void gather_send(const MkeyTable& mkeys, std::uint32_t longest, Gather& packet) const;

  // One packet of an enhanced MPSW: the segment at `ds`.
  void gather_segment(const MkeyTable& mkeys, std::uint32_t ds, std::uint32_t longest, Gather& packet) const;

  // Sets the translations that a UMR carries: inline entries, at an offset in the table of the key in ctrl.imm. Returns
  // a CqeSyndrome.
  std::uint8_t apply_umr(MkeyTable& mkeys) const;

 private:
  template <class T>
  const T& at(std::uint32_t ds) const {
    return *reinterpret_cast<const T*>(bytes.data() + ds * kSendWqeDs);
  }
  void add_segment(const MkeyTable& mkeys, std::uint32_t longest, Gather& packet) const;
};

}  // namespace ringside::connectx
