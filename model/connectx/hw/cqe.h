// ConnectX completion queue entry, 64 bytes, and its doorbell record. Freestanding; shared by the device model and the
// driver. Offsets: public descriptions of CQE64 (mlx5 device interface), checked against rdma-core and DPDK.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/base/bigendian.h"

namespace ringside::connectx {

struct cqe64 {
  std::uint8_t tls_outer_l3_tunneled;
  std::uint8_t rsvd1;
  be16 wqe_id;  // multi-packet WQE: which WQE
  std::uint8_t lro_tcppsh_abort_dupack;
  std::uint8_t lro_min_ttl;
  be16 lro_tcp_win;
  be32 lro_ack_seq_num;
  be32 rss_hash_result;
  std::uint8_t rss_hash_type;
  std::uint8_t ml_path;
  std::uint8_t rsvd18[2];
  be16 check_sum;
  be16 slid;
  be32 flags_rqpn;
  std::uint8_t hds_ip_ext;      // bit 0 L2 ok, bit 1 L3 ok, bit 2 L4 ok
  std::uint8_t l4_l3_hdr_type;  // bit 0 VLAN present, 3:2 L3, 6:4 L4
  be16 vlan_info;
  be32 srqn_uidx;
  be32 ft_metadata;
  be32 rsvd40;
  be32 byte_cnt;  // cyclic RQ: packet length; striding RQ: filler, strides consumed and length, see below
  be64 timestamp;
  be32 sop_drop_qpn;
  be16 wqe_counter;
  std::uint8_t signature;
  std::uint8_t op_own;  // 7:4 opcode, 3:2 format, 1 solicited, 0 owner
};
static_assert(sizeof(cqe64) == 64);
static_assert(offsetof(cqe64, rss_hash_result) == 12 && offsetof(cqe64, check_sum) == 20);
static_assert(offsetof(cqe64, hds_ip_ext) == 28 && offsetof(cqe64, vlan_info) == 30);
static_assert(offsetof(cqe64, byte_cnt) == 44 && offsetof(cqe64, timestamp) == 48);
static_assert(offsetof(cqe64, wqe_counter) == 60 && offsetof(cqe64, op_own) == 63);

// Error form of the same entry: syndromes in bytes 54 and 55.
struct err_cqe {
  std::uint8_t rsvd0[32];
  be32 srqn;
  std::uint8_t rsvd36[18];
  std::uint8_t vendor_err_synd;
  std::uint8_t syndrome;
  be32 s_wqe_opcode_qpn;
  be16 wqe_counter;
  std::uint8_t signature;
  std::uint8_t op_own;
};
static_assert(sizeof(err_cqe) == 64 && offsetof(err_cqe, vendor_err_synd) == 54 && offsetof(err_cqe, syndrome) == 55);

enum CqeOpcode : std::uint8_t {
  kCqeReq = 0,
  kCqeRespSend = 2,
  kCqeReqErr = 13,
  kCqeRespErr = 14,
  kCqeInvalid = 15,
};

enum CqeSyndrome : std::uint8_t {
  kSyndromeLocalLength = 0x01,      // packet longer than the scatter list
  kSyndromeLocalQpOperation = 0x02,  // send WQE that makes no sense
  kSyndromeLocalProtection = 0x04,  // address or key not valid for this queue
  kSyndromeWrFlush = 0x05,          // WQE flushed because the queue is in error
};

inline constexpr std::uint8_t kL2Ok = 1, kL3Ok = 2, kL4Ok = 4;
inline constexpr std::uint8_t kHashL4Mask = 0xc0, kHashIpMask = 0x0c;
inline constexpr std::uint8_t kHashIpv4 = 1 << 2, kHashIpv6 = 2 << 2;  // rss_hash_type
inline constexpr std::uint8_t kHashTcp = 1 << 6, kHashUdp = 2 << 6;
inline constexpr std::uint8_t kVlanPresent = 1;  // l4_l3_hdr_type: the tag was removed and is in vlan_info
inline constexpr std::uint8_t kL3Ipv6 = 1 << 2, kL3Ipv4 = 2 << 2;
inline constexpr std::uint8_t kL4TcpNoAck = 1 << 4, kL4Udp = 2 << 4, kL4TcpAck = 3 << 4, kL4TcpAckData = 4 << 4;

// byte_cnt of a striding RQ's completion. wqe_id names the WQE, wqe_counter the packet's first stride.
inline constexpr std::uint32_t kMpwrqFiller = 1u << 31;
inline constexpr std::uint32_t kMpwrqStridesShift = 16, kMpwrqStridesMask = 0x7fff;
inline constexpr std::uint32_t kMpwrqLengthMask = 0xffff;

// Memory of a CQ before the device has written it.
inline constexpr std::uint8_t kCqeInitOpOwn = 0xf1;

constexpr std::uint8_t cqe_opcode(std::uint8_t op_own) { return op_own >> 4; }
constexpr std::uint8_t cqe_format(std::uint8_t op_own) { return (op_own >> 2) & 3; }
constexpr std::uint8_t cqe_owner(std::uint8_t op_own) { return op_own & 1; }

// Doorbell record of a CQ: 8 bytes in host memory.
struct cq_doorbell_record {
  be32 consumer_index;  // 24 bits
  be32 arm;             // sequence << 28 | command | consumer index (24 bits)
};
static_assert(sizeof(cq_doorbell_record) == 8);

inline constexpr std::uint32_t kCqIndexMask = 0xff'ffff;
inline constexpr std::uint32_t kCqArmAny = 0;
inline constexpr std::uint32_t kCqArmSolicited = 1u << 24;

}  // namespace ringside::connectx
