// A view that follows packets: passes the log on to a PacketHistory.
#pragma once

#include <cstdint>

#include "tb/log/log_reader.h"
#include "tb/log/log_sink.h"
#include "tb/log/packet_history.h"

namespace ringside {

class PacketView : public LogSink, protected PacketListener {
 public:
  explicit PacketView(const LogReader& reader, LogWindow window) : reader_(reader), window_(window), history_(reader, *this) {}

  void start(const BlockStart& start) override { history_.start(start); }
  void frame(const LoggedFrame& frame) override { history_.frame(frame); }
  void buffered(Time now, std::uint64_t packet, std::uint32_t, std::uint32_t lane) override { history_.buffered(now, packet, lane); }
  void waits(Time now, std::uint64_t packet, Resource resource) override { history_.waits(now, packet, resource); }
  void moves(Time now, std::uint64_t packet) override { history_.moves(now, packet); }
  void occupied(Time now, std::uint32_t lane, Time until, Resource r) override { history_.occupied(now, lane, until, r); }
  void transfer(Time, const LoggedTransfer& transfer) override { history_.transfer(transfer); }
  void completed(Time, std::uint64_t packet, Time visible, bool) override { history_.completed(packet, visible); }
  void dropped(Time now, std::uint64_t packet, std::uint64_t cause) override { history_.dropped(now, packet, cause); }
  void read(Time now, std::uint64_t packet) override { history_.read(now, packet); }

 protected:
  bool in_window(Time at) const { return at >= window_.from && at <= window_.to; }

  const LogReader& reader_;
  const LogWindow window_;
  PacketHistory history_;
};

}  // namespace ringside
