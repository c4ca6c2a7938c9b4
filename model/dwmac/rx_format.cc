#include "model/dwmac/rx_format.h"

namespace ringside::dwmac {

namespace {

PhysAddr address(std::uint32_t low, std::uint32_t high) { return {std::uint64_t{high} << 32 | low}; }

constexpr std::uint64_t kSecond = 1'000'000'000'000;  // picoseconds

dma_desc timestamp(Time at) {
  return {static_cast<std::uint32_t>(at.value % kSecond / 1000), static_cast<std::uint32_t>(at.value / kSecond), 0,
          kDes3Ctxt};
}

// EQOS names the checks that failed and leaves the verdict to the driver.
class EqosFormat final : public RxFormat {
 public:
  RxBuffers buffers(const dma_desc& d) const override {
    using namespace eqos;
    return {{address(d.des0, d.des1), address(d.des2, 0)},
            {(d.des3 & kRdes3Buf1v) != 0, (d.des3 & kRdes3Buf2v) != 0},
            (d.des3 & kRdes3Ioc) != 0};
  }

  dma_desc close(const RxStatus& s) const override {
    using namespace eqos;
    dma_desc d{};
    d.des3 = (s.length & kRdes3PlMask) | (s.first ? kRdes3Fd : 0);
    if (s.first && s.header != 0) {
      d.des2 |= s.header & kRdes2HlMask;
      d.des3 |= kRdes3Rs2v;
    }
    if (!s.last) return d;
    d.des3 |= kRdes3Ld | kRdes3Rs1v;
    d.des1 = checks(s);
    if (s.timestamp) d.des1 |= kRdes1TimestampAvailable;
    if (s.filter_failed) {
      d.des2 |= kRdes2DaFilterFail;
      d.des3 |= kRdes3Rs2v;
    }
    if (s.watchdog) d.des3 |= kRdes3ReceiveWatchdog | kRdes3ErrorSummary;
    if (s.giant) d.des3 |= kRdes3GiantPacket | kRdes3ErrorSummary;
    if (s.overflow) d.des3 |= kRdes3OverflowError | kRdes3ErrorSummary;
    return d;
  }

  dma_desc context(Time at) const override { return timestamp(at); }

  std::string_view discarded(const RxStatus& s) const override {
    if (s.overflow) return "rx_gmac_overflow";
    if (s.watchdog) return "rx_watchdog";
    if (s.giant) return "rx_length";
    if (s.filter_failed) return "da_rx_filter_fail";
    return {};
  }

 private:
  static std::uint32_t checks(const RxStatus& s) {
    using namespace eqos;
    using enum FrameInfo::Transport;
    std::uint32_t des1 = 0;
    if (!s.checksums) return kRdes1IpCsumBypassed;
    if (s.info.ipv4) des1 |= kRdes1Ipv4;
    if (s.info.ipv6) des1 |= kRdes1Ipv6;
    if (s.info.transport == udp) des1 |= kRdes1PayloadUdp;
    if (s.info.transport == tcp) des1 |= kRdes1PayloadTcp;
    if (s.info.transport == icmp) des1 |= kRdes1PayloadIcmp;
    if (s.info.bypassed) des1 |= kRdes1IpCsumBypassed;
    if (s.info.header_error) des1 |= kRdes1IpHdrError;
    if (s.info.checksum_error) des1 |= kRdes1IpCsumError;
    return des1;
  }
};

// XGMAC has one error code, and a wrong checksum is an error like others.
class XgmacFormat final : public RxFormat {
 public:
  explicit XgmacFormat(bool zero_is_valid) : zero_is_valid_(zero_is_valid) {}

  RxBuffers buffers(const dma_desc& d) const override {
    const PhysAddr first = address(d.des0, d.des1);
    const PhysAddr second = address(d.des2, d.des3 & xgmac::kRdes3Buf2HighMask);
    return {{first, second},
            {zero_is_valid_ || first.value != 0, zero_is_valid_ || second.value != 0},
            (d.des3 & xgmac::kRdes3Ioc) != 0};
  }

  dma_desc close(const RxStatus& s) const override {
    using namespace xgmac;
    dma_desc d{};
    d.des3 = (s.length & kRdes3PlMask) | (s.first ? kRdes3Fd : 0) | l34t(s.info) << kRdes3L34tShift;
    if (s.first) d.des2 |= header_length(s) & kRdes2HlMask;
    if (!s.last) return d;
    d.des3 |= kRdes3Ld;
    if (s.timestamp) d.des3 |= kRdes3Cda;
    if (s.filter_failed) d.des2 |= kRdes2DaFilterFail;
    if (failed(s)) d.des3 |= kRdes3ErrorSummary | error_type(s) << kRdes3EtLtShift;
    return d;
  }

  dma_desc context(Time at) const override {
    dma_desc d = timestamp(at);
    d.des3 |= xgmac::kRdes3TimestampAvailable;
    return d;
  }

  std::string_view discarded(const RxStatus& s) const override {
    if (s.overflow) return "rx_gmac_overflow";
    if (s.watchdog) return "rx_watchdog";
    if (s.giant) return "rx_length";
    if (failed(s)) return s.info.header_error ? "ip_hdr_err" : "ip_payload_err";
    return {};
  }

 private:
  // The field means nothing in a frame that is neither TCP nor UDP: what was in it stays. Drivers that believed it took the
  // payload of such frames for a header (netdev, November 2019); which value they found is assumed.
  static std::uint32_t header_length(const RxStatus& s) {
    return l34t(s.info) == xgmac::kL34Unknown ? s.earlier_header : s.header;
  }

  static bool failed(const RxStatus& s) {
    return s.watchdog || s.giant || s.overflow || (s.checksums && (s.info.header_error || s.info.checksum_error));
  }

  static std::uint32_t error_type(const RxStatus& s) {
    using namespace xgmac;
    if (s.overflow) return kEtOverflow;
    if (s.watchdog) return kEtWatchdog;
    if (s.giant) return kEtGiant;
    return s.info.header_error ? kEtIpHeader : kEtChecksum;
  }

  static std::uint32_t l34t(const FrameInfo& info) {
    using namespace xgmac;
    using enum FrameInfo::Transport;
    if (info.transport == tcp) return info.ipv4 ? kL34Ip4Tcp : kL34Ip6Tcp;
    if (info.transport == udp) return info.ipv4 ? kL34Ip4Udp : kL34Ip6Udp;
    return kL34Unknown;
  }

  bool zero_is_valid_;
};

}  // namespace

const RxFormat& rx_format(const DwmacConfig& config) {
  static const EqosFormat eqos;
  static const XgmacFormat skips{false};
  static const XgmacFormat writes{true};
  if (!config.is_xgmac()) return eqos;
  return config.zero_buffer == "write" ? static_cast<const RxFormat&>(writes) : skips;
}

}  // namespace ringside::dwmac
