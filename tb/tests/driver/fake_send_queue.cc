// The fake device's send queues: UMR WQEs change translations, the others transmit.
#include <cstring>
#include <utility>

#include "tb/tests/driver/fake_connectx.h"

namespace ringside {

namespace cx = connectx;

namespace {

constexpr std::uint32_t kDsPerBb = cx::kSendWqeBb / cx::kSendWqeDs;
constexpr std::uint32_t kBbsPerPage = PAGE_SIZE / cx::kSendWqeBb;

void require(bool condition, const char* message) {
  if (!condition) throw std::logic_error(message);
}

}  // namespace

std::size_t FakeConnectx::run_send_queues() {
  std::size_t wqes = 0;
  for (auto& [sqn, sq] : sqs_) {
    const bool umr = sqn == sqs_.begin()->first;
    if (sq.state != cx::kRqReady || (stalled_ && !umr)) continue;
    const auto now = static_cast<std::uint16_t>(word(sq.record + 4));
    const std::uint16_t before = std::exchange(sq.rung, now);
    wqes += run(sqn, sq, delayed_ && !umr ? before : now);
  }
  return wqes;
}

std::size_t FakeConnectx::run(std::uint32_t sqn, Sq& sq, std::uint16_t producer) {
  std::size_t wqes = 0;
  while (sq.consumed != producer) {
    const std::uint32_t slot = sq.consumed & ((1u << sq.log) - 1);
    const auto* wqe = reinterpret_cast<const std::uint8_t*>(sq.buffer + slot * cx::kSendWqeBb);
    const auto& ctrl = *reinterpret_cast<const cx::wqe_ctrl_seg*>(wqe);
    const std::uint32_t ds = ctrl.qpn_ds & 0x3f;
    const std::uint32_t bbs = (ds + kDsPerBb - 1) / kDsPerBb;
    const auto opcode = static_cast<std::uint8_t>(ctrl.opmod_idx_opcode & 0xff);
    require(ctrl.qpn_ds >> 8 == sqn && ds > 0, "a WQE of another queue");
    require((ctrl.opmod_idx_opcode >> 8 & 0xffff) == sq.consumed, "a WQE with the wrong index");
    require(slot % kBbsPerPage + bbs <= kBbsPerPage, "a WQE across pages");
    std::uint32_t packets = 0;
    if (opcode == cx::kWqeUmr) map(wqe, ds);
    if (opcode == cx::kWqeSend || opcode == cx::kWqeEnhancedMpsw) {
      const std::size_t header = sizeof(cx::wqe_ctrl_seg) + sizeof(cx::wqe_eth_seg);
      packets = transmit(wqe + header, wqe + ds * cx::kSendWqeDs, opcode == cx::kWqeSend);
    }
    const bool completion = (ctrl.fm_ce_se & cx::kWqeCtrlCqUpdate) != 0;
    sent_.push_back({opcode, bbs, packets, completion});
    if (completion) {
      cx::cqe64 entry{};
      entry.wqe_counter = sq.consumed;
      entry.op_own = cx::kCqeReq << 4;
      complete(sq.cqn, entry);
    }
    sq.consumed = static_cast<std::uint16_t>(sq.consumed + bbs);
    ++wqes;
    // NOPs that padded the queue for a WQE which then was not built may follow.
    require(completion || sq.consumed != producer || opcode == cx::kWqeNop, "the last WQE asks for no completion");
  }
  return wqes;
}

void FakeConnectx::map(const std::uint8_t* wqe, std::uint32_t ds) {
  const auto& umr = *reinterpret_cast<const cx::umr_wqe*>(wqe);
  const std::uint32_t first = umr.uctrl.xlt_offset * 16u / sizeof(cx::mtt_entry);
  const std::uint32_t count = umr.uctrl.xlt_octowords * 16u / sizeof(cx::mtt_entry);
  require(umr.ctrl.imm == mpwqe(0).data.lkey, "a UMR of another key");
  require(ds * cx::kSendWqeDs == sizeof umr + count * sizeof(cx::mtt_entry), "a UMR WQE of the wrong size");
  const auto* entries = reinterpret_cast<const cx::mtt_entry*>(wqe + sizeof umr);
  for (std::uint32_t i = 0; i < count; ++i) translations_.at(first + i) = entries[i].ptag;
}

std::uint32_t FakeConnectx::transmit(const std::uint8_t* segment, const std::uint8_t* end, bool one_packet) {
  std::uint32_t packets = 0;
  Packet packet;
  while (segment < end) {
    const auto& data = *reinterpret_cast<const cx::wqe_data_seg*>(segment);
    const std::uint32_t length = data.byte_count & ~cx::kInlineSegment;
    const bool is_inline = (data.byte_count & cx::kInlineSegment) != 0;
    const auto* from = is_inline ? segment + 4 : reinterpret_cast<const std::uint8_t*>(std::uint64_t{data.addr});
    packet.insert(packet.end(), from, from + length);
    segment += is_inline ? ALIGN(4 + length, cx::kSendWqeDs) : sizeof data;
    if (one_packet && segment < end) continue;
    transmitted_.push_back(std::move(packet));
    packet = {};
    ++packets;
  }
  return packets;
}

}  // namespace ringside
