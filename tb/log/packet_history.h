// The life of each packet, put together from what the log says about it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "tb/log/format.h"
#include "tb/log/log_reader.h"
#include "tb/log/log_sink.h"

namespace ringside {

// Where a packet spends its time, in this order. One that is forwarded before it is complete is on the wire until then.
enum class Stage : std::uint8_t {
  wire,        // first bit of the preamble to the last bit
  buffer,      // behind others in the packet buffer
  descriptor,  // the oldest of its lane, waiting for a descriptor or a completion entry
  dma,         // until its bytes are in host memory
  completion,  // until its completion is, too
  ring,        // until the driver has read that
};
inline constexpr std::size_t kStages = 6;
std::string_view name(Stage stage);

// "descriptor", "pcie credits": as a view calls what a packet waited for.
std::string name(Resource resource, const LogHead& head);

enum class Fate : std::uint8_t { delivered, dropped, in_flight };
std::string_view name(Fate fate);

struct PacketLife {
  std::uint64_t sequence = 0;
  std::uint32_t size = 0;    // with FCS
  std::uint32_t length = 0;  // without
  Time begin{}, arrival{};   // on the wire
  std::optional<Time> visible;  // its completion, to the host
  Time end{};                // read, dropped, or the run was over
  std::array<Time, kStages> stages{};  // they add up to end - begin
  Fate fate = Fate::in_flight;
  std::uint64_t cause = 0;  // string, if dropped
  std::optional<Resource> waited_for;  // the longest; or, if dropped, what it or those before it waited for then
  std::array<std::uint8_t, kSnapLength> head{};

  std::span<const std::uint8_t> kept() const { return {head.data(), std::min<std::size_t>(length, head.size())}; }
};

class PacketListener {
 public:
  virtual void closed(const PacketLife& packet) = 0;
  // The packet has left the buffer: its bytes start to move, or it is dropped. It had entered at `entered`.
  virtual void unbuffered(std::uint64_t /*packet*/, std::uint32_t /*lane*/, Time /*entered*/, Time /*now*/) {}

 protected:
  ~PacketListener() = default;
};

// Tells the listener of each packet once: when it is read or dropped, or in finish(). Packets that arrived before the first
// record are passed over. The reader is told of contradictions.
class PacketHistory {
 public:
  PacketHistory(const LogReader& reader, PacketListener& listener) : reader_(reader), listener_(listener) {}

  // As of LogSink, for the view to call.
  void start(const BlockStart& start) { first_ = frames_ = start.frames; }
  void frame(const LoggedFrame& frame);
  void buffered(Time now, std::uint64_t packet, std::uint32_t lane);
  void waits(Time now, std::uint64_t packet, Resource resource);
  void moves(Time now, std::uint64_t packet);
  void occupied(Time now, std::uint32_t lane, Time until, Resource resource);
  void transfer(const LoggedTransfer& logged);
  void completed(std::uint64_t packet, Time visible);
  void dropped(Time now, std::uint64_t packet, std::uint64_t cause);
  void read(Time now, std::uint64_t packet);

  // The run is over: what is left is in flight.
  void finish(Time now);

  // Packets up to this sequence are closed.
  std::uint64_t all_closed_before() const { return first_; }

 private:
  struct Alive {
    PacketLife life;
    bool closed = false;
    bool arrived = false;
    Stage stage = Stage::wire;
    Time since{};
    std::uint32_t lane = 0;
    bool moved = false;
    std::array<std::uint64_t, kResources> waited{};   // ps
    std::array<std::uint64_t, kResources> at_entry{};  // of the lane, when it came into the buffer
    std::optional<Resource> waits_for;
    Time waits_since{};
    std::optional<Time> entered;  // the packet buffer
    std::optional<Time> data_visible;
  };
  // What holds up a lane, and for how long each resource has.
  struct Lane {
    std::array<std::uint64_t, kResources> held{};  // ps
    std::optional<Resource> holder;
    Time since{}, until{};

    std::array<std::uint64_t, kResources> at(Time now) const;
    void hold(Time now, Resource by, Time limit);
  };

  Alive* find(std::uint64_t packet);
  static void pass(Alive& packet, Time now, Stage next);
  void add_held(Alive& packet, Time now) const;
  static void add_wait(Alive& packet, Time now);
  void close(Alive& packet, Time now, Fate fate);
  void blame(Alive& packet, Time now);

  const LogReader& reader_;
  PacketListener& listener_;
  std::deque<Alive> alive_;      // from first_ on, and at the end one that is still arriving
  std::uint64_t first_ = 0;
  std::uint64_t frames_ = 0;
  std::vector<Lane> lanes_ = std::vector<Lane>(kMaxLanes);
};

}  // namespace ringside
