// What a view hears of a log, record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/base/units.h"
#include "model/probe/observer.h"
#include "tb/log/format.h"

namespace ringside {

struct LoggedFrame {
  std::uint64_t sequence = 0;
  Time begin, end;                      // on the wire, preamble included
  std::uint32_t size = 0;               // with FCS
  std::uint32_t length = 0;             // without
  std::span<const std::uint8_t> bytes;  // the first kSnapLength of length; valid during the call only
};

// As the fabric published it, with what it was for; `use` is empty for accesses of a core.
struct LoggedTransfer {
  Transfer transfer;
  std::optional<DmaUse> use;
  std::optional<std::uint64_t> packet;
};

// Calls come in the order of the log: in order of time for each stream. Names and functions are strings of the directory.
class LogSink {
 public:
  virtual ~LogSink() = default;

  // Before the first record.
  virtual void start(const BlockStart&) {}

  virtual void frame(const LoggedFrame&) {}
  virtual void buffered(Time, std::uint64_t /*packet*/, std::uint32_t /*bytes*/, std::uint32_t /*lane*/) {}
  virtual void freed(Time, std::uint64_t /*packet*/, std::uint32_t /*bytes*/, Time /*at*/) {}
  virtual void waits(Time, std::uint64_t /*packet*/, Resource) {}
  virtual void moves(Time, std::uint64_t /*packet*/) {}
  virtual void occupied(Time, std::uint32_t /*lane*/, Time /*until*/, Resource) {}
  virtual void dropped(Time, std::uint64_t /*packet*/, std::uint64_t /*cause*/) {}
  virtual void completed(Time, std::uint64_t /*packet*/, Time /*visible*/, bool /*error*/) {}
  virtual void ring(Time, std::uint64_t /*ring*/, std::uint64_t /*level*/) {}
  virtual void interrupt(Time, std::uint32_t /*vector*/) {}
  virtual void mmio(Time, std::uint64_t /*address*/, std::uint64_t /*value*/, bool /*write*/) {}
  virtual void transmits(Time, Time /*begin*/, Time /*end*/, std::uint32_t /*size*/) {}
  virtual void transfer(Time, const LoggedTransfer&) {}
  virtual void postponed(Time, std::uint64_t /*age*/, Time /*returned*/) {}

  virtual void read(Time, std::uint64_t /*packet*/) {}
  virtual void ended(Time, std::uint64_t /*name*/, std::uint64_t /*count*/) {}
  virtual void sleeps(Time) {}
  virtual void call(Time, std::uint64_t /*function*/) {}
  virtual void leave(Time) {}

  // The window is over; true if the sink needs what comes later.
  virtual bool wants_more() const { return false; }
};

}  // namespace ringside
