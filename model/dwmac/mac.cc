#include "model/dwmac/mac.h"

#include <algorithm>
#include <array>

namespace ringside::dwmac {

namespace {

// Bytes with FCS.
constexpr std::uint32_t kStandardFrame = 1518, kJumboFrame = 9018, kTag = 4;
constexpr std::uint32_t kWatchdog = 2048, kJumboWatchdog = 10240, kLongest = 16383;

}  // namespace

std::uint32_t Mac::head_bytes() const {
  for (std::uint32_t q = 0; q < queues_.size(); ++q) {
    const bool used = q == 0 || registers_.priorities(q) != 0;
    if (used && !queues_[q]->store_and_forward()) return queues_[q]->threshold();
  }
  return 0;
}

// What the descriptor will say.
RxStatus Mac::inspect(const Frame& frame, std::uint32_t size) const {
  RxStatus status;
  status.checksums = registers_.checksum_on();
  status.info = parse_frame(frame.bytes, status.checksums);
  status.filter_failed = !address_matches(frame, status.info);
  status.timestamp = registers_.timestamps_on();
  const std::uint32_t limit = !registers_.watchdog_on() ? kLongest : registers_.jumbo_on() ? kJumboWatchdog : kWatchdog;
  const bool tagged = frame.bytes.size() > 13 && frame.bytes[12] == 0x81 && frame.bytes[13] == 0x00;
  const std::uint32_t giant = (registers_.jumbo_on() ? kJumboFrame : kStandardFrame) + (tagged ? kTag : 0);
  status.watchdog = size > limit;
  status.giant = !status.watchdog && size > giant;
  status.length = std::min(size, limit);
  if (status.watchdog) status.checksums = false;  // the end of the frame is missing
  return status;
}

bool Mac::address_matches(const Frame& frame, const FrameInfo& info) const {
  const std::uint32_t filter = registers_.filter();
  if ((filter & kFilterPr) != 0) return true;
  if (info.broadcast) return (filter & kFilterDbf) == 0;
  if (info.multicast) return (filter & kFilterPm) != 0;
  const std::uint32_t low = registers_.read(kMacAddress0Low), high = registers_.read(kMacAddress0High);
  const std::array<std::uint32_t, 6> own{low & 0xff,       low >> 8 & 0xff, low >> 16 & 0xff,
                                         low >> 24 & 0xff, high & 0xff,     high >> 8 & 0xff};
  return frame.bytes.size() >= 6 && std::ranges::equal(frame.bytes.first(6), own);
}

// Why a frame does not get into the FIFO, whatever its end looks like; nullptr if it does.
const char* Mac::refusal(const Frame& frame, const RxStatus& status, std::uint32_t size) {
  Counters& c = context_.counters;
  if (!registers_.receive_on()) {
    ++c.disabled;
    return "rx_disabled";
  }
  if (size < kMinFrameBytes) return nullptr;
  if (status.info.pause) {
    ++c.rx_pause_frames;
    if (registers_.obeys_pause()) port_.hold(frame.arrival, pause_quanta(frame.bytes));
    return "mmc_rx_pause_frames";
  }
  if (status.filter_failed && (registers_.filter() & kFilterRa) == 0) {
    ++c.filtered;
    return "da_rx_filter_fail";
  }
  return nullptr;
}

// Why the queue throws away a frame that it knows as a whole.
const char* Mac::error(const RxStatus& status, std::uint32_t size, std::uint32_t queue) {
  Counters& c = context_.counters;
  const std::uint32_t op = registers_.rx_op(queue);
  if (size < kMinFrameBytes) {
    ++c.rx_undersize_g;
    return (op & kRxOpFup) == 0 ? "mmc_rx_undersize_g" : nullptr;
  }
  if (status.watchdog) {
    ++c.rx_watchdog_error;
    return (op & kRxOpFep) == 0 ? "mmc_rx_watchdog_error" : nullptr;
  }
  if (!status.checksums) return nullptr;
  using enum FrameInfo::Transport;
  const FrameInfo& info = status.info;
  const bool forward = (op & kRxOpDisTcpEf) != 0;
  if (info.header_error) {
    ++c.rx_ipv4_hderr;
    return forward ? nullptr : "mmc_rx_ipv4_hderr";
  }
  if (!info.checksum_error) return nullptr;
  std::uint64_t& counter = info.transport == udp ? c.rx_udp_err : info.transport == tcp ? c.rx_tcp_err : c.rx_icmp_err;
  ++counter;
  if (forward) return nullptr;
  return info.transport == udp ? "mmc_rx_udp_err" : info.transport == tcp ? "mmc_rx_tcp_err" : "mmc_rx_icmp_err";
}

void Mac::count_good(const RxStatus& status, std::uint32_t size) {
  Counters& c = context_.counters;
  if (size < kMinFrameBytes || status.watchdog) return;
  if (status.giant) ++c.rx_oversize_g;
  ++(status.info.broadcast ? c.rx_broadcast_g : status.info.multicast ? c.rx_multicast_g : c.rx_unicast_g);
}

// The part of on_frame() that does not need the frame's end.
void Mac::on_head(Time now, const Frame& frame) {
  const auto size = static_cast<std::uint32_t>(frame.bytes.size()) + kFcsBytes;
  const RxStatus status = inspect(frame, size);
  const std::uint32_t queue = registers_.queue_of_priority(status.info.priority, static_cast<std::uint32_t>(queues_.size()));
  if (queues_[queue]->store_and_forward() || status.info.pause || !registers_.receive_on()) return;
  if (status.filter_failed && (registers_.filter() & kFilterRa) == 0) return;
  arriving_ = {frame.sequence, queue, queues_[queue]->begin(now, frame, status)};
  if (arriving_->stored) client_.frame_arrived(now, queue, true);
}

void Mac::on_frame(Time now, const Frame& frame) {
  Counters& c = context_.counters;
  const auto size = static_cast<std::uint32_t>(frame.bytes.size()) + kFcsBytes;
  ++c.offered;
  ++c.rx_framecount_gb;
  c.rx_octetcount_gb += size;
  const RxStatus status = inspect(frame, size);
  if (arriving_ && arriving_->sequence == frame.sequence) return end_arriving(now, frame, status);
  const char* cause = refusal(frame, status, size);
  const std::uint32_t queue = registers_.queue_of_priority(status.info.priority, static_cast<std::uint32_t>(queues_.size()));
  if (cause == nullptr) cause = error(status, size, queue);
  if (cause == nullptr) {
    count_good(status, size);
    if (queues_[queue]->push(now, frame, status)) return client_.frame_arrived(now, queue, true);
    ++c.rx_fifo_overflow;
    cause = "mmc_rx_fifo_overflow";
  }
  context_.drop(now, frame.sequence, cause);
}

// Threshold mode. Errors are known too late to keep the frame from the host: its descriptor tells.
void Mac::end_arriving(Time now, const Frame& frame, const RxStatus& status) {
  const Arriving arriving = *arriving_;
  arriving_.reset();
  const auto size = static_cast<std::uint32_t>(frame.bytes.size()) + kFcsBytes;
  count_good(status, size);
  if (status.watchdog) ++context_.counters.rx_watchdog_error;
  if (arriving.stored && queues_[arriving.queue]->end(now, status)) {
    if (queues_[arriving.queue]->newest_overflowed()) ++context_.counters.rx_fifo_overflow;
    return client_.frame_arrived(now, arriving.queue, false);
  }
  ++context_.counters.rx_fifo_overflow;
  context_.drop(now, frame.sequence, "mmc_rx_fifo_overflow");
}

}  // namespace ringside::dwmac
