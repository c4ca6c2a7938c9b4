#include "tb/log/packet_history.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside {

std::string_view name(Stage stage) {
  constexpr std::array<std::string_view, kStages> kNames{"wire", "buffer", "descriptor", "dma", "completion", "ring"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string name(Resource resource, const LogHead& head) {
  switch (resource) {
    case Resource::buffer_room: return "buffer room";
    case Resource::descriptor: return "descriptor";
    case Resource::completion_entry: return "completion entry";
    case Resource::engine: return "rx engine";
    case Resource::fabric: return head.fabric + " busy";
    case Resource::credits: return head.fabric + (head.fabric == "axi" ? " responses" : " credits");
    case Resource::driver: return "driver";
  }
  return "";
}

std::string_view name(Fate fate) {
  constexpr std::array<std::string_view, 3> kNames{"delivered", "dropped", "in flight"};
  return kNames[static_cast<std::size_t>(fate)];
}

std::array<std::uint64_t, kResources> PacketHistory::Lane::at(Time now) const {
  auto sum = held;
  const Time end = std::min(now, until);
  if (holder && end > since) sum[static_cast<std::size_t>(*holder)] += (end - since).value;
  return sum;
}

void PacketHistory::Lane::hold(Time now, Resource by, Time limit) {
  held = at(now);
  holder = by;
  since = std::max(now, since);
  until = limit;
}

PacketHistory::Alive* PacketHistory::find(std::uint64_t packet) {
  if (packet < first_) return nullptr;
  if (packet - first_ == alive_.size()) {
    if (alive_.size() >= kMaxPacketsInside) {
      reader_.fail(fmt::format("more than {} packets are neither dropped nor read", kMaxPacketsInside));
    }
    alive_.emplace_back();
  }
  Alive& found = alive_[packet - first_];
  return found.closed ? nullptr : &found;
}

void PacketHistory::pass(Alive& packet, Time now, Stage next) {
  if (packet.arrived && now > packet.since) {
    packet.life.stages[static_cast<std::size_t>(packet.stage)] += now - packet.since;
    packet.since = now;
  }
  packet.stage = next;
}

// What its lane waited for since the packet came into the buffer.
void PacketHistory::add_held(Alive& packet, Time now) const {
  const auto held = lanes_[packet.lane].at(now);
  for (std::size_t i = 0; i < kResources; ++i) packet.waited[i] += held[i] - std::min(held[i], packet.at_entry[i]);
}

// In the middle of a packet.
void PacketHistory::add_wait(Alive& packet, Time now) {
  packet.waited[static_cast<std::size_t>(*packet.waits_for)] += now.value - std::min(now, packet.waits_since).value;
}

void PacketHistory::frame(const LoggedFrame& frame) {
  Alive& packet = *find(frames_++);
  PacketLife& life = packet.life;
  life.sequence = frame.sequence;
  life.size = frame.size;
  life.length = frame.length;
  life.begin = frame.begin;
  life.arrival = frame.end;
  std::ranges::copy(frame.bytes, life.head.begin());
  // What came before the last bit has only said what comes after it.
  const Stage next = packet.stage == Stage::wire ? Stage::buffer : packet.stage;
  packet.arrived = true;
  packet.stage = Stage::wire;
  packet.since = frame.begin;
  pass(packet, frame.end, next);
}

void PacketHistory::buffered(Time now, std::uint64_t packet, std::uint32_t lane) {
  Alive* found = find(packet);
  if (found == nullptr) return;
  found->lane = lane;
  found->entered = now;
  found->at_entry = lanes_[lane].at(now);
}

void PacketHistory::waits(Time now, std::uint64_t packet, Resource resource) {
  Alive* found = find(packet);
  if (found == nullptr) return;
  if (found->waits_for != resource) found->waits_since = now;
  found->waits_for = resource;
  if (resource == Resource::buffer_room) return;
  pass(*found, now, Stage::descriptor);
  lanes_[found->lane].hold(now, resource, Time::max());
}

void PacketHistory::moves(Time now, std::uint64_t packet) {
  Alive* found = find(packet);
  if (found == nullptr) return;
  Lane& lane = lanes_[found->lane];
  if (!found->moved) {
    add_held(*found, now);
  } else if (found->waits_for) {
    add_wait(*found, now);
  }
  if (!found->moved && found->entered) listener_.unbuffered(packet, found->lane, *found->entered, now);
  found->moved = true;
  found->waits_for.reset();
  pass(*found, now, Stage::dma);
  lane.hold(now, Resource::fabric, Time::max());
}

void PacketHistory::occupied(Time now, std::uint32_t lane, Time until, Resource resource) {
  lanes_[lane].hold(now, resource, until);
}

void PacketHistory::transfer(const LoggedTransfer& logged) {
  const Transfer& t = logged.transfer;
  if (!logged.packet || t.kind != Transfer::Kind::write) return;
  Alive* found = find(*logged.packet);
  if (found == nullptr) return;
  const std::uint64_t waited = (t.begin - t.offered).value;
  const std::uint64_t credits = std::min(waited, t.credit_wait.value);
  found->waited[static_cast<std::size_t>(Resource::credits)] += credits;
  found->waited[static_cast<std::size_t>(Resource::fabric)] += waited - credits;
  if (logged.use == DmaUse::payload) found->data_visible = t.arrival;
}

void PacketHistory::completed(std::uint64_t packet, Time visible) {
  if (Alive* found = find(packet)) found->life.visible = visible;
}

void PacketHistory::dropped(Time now, std::uint64_t packet, std::uint64_t cause) {
  Alive* found = find(packet);
  if (found == nullptr) return;
  found->life.cause = cause;
  close(*found, now, Fate::dropped);
}

void PacketHistory::read(Time now, std::uint64_t packet) {
  if (Alive* found = find(packet)) close(*found, now, Fate::delivered);
}

void PacketHistory::close(Alive& packet, Time now, Fate fate) {
  PacketLife& life = packet.life;
  if (!packet.moved && packet.entered) {
    add_held(packet, now);
  } else if (packet.moved && packet.waits_for) {
    add_wait(packet, now);
  }
  if (packet.data_visible) pass(packet, std::min(*packet.data_visible, now), Stage::completion);
  if (life.visible) pass(packet, std::min(*life.visible, now), Stage::ring);
  pass(packet, now, packet.stage);
  life.end = packet.since;
  life.fate = fate;
  packet.waited[static_cast<std::size_t>(Resource::driver)] += life.stages[static_cast<std::size_t>(Stage::ring)].value;
  const auto most = std::ranges::max_element(packet.waited);
  if (*most != 0) life.waited_for = static_cast<Resource>(most - packet.waited.begin());
  if (fate == Fate::dropped) blame(packet, now);
  packet.closed = true;
  if (!packet.moved && packet.entered && fate == Fate::dropped) {
    listener_.unbuffered(life.sequence, packet.lane, *packet.entered, now);
  }
  listener_.closed(life);
  while (!alive_.empty() && alive_.front().closed) {
    alive_.pop_front();
    ++first_;
  }
}

// What a dropped packet waited for is what it was dropped for.
void PacketHistory::blame(Alive& packet, Time now) {
  Lane& lane = lanes_[packet.lane];
  if (packet.waits_for) {
    packet.life.waited_for = packet.waits_for;
    if (packet.entered) lane.until = std::min(lane.until, now);  // others wait behind it no more
  } else if (packet.entered && !packet.moved && now <= lane.until) {
    packet.life.waited_for = lane.holder;
  }
}

void PacketHistory::finish(Time now) {
  for (std::uint64_t packet = first_; packet < frames_; ++packet) {
    if (Alive* found = find(packet)) close(*found, now, Fate::in_flight);
  }
}

}  // namespace ringside
