#include "model/connectx/send_wqe.h"

#include <cstddef>

#include "model/connectx/frame_limits.h"
#include "model/connectx/hw/cqe.h"

namespace ringside::connectx {

namespace {

constexpr std::uint32_t kInlineHeaderAt = offsetof(wqe_eth_seg, inline_hdr_start);
constexpr std::uint32_t kCtrlDs = sizeof(wqe_ctrl_seg) / kSendWqeDs;
constexpr std::uint32_t kUmrHeaderDs = sizeof(umr_wqe) / kSendWqeDs;

constexpr std::uint32_t ds_of(std::uint32_t bytes) { return (bytes + kSendWqeDs - 1) / kSendWqeDs; }

void start(Gather& packet, std::uint32_t ds) {
  packet.parts.clear();
  packet.length = packet.reads = 0;
  packet.ds = ds;
  packet.syndrome = 0;
}

}  // namespace

void SendWqe::gather_send(const MkeyTable& mkeys, std::uint32_t longest, Gather& packet) const {
  const wqe_eth_seg& eth = at<wqe_eth_seg>(kCtrlDs);
  const std::uint32_t header = eth.inline_hdr_sz;
  const std::uint32_t eth_ds = header <= 2 ? 1 : ds_of(kInlineHeaderAt + header);
  start(packet, kCtrlDs + eth_ds);
  if (packet.ds > ds()) {
    packet.syndrome = kSyndromeLocalQpOperation;
    return;
  }
  if (header != 0) packet.parts.push_back({eth.inline_hdr_start, {}, header});
  packet.length = header;
  while (packet.ds < ds() && packet.syndrome == 0) add_segment(mkeys, longest, packet);
  if (packet.length == 0 && packet.syndrome == 0) packet.syndrome = kSyndromeLocalLength;
}

void SendWqe::gather_segment(const MkeyTable& mkeys, std::uint32_t ds, std::uint32_t longest, Gather& packet) const {
  start(packet, ds);
  add_segment(mkeys, longest, packet);
}

// Adds the segment at packet.ds, which is within the WQE.
void SendWqe::add_segment(const MkeyTable& mkeys, std::uint32_t longest, Gather& packet) const {
  const wqe_data_seg& segment = at<wqe_data_seg>(packet.ds);
  const std::uint32_t count = segment.byte_count;
  const std::uint32_t length = count & ~kInlineSegment;
  if (length == 0 || length > longest - packet.length) {
    packet.syndrome = kSyndromeLocalLength;
    return;
  }
  if ((count & kInlineSegment) != 0) {
    const std::uint32_t end = packet.ds + ds_of(sizeof segment.byte_count + length);
    if (end > ds()) {
      packet.syndrome = kSyndromeLocalQpOperation;
      return;
    }
    packet.parts.push_back({bytes.data() + packet.ds * kSendWqeDs + sizeof segment.byte_count, {}, length});
    packet.ds = end;
  } else {
    std::array<HostPiece, kMaxFrame / MkeyTable::kPage + 2> pieces;
    const std::size_t n = mkeys.translate(segment.lkey, segment.addr, length, MkeyTable::Access::read, pieces);
    if (n == 0) {
      packet.syndrome = kSyndromeLocalProtection;
      return;
    }
    for (std::size_t i = 0; i < n; ++i) packet.parts.push_back({nullptr, pieces[i].address, pieces[i].length});
    packet.reads += static_cast<std::uint32_t>(n);
    ++packet.ds;
  }
  packet.length += length;
}

std::uint8_t SendWqe::apply_umr(MkeyTable& mkeys) const {
  if (ds() < kUmrHeaderDs) return kSyndromeLocalQpOperation;
  const wqe_umr_ctrl_seg& control = at<wqe_umr_ctrl_seg>(kCtrlDs);
  const std::uint32_t octowords = control.xlt_octowords;
  if (kUmrHeaderDs + octowords > ds()) return kSyndromeLocalQpOperation;
  constexpr std::uint32_t kPerOctoword = kSendWqeDs / sizeof(mtt_entry);
  const std::uint64_t first = std::uint64_t{control.xlt_offset} * kPerOctoword;
  const std::span<const std::uint8_t> entries(bytes.data() + sizeof(umr_wqe), std::size_t{octowords} * kSendWqeDs);
  return mkeys.update(ctrl().imm, first, entries) ? 0 : kSyndromeLocalProtection;
}

}  // namespace ringside::connectx
