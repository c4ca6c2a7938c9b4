#include "model/wire/capture_traffic.h"

#include <algorithm>

#include "model/wire/capture_reader.h"

namespace ringside {
namespace {

constexpr std::uint64_t kStoredBytes = mebibytes(32).value;

}  // namespace

CaptureTraffic::CaptureTraffic(const TrafficConfig& config)
    : path_(config.pcap),
      timing_(config.pcap_timing == "scaled" ? Timing::scaled
              : config.pcap_timing == "rate" ? Timing::rate
                                             : Timing::recorded),
      percent_(timing_ == Timing::scaled ? config.pcap_scale : 100),
      loop_(config.loop),
      packets_(config.packets),
      pacer_(config.rate) {
  scan();
}

CaptureTraffic::~CaptureTraffic() = default;

void CaptureTraffic::scan() {
  CaptureReader reader(path_);
  std::uint64_t first = 0;
  while (reader.next()) {
    if (count_++ == 0) first = reader.nanoseconds();
    duration_ = std::max(duration_, std::max(reader.nanoseconds(), first) - first);
    if (data_.size() + index_.size() * sizeof(Stored) > kStoredBytes) stored_ = false;
    if (!stored_) continue;
    index_.push_back({duration_, data_.size(), static_cast<std::uint32_t>(reader.bytes().size())});
    data_.insert(data_.end(), reader.bytes().begin(), reader.bytes().end());
  }
  if (!stored_) {
    index_ = {};
    data_ = {};
  }
}

bool CaptureTraffic::next(Offer& offer) {
  if (packets_ != 0 && sent_ == packets_) return false;
  if (position_ == count_) {
    if (!loop_ || count_ == 0) return false;
    loop_start_ns_ += duration_ + (count_ > 1 ? duration_ / (count_ - 1) : 0);
    position_ = 0;
  }
  if (!read_packet()) return false;
  ++position_;
  ++sent_;
  const Time earliest = timing_ == Timing::rate ? pacer_.next() : scaled(loop_start_ns_ + packet_ns_);
  offer = {earliest, packet_, static_cast<std::uint32_t>(packet_.size()) + kFcsBytes};
  return true;
}

// Returns false if a file that is read as it is sent has lost packets since it was scanned.
bool CaptureTraffic::read_packet() {
  if (stored_) {
    const Stored& packet = index_[position_];
    packet_ns_ = packet.nanoseconds;
    packet_ = {data_.data() + packet.position, packet.length};
    return true;
  }
  if (position_ == 0) reader_ = std::make_unique<CaptureReader>(path_);
  if (!reader_->next()) return false;
  if (position_ == 0) first_ns_ = reader_->nanoseconds();
  const std::uint64_t since_first = std::max(reader_->nanoseconds(), first_ns_) - first_ns_;
  packet_ns_ = position_ == 0 ? 0 : std::max(packet_ns_, since_first);
  packet_ = reader_->bytes();
  return true;
}

Time CaptureTraffic::scaled(std::uint64_t nanoseconds) const {
  return {static_cast<std::uint64_t>(static_cast<unsigned __int128>(nanoseconds) * 100'000 / percent_)};
}

}  // namespace ringside
