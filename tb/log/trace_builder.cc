#include "tb/log/trace_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

#include "tb/log/packet_view.h"
#include "tb/log/track_set.h"

namespace ringside {
namespace {

constexpr std::string_view kWire = "wire", kCore = "core";

std::string_view name_of(Transfer::Kind kind, std::optional<DmaUse> use) {
  constexpr std::array<std::string_view, kDmaUses> kUses{"payload", "completion", "event", "interrupt", "receive descriptors",
                                                         "send descriptors", "doorbell record", "transmit data", "command"};
  if (use) return kUses[static_cast<std::size_t>(*use)];
  return kind == Transfer::Kind::store ? "register write" : "register read";
}

// Builds tracks from everything but the packets' ends, which PacketView knows.
class TraceBuilder final : public PacketView {
 public:
  TraceBuilder(const LogReader& reader, LogWindow window);

  void start(const BlockStart& start) override;
  void frame(const LoggedFrame& frame) override;
  void buffered(Time now, std::uint64_t packet, std::uint32_t bytes, std::uint32_t lane) override;
  void freed(Time now, std::uint64_t packet, std::uint32_t bytes, Time at) override;
  void waits(Time now, std::uint64_t packet, Resource resource) override;
  void completed(Time now, std::uint64_t packet, Time visible, bool error) override;
  void ring(Time now, std::uint64_t ring, std::uint64_t level) override { tracks_.set(ring_levels_[ring], now, level); }
  void interrupt(Time now, std::uint32_t vector) override;
  void transmits(Time now, Time begin, Time end, std::uint32_t size) override;
  void transfer(Time now, const LoggedTransfer& logged) override;
  void postponed(Time now, std::uint64_t age, Time returned) override;
  void read(Time now, std::uint64_t packet) override;
  void ended(Time now, std::uint64_t, std::uint64_t) override { wakes(now); }
  void sleeps(Time now) override { asleep_ = now; }
  void call(Time now, std::uint64_t function) override;
  void leave(Time now) override;
  bool wants_more() const override { return history_.all_closed_before() < wanted_; }

  Trace finish();

 private:
  struct Credits {
    Time returned;
    std::uint64_t headers, data;
  };
  struct RingRead {
    Time begin;
    std::uint32_t bytes;
  };

  void closed(const PacketLife& packet) override;
  void unbuffered(std::uint64_t packet, std::uint32_t lane, Time entered, Time now) override;
  void read_of_ring(const Transfer& t, DmaUse use);
  void return_credits(Time now);
  void wakes(Time now);

  TrackSet tracks_;
  std::size_t received_, sent_, drops_, up_, down_, completions_, interrupts_, functions_, arrows_, sleep_;
  std::size_t receive_ring_, send_ring_;
  std::size_t buffer_bytes_, unread_, headers_, data_;
  std::vector<std::size_t> ring_levels_;
  std::map<std::uint32_t, std::size_t> lanes_;

  std::uint64_t first_ = 0;   // packet
  std::uint64_t wanted_ = 0;  // packets before this one have arrived in the window or before
  std::uint64_t waiting_packet_ = kNoPacket;
  Time waiting_since_{};
  Resource waiting_for_{};
  std::deque<Credits> outstanding_;
  std::uint64_t writes_ = 0;  // of which outstanding_ are the last
  Time latest_return_{};
  std::optional<Time> asleep_;
};

TraceBuilder::TraceBuilder(const LogReader& reader, LogWindow window) : PacketView(reader, window), tracks_(reader, window) {
  const LogHead& head = reader.head();
  const bool axi = head.fabric == "axi";
  const std::string fabric = axi ? "AXI" : "PCIe";
  received_ = tracks_.add(Track::Kind::slices, kWire, "received");
  sent_ = tracks_.add(Track::Kind::slices, kWire, "transmitted");
  lanes_[0] = tracks_.add(Track::Kind::slices, head.device, "buffer: oldest packet");
  buffer_bytes_ = tracks_.add(Track::Kind::counter, head.device, "buffer", "bytes");
  receive_ring_ = tracks_.add(Track::Kind::slices, head.device, "receive ring: descriptors read");
  send_ring_ = tracks_.add(Track::Kind::slices, head.device, "send ring: descriptors read");
  for (const LogRing& ring : reader.directory().rings) {
    const char* const kind = ring.kind == RingKind::receive ? "receive" : "send";
    ring_levels_.push_back(tracks_.add(Track::Kind::counter, head.device, fmt::format("{} ring {}", kind, ring.number), "entries"));
  }
  completions_ = tracks_.add(Track::Kind::slices, head.device, "completions: oldest unread");
  drops_ = tracks_.add(Track::Kind::slices, head.device, "drops");
  unread_ = tracks_.add(Track::Kind::counter, head.device, "completions unread", "entries");
  up_ = tracks_.add(Track::Kind::slices, fabric, "to memory");
  down_ = tracks_.add(Track::Kind::slices, fabric, "to device");
  headers_ = tracks_.add(Track::Kind::counter, fabric, axi ? "write bursts outstanding" : "posted header credits in use", axi ? "bursts" : "credits");
  data_ = tracks_.add(Track::Kind::counter, fabric, "posted data credits in use", "credits");
  interrupts_ = tracks_.add(Track::Kind::slices, kCore, "interrupts");
  sleep_ = tracks_.add(Track::Kind::slices, kCore, "asleep");
  // Arrows end inside of functions: those of one time before functions that return then.
  arrows_ = tracks_.add(Track::Kind::nested, kCore, head.core);
  functions_ = tracks_.add(Track::Kind::nested, kCore, head.core);
}

void TraceBuilder::start(const BlockStart& start) {
  PacketView::start(start);
  first_ = wanted_ = start.frames;
  tracks_.start(first_);
  for (const std::uint64_t function : start.stack) tracks_.enter(functions_, Time{start.time[1]}, reader_.name_of(function));
  for (std::size_t i = 0; i < start.levels.size(); ++i) tracks_.set(ring_levels_[i], Time{start.time[0]}, start.levels[i]);
}

void TraceBuilder::frame(const LoggedFrame& frame) {
  if (frame.end <= window_.to) wanted_ = frame.sequence + 1;
  tracks_.slice(received_, frame.begin, frame.end, kPacketName, frame.sequence, TrackSet::Arrow::at_begin);
  PacketView::frame(frame);
}

void TraceBuilder::buffered(Time now, std::uint64_t packet, std::uint32_t bytes, std::uint32_t lane) {
  if (packet >= first_) tracks_.change(buffer_bytes_, now, bytes);
  PacketView::buffered(now, packet, bytes, lane);
}

void TraceBuilder::freed(Time, std::uint64_t packet, std::uint32_t bytes, Time at) {
  if (packet >= first_) tracks_.change(buffer_bytes_, at, 0 - std::uint64_t{bytes});
}

void TraceBuilder::waits(Time now, std::uint64_t packet, Resource resource) {
  if (packet != waiting_packet_) waiting_since_ = now;
  waiting_packet_ = packet;
  waiting_for_ = resource;
  PacketView::waits(now, packet, resource);
}

// What a packet waits for is the end of its time as the oldest.
void TraceBuilder::unbuffered(std::uint64_t packet, std::uint32_t lane, Time entered, Time now) {
  auto known = lanes_.find(lane);
  if (known == lanes_.end()) {
    known = lanes_.emplace(lane, tracks_.add(Track::Kind::slices, reader_.head().device, fmt::format("buffer {}: oldest packet", lane))).first;
  }
  const bool waited = packet == waiting_packet_ && waiting_since_ <= now;
  const Time free = waited ? std::max(waiting_since_, entered) : now;
  tracks_.slice(known->second, entered, free, kPacketName, packet, waited ? TrackSet::Arrow::none : TrackSet::Arrow::at_end);
  if (!waited) return;
  tracks_.slice(known->second, free, now, "waits for " + name(waiting_for_, reader_.head()), packet, TrackSet::Arrow::at_end);
}

void TraceBuilder::completed(Time now, std::uint64_t packet, Time visible, bool error) {
  if (packet >= first_) tracks_.change(unread_, visible, 1);
  PacketView::completed(now, packet, visible, error);
}

void TraceBuilder::read(Time now, std::uint64_t packet) {
  wakes(now);
  if (packet >= first_) tracks_.change(unread_, now, ~0ULL);
  PacketView::read(now, packet);
}

void TraceBuilder::closed(const PacketLife& packet) {
  const std::string waited = packet.waited_for ? name(*packet.waited_for, reader_.head()) : "";
  if (packet.fate == Fate::dropped) {
    tracks_.slice(drops_, packet.end, packet.end, reader_.name_of(packet.cause), packet.sequence, TrackSet::Arrow::at_end, waited);
  } else if (packet.visible) {
    const bool delivered = packet.fate == Fate::delivered;
    tracks_.slice(completions_, *packet.visible, packet.end, kPacketName, packet.sequence,
                  delivered ? TrackSet::Arrow::at_end : TrackSet::Arrow::none, waited);
    if (delivered && tracks_.inside(functions_)) tracks_.arrow(arrows_, packet.end, packet.sequence);
  }
}

void TraceBuilder::interrupt(Time now, std::uint32_t vector) { tracks_.instant(interrupts_, now, fmt::format("vector {}", vector)); }

void TraceBuilder::transmits(Time, Time begin, Time end, std::uint32_t size) {
  tracks_.slice(sent_, begin, end, fmt::format("{} B", size), kNoPacket);
}

void TraceBuilder::transfer(Time now, const LoggedTransfer& logged) {
  using enum Transfer::Kind;
  const Transfer& t = logged.transfer;
  return_credits(now);
  const bool down = t.kind == read_data || t.kind == store || t.kind == load_request;
  const bool payload = t.kind == write && logged.use == DmaUse::payload;
  tracks_.slice(down ? down_ : up_, t.begin, t.end, name_of(t.kind, logged.use), logged.packet.value_or(kNoPacket),
                payload ? TrackSet::Arrow::at_end : TrackSet::Arrow::none);
  if (t.kind == read_data && logged.use) read_of_ring(t, *logged.use);
  if (t.kind == write) {
    tracks_.change(headers_, t.begin, t.headers);
    tracks_.change(data_, t.begin, t.data);
    outstanding_.push_back({t.returned, t.headers, t.data});
    ++writes_;
  }
  PacketView::transfer(now, logged);
}

// From the data's start on the link: when it was asked for is on the track of the fabric.
void TraceBuilder::read_of_ring(const Transfer& t, DmaUse use) {
  if (use != DmaUse::receive_descriptor && use != DmaUse::send_descriptor) return;
  tracks_.slice(use == DmaUse::receive_descriptor ? receive_ring_ : send_ring_, t.offered, t.arrival, fmt::format("{} B", t.bytes), kNoPacket);
}

void TraceBuilder::postponed(Time now, std::uint64_t age, Time returned) {
  return_credits(now);
  if (age < outstanding_.size()) outstanding_[outstanding_.size() - 1 - age].returned = returned;
}

// In the order in which they were taken.
void TraceBuilder::return_credits(Time now) {
  for (; !outstanding_.empty() && outstanding_.front().returned <= now; outstanding_.pop_front()) {
    const Credits& credits = outstanding_.front();
    latest_return_ = std::max(latest_return_, credits.returned);
    tracks_.change(headers_, latest_return_, 0 - credits.headers);
    tracks_.change(data_, latest_return_, 0 - credits.data);
  }
}

void TraceBuilder::wakes(Time now) {
  if (asleep_ && now > *asleep_) tracks_.slice(sleep_, *asleep_, now, "asleep", kNoPacket);
  asleep_.reset();
}

void TraceBuilder::call(Time now, std::uint64_t function) {
  wakes(now);
  tracks_.enter(functions_, now, reader_.name_of(function));
}

void TraceBuilder::leave(Time now) {
  wakes(now);
  tracks_.leave(functions_, now);
}

Trace TraceBuilder::finish() {
  const Time over{reader_.directory().totals.simulated};
  return_credits(Time::max());
  history_.finish(std::min(over, std::max(window_.to, window_.from)));
  if (asleep_) wakes(std::min(over, window_.to));
  return tracks_.finish(std::min(over, window_.to));
}

}  // namespace

Trace build_trace(const LogReader& reader, LogWindow window) {
  TraceBuilder builder(reader, window);
  reader.replay(builder, window);
  return builder.finish();
}

}  // namespace ringside
