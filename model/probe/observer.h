// Events that models publish. Captures, timelines, checkers and latency records subscribe; models never know who listens.
// A default-constructed observer listens to nothing. Times are those of the calls unless a comment says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/units.h"

namespace ringside {

// Life of a packet inside the device: what it takes to account for each.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;
  virtual void offered(Time, std::uint64_t /*sequence*/, std::uint32_t /*bytes, with FCS*/) {}
  virtual void dropped(Time, std::uint64_t /*sequence*/, std::string_view /*cause, Linux name*/) {}
  // All bytes of the packet are on their way: the first began to move at `from`, the last will be in memory at `visible`.
  virtual void stored(Time, std::uint64_t /*sequence*/, Time /*from*/, Time /*visible*/) {}
  // The completion for the packet was posted; it becomes visible to the host at `visible`. `slot` is the address of the
  // completion entry.
  virtual void completed(Time, std::uint64_t /*sequence*/, Time /*visible*/, PhysAddr /*slot*/, bool /*error*/) {}
  virtual void interrupt(Time, std::uint32_t /*vector*/) {}
  virtual void mmio(Time, std::uint64_t /*address*/, std::uint64_t /*value*/, bool /*write*/) {}
};

// Frames on a link. Only those that arrive whole.
class WireObserver {
 public:
  // The frame took the link from `begin`, preamble included, to now, and will be offered with this sequence. `bytes` are
  // without FCS and valid during the call only; `size` counts the FCS.
  virtual void received(Time /*now*/, Time /*begin*/, std::uint64_t /*sequence*/, std::uint32_t /*size*/,
                        std::span<const std::uint8_t> /*bytes*/) {}

 protected:
  ~WireObserver() = default;
};

// What a received frame waits for inside a device, or a device on the host.
enum class Resource : std::uint8_t {
  buffer_room,       // of the packet buffer
  descriptor,        // a receive WQE or descriptor that the driver has posted
  completion_entry,  // of the completion queue
  engine,            // the receive engine is at its packet rate, or between two steps
  fabric,            // the PCIe link or the AXI channel is busy with earlier transfers
  credits,           // flow control: PCIe credits, AXI bursts outstanding
  driver,            // the completion is there, and nobody has read it
};
inline constexpr std::size_t kResources = 7;

// What a DMA transfer is for.
enum class DmaUse : std::uint8_t {
  payload,             // bytes of a received frame
  completion,          // CQE, or write-back of a descriptor
  event,               // EQE
  interrupt,           // message-signalled
  receive_descriptor,  // WQEs or descriptors that the device reads
  send_descriptor,
  record,              // doorbell records
  transmit,            // bytes of a frame to send
  command,             // mailboxes
};
inline constexpr std::size_t kDmaUses = 9;

enum class RingKind : std::uint8_t { receive, send };

// Inside of a network device: where received frames wait, and for what.
class DeviceObserver {
 public:
  // The frame takes `bytes` of the packet buffer. Frames of one lane leave in the order in which they came.
  virtual void buffered(Time, std::uint64_t /*sequence*/, std::uint32_t /*bytes*/, std::uint32_t /*lane*/) {}
  // These bytes are free again from `at` on, which is not before now.
  virtual void freed(Time, std::uint64_t /*sequence*/, std::uint32_t /*bytes*/, Time /*at*/) {}
  // The oldest frame of its lane has to wait from now on; or, for buffer_room, a new one would have to, and is dropped.
  virtual void waits(Time, std::uint64_t /*sequence*/, Resource) {}
  // The frame has all that it needs, and its bytes, or more of them, start to move.
  virtual void moves(Time, std::uint64_t /*sequence*/) {}
  // The lane takes no other frame before `until`, because of what is named.
  virtual void occupied(Time, std::uint32_t /*lane*/, Time /*until*/, Resource) {}
  // What the next call of the fabric is for, and for which received packet.
  virtual void dma(DmaUse, std::optional<std::uint64_t> /*sequence*/) {}
  // Entries of a ring that the device knows to be its own.
  virtual void ring(Time, RingKind, std::uint32_t /*number*/, std::uint64_t /*level*/, std::uint64_t /*size*/) {}
  // A frame is or will be on the link from `begin`, preamble included, to `end`. `size` counts the FCS.
  virtual void transmits(Time, Time /*begin*/, Time /*end*/, std::uint32_t /*size*/) {}

 protected:
  ~DeviceObserver() = default;
};

// One direction of the fabric between device and host, taken for one piece of work.
struct Transfer {
  enum class Kind : std::uint8_t {
    write,          // up: DMA
    read_request,   // up
    read_data,      // down
    store,          // down: of a core to a register
    load_request,   // down: of a core from a register
    load_data,      // up
  };
  Kind kind = Kind::write;
  std::uint32_t bytes = 0;    // of payload
  std::uint32_t read = 0;     // names the DMA read, for its requests and data
  Time offered{};             // when it could have begun
  Time begin{}, end{};        // on the link or the data channel; requests of AXI reads do not take any
  Time arrival{};             // its last byte at the other end; for writes, when they are visible
  Time credit_wait{};         // the part of end - offered that flow control took
  std::uint32_t headers = 0;  // credits taken: of TLPs, or of bursts
  std::uint32_t data = 0;     // credits of 16 bytes
  Time returned{};            // when these are back, unless postponed() says otherwise
};

class FabricObserver {
 public:
  // The DMA read that was asked for by the call under way has this name until its last data is there.
  virtual void read_named(std::uint32_t /*read*/) {}
  virtual void transfer(Time, const Transfer&) {}
  // The write that was offered `age` writes ago, 0 being the latest, keeps its credits until `returned`.
  virtual void postponed(Time, std::uint64_t /*age*/, Time /*returned*/) {}

 protected:
  ~FabricObserver() = default;
};

}  // namespace ringside
