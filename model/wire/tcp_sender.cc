#include "model/wire/tcp_sender.h"

#include <algorithm>
#include <cstring>

#include "model/base/bigendian.h"
#include "model/guest/stream.h"

namespace ringside {
namespace {

constexpr std::uint64_t kTimer = 1ULL << 32;  // argument of a retransmission timer, plus the flow; 0: acknowledgements

constexpr std::size_t kIp = 14, kTcp = 34;
constexpr std::uint8_t kHeader[TcpSender::kHeaderBytes] = {
    0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x02, 0x08, 0x00,     // as synthetic frames have them
    0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0,                      // version, length, don't fragment, TTL, TCP
    198, 18, 0, 1, 198, 19, 0, 1,                                   // addresses of RFC 2544 benchmarks
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x10, 0, 0, 0, 0, 0, 0,  // ports, numbers, 32 bytes, ACK, window
    1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0,                            // no-ops, timestamps
};

void put16(std::uint8_t* at, std::uint16_t value) {
  const std::uint16_t big = byte_swapped(value);
  std::memcpy(at, &big, sizeof big);
}
void put32(std::uint8_t* at, std::uint32_t value) {
  const std::uint32_t big = byte_swapped(value);
  std::memcpy(at, &big, sizeof big);
}
std::uint16_t get16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }
std::uint32_t get32(const std::uint8_t* at) { return std::uint32_t{get16(at)} << 16 | get16(at + 2); }

// Ones' complement sum (RFC 1071) of memory as it lies there, so that the result goes back as it is.
std::uint64_t sum_of(const std::uint8_t* at, std::size_t size) {
  std::uint64_t sum = 0;
  for (; size >= 4; at += 4, size -= 4) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    sum += word;
  }
  if (size >= 2) {
    std::uint16_t word;
    std::memcpy(&word, at, sizeof word);
    sum += word;
    at += 2, size -= 2;
  }
  return size != 0 ? sum + *at : sum;
}
void put_checksum(std::uint8_t* at, std::uint64_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  const auto field = static_cast<std::uint16_t>(~sum);
  std::memcpy(at, &field, sizeof field);
}

void fill_stream(std::uint8_t* to, std::uint64_t position, std::size_t length) {
  std::size_t done = 0;
  for (; done < length && (position + done) % 8 != 0; ++done) to[done] = guest::stream_byte(position + done);
  for (; done + 8 <= length; done += 8) {
    const std::uint64_t word = guest::stream_word((position + done) / 8);
    std::memcpy(to + done, &word, sizeof word);
  }
  for (; done < length; ++done) to[done] = guest::stream_byte(position + done);
}

}  // namespace

TcpSender::TcpSender(const TrafficConfig& config, Timeline& timeline)
    : timeline_(timeline),
      mss_(static_cast<std::uint32_t>(config.tcp_mss)),
      end_(config.packets == 0 ? ~0ULL : config.packets * config.tcp_mss),
      delay_(config.tcp_delay),
      flows_(config.flows, Flow(mss_)) {}

bool TcpSender::next(Offer& offer) {
  for (std::size_t tried = 0; tried < flows_.size(); ++tried) {
    const std::size_t index = turn_;
    turn_ = turn_ + 1 < flows_.size() ? turn_ + 1 : 0;
    Flow& flow = flows_[index];
    const TcpConnection::Segment segment = flow.connection.next(end_);
    if (segment.length == 0) continue;
    build(flow, index, segment);
    flow.connection.sent(timeline_.now(), segment);
    set_timer(flow, index);
    ++segments_;
    count();
    offer = {Time{}, frame_, std::max(static_cast<std::uint32_t>(frame_.size()) + kFcsBytes, kMinFrameBytes)};
    return true;
  }
  return false;
}

bool TcpSender::ended() const {
  return std::all_of(flows_.begin(), flows_.end(), [this](const Flow& f) { return f.connection.acknowledged() >= end_; });
}

void TcpSender::build(Flow& flow, std::size_t index, TcpConnection::Segment segment) {
  frame_.resize(kHeaderBytes + segment.length);
  std::uint8_t* const f = frame_.data();
  std::memcpy(f, kHeader, sizeof kHeader);
  put16(f + kIp + 2, static_cast<std::uint16_t>(frame_.size() - kIp));
  put16(f + kIp + 4, ip_id_++);
  put_checksum(f + kIp + 10, sum_of(f + kIp, 20));
  put16(f + kTcp, static_cast<std::uint16_t>(guest::kPeerPort + index));
  put16(f + kTcp + 2, guest::kServerPort);
  put32(f + kTcp + 4, static_cast<std::uint32_t>(guest::kFirstSequence + segment.position));
  put32(f + kTcp + 8, guest::kFirstSequence);
  put16(f + kTcp + 14, 512);
  put32(f + kTcp + 24, static_cast<std::uint32_t>(timeline_.now().value / milliseconds(1).value + 1));
  put32(f + kTcp + 28, flow.echo);
  fill_stream(f + kHeaderBytes, segment.position, segment.length);
  // Pseudo header: addresses, protocol, length; the last two in network order.
  std::uint8_t pseudo[4] = {0, 6, 0, 0};
  put16(pseudo + 2, static_cast<std::uint16_t>(frame_.size() - kTcp));
  put_checksum(f + kTcp + 16, sum_of(f + kIp + 12, 8) + sum_of(pseudo, 4) + sum_of(f + kTcp, frame_.size() - kTcp));
}

void TcpSender::on_frame(Time now, const Frame& frame) {
  const std::uint8_t* const f = frame.bytes.data();
  const bool whole = frame.bytes.size() >= kTcp + 20 && get16(f + 12) == 0x0800 && f[kIp] == 0x45 && f[kIp + 9] == 6;
  const std::size_t flow = whole ? std::size_t{get16(f + kTcp + 2)} - guest::kPeerPort : flows_.size();
  if (flow >= flows_.size() || get16(f + kTcp) != guest::kServerPort || (f[kTcp + 13] & 0x10) == 0) {
    ++ignored_;
    return;
  }
  const bool stamped = f[kTcp + 12] >= 0x80 && frame.bytes.size() >= kTcp + 32 && f[kTcp + 22] == 8;
  const std::uint32_t timestamp = stamped ? get32(f + kTcp + 24) : 0;
  const std::uint64_t window = std::uint64_t{get16(f + kTcp + 14)} << guest::kWindowShift;
  under_way_.push_back({now + delay_, flow, get32(f + kTcp + 8), window, timestamp});
  timeline_.schedule(now + delay_, *this);
}

void TcpSender::fire(Time now, std::uint64_t argument) {
  if (argument < kTimer) {
    const Acknowledgement ack = under_way_.front();
    under_way_.pop_front();
    act_on(now, ack);
  } else {
    const std::size_t index = argument - kTimer;
    Flow& flow = flows_[index];
    flow.timer_set = false;
    if (flow.connection.deadline() <= now) flow.connection.time_out(now);
    set_timer(flow, index);
  }
  count();
  if (listener_ != nullptr) listener_->traffic_ready(now);
}

void TcpSender::act_on(Time now, const Acknowledgement& ack) {
  Flow& flow = flows_[ack.flow];
  ++acknowledgements_;
  flow.echo = std::max(flow.echo, ack.timestamp);
  // Numbers wrap at 32 bits: the position nearest to what is acknowledged already.
  const std::uint64_t known = flow.connection.acknowledged();
  const auto step = static_cast<std::int32_t>(ack.number - guest::kFirstSequence - static_cast<std::uint32_t>(known));
  if (step < 0) return;
  flow.connection.acknowledge(now, known + static_cast<std::uint32_t>(step), ack.window);
  set_timer(flow, ack.flow);
}

// One timer for each flow; it looks again when the deadline has moved.
void TcpSender::set_timer(Flow& flow, std::size_t index) {
  if (flow.timer_set || flow.connection.deadline() == Time::max()) return;
  flow.timer_set = true;
  timeline_.schedule(std::max(flow.connection.deadline(), timeline_.now()), *this, kTimer + index);
}

void TcpSender::count() {
  retransmissions_ = timeouts_ = 0;
  for (const Flow& flow : flows_) {
    retransmissions_ += flow.connection.retransmissions();
    timeouts_ += flow.connection.timeouts();
  }
}

std::uint64_t TcpSender::acknowledged() const {
  std::uint64_t sum = 0;
  for (const Flow& flow : flows_) sum += flow.connection.acknowledged();
  return sum;
}

void TcpSender::register_statistics(Statistics& s) const {
  s.add("peer_segments", "segments", segments_, "TCP segments that the peer sent, again or for the first time.");
  s.add("peer_retransmissions", "segments", retransmissions_, "Segments that it had to send again.");
  s.add("peer_timeouts", "events", timeouts_, "Retransmission timeouts and probes of a closed window.");
  s.add("peer_acknowledgements", "frames", acknowledgements_, "Acknowledgements that it received.");
  s.add("peer_ignored_frames", "frames", ignored_, "Other frames that the device sent.");
}

}  // namespace ringside
