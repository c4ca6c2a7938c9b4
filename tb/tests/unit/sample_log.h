// Small event logs for tests, and what is read back from them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tb/log/event_recorder.h"
#include "tb/log/log_reader.h"
#include "tb/log/log_sink.h"
#include "tb/tests/temporary_folder.h"

namespace ringside::test {

inline LogHead sample_head() {
  LogHead head;
  head.scenario = "sample";
  head.seed = 7;
  head.device = "connectx";
  head.fabric = "pcie";
  head.core = "core0";
  head.credit_headers = 64;
  return head;
}

// A frame of `length` bytes that differs from others by `seed`.
inline std::vector<std::uint8_t> sample_frame(std::size_t length, std::uint8_t seed) {
  std::vector<std::uint8_t> bytes(length, 0x11);
  if (length > 20) bytes[20] = seed;
  return bytes;
}

inline Transfer sample_write(Time begin, std::uint32_t bytes) {
  return {.kind = Transfer::Kind::write, .bytes = bytes, .offered = begin, .begin = begin, .end = begin + nanoseconds(3),
          .arrival = begin + nanoseconds(200), .headers = 1, .data = 4, .returned = begin + nanoseconds(300)};
}

// Writes what a device and a core would say about packets of 64 bytes, one every 20 ns from 1 us on.
class SampleRun {
 public:
  explicit SampleRun(const std::filesystem::path& file) : recorder(file, sample_head(), nobody_) {}

  static Time begin_of(std::uint64_t packet) { return microseconds(1) + packet * nanoseconds(20); }

  // Arrives at begin + 5 ns, moves at + 10, is visible at + 210, completed at + 213.
  void arrive(std::uint64_t packet) {
    const Time begin = begin_of(packet);
    recorder.received(begin + nanoseconds(5), begin, packet, 64, sample_frame(60, static_cast<std::uint8_t>(packet)));
    recorder.buffered(begin + nanoseconds(5), packet, 60, 0);
  }
  void move(std::uint64_t packet) {
    const Time now = begin_of(packet) + nanoseconds(10);
    recorder.moves(now, packet);
    recorder.dma(DmaUse::payload, packet);
    recorder.transfer(now, sample_write(now, 60));
    recorder.dma(DmaUse::completion, packet);
    recorder.transfer(now, sample_write(now + nanoseconds(3), 64));
    recorder.completed(now, packet, now + nanoseconds(203), PhysAddr{}, false);
    recorder.freed(now, packet, 60, now + nanoseconds(6));
    recorder.occupied(now, 0, now + nanoseconds(6), Resource::fabric);
  }
  void read(std::uint64_t packet, Time now) {
    recorder.writer().call(now - nanoseconds(1), recorder.writer().string("poll"));
    recorder.read(now, packet, true);
    recorder.writer().leave(now + nanoseconds(1));
    recorder.ended(now + nanoseconds(1), "rx_xdp_drop", 1);
  }
  void finish(std::uint64_t offered, std::uint64_t delivered, std::uint64_t dropped, Time end) {
    LogWriter& w = recorder.writer();
    LogTotals totals;
    totals.offered = offered;
    totals.delivered = delivered;
    totals.in_flight = offered - delivered - dropped;
    if (dropped != 0) totals.dropped = {{w.string("rx_out_of_buffer"), dropped}};
    if (delivered != 0) totals.ended = {{w.string("rx_xdp_drop"), delivered}};
    totals.simulated = end.value;
    totals.fingerprint = 42;
    totals.stop_reason = w.string("packets");
    w.finish(totals);
  }

 private:
  PacketObserver nobody_;

 public:
  EventRecorder recorder;
};

// Packets 0 and 1 are read, 2 is dropped while it waits for a descriptor, 3 stays in flight.
inline std::filesystem::path write_sample(const TemporaryFolder& folder) {
  const auto file = folder.path() / "sample.rlog";
  SampleRun run(file);
  for (const std::uint64_t packet : {0, 1}) {
    run.arrive(packet);
    run.move(packet);
  }
  run.recorder.ring(microseconds(1), RingKind::receive, 5, 62, 64);
  run.arrive(2);
  run.recorder.waits(SampleRun::begin_of(2) + nanoseconds(6), 2, Resource::descriptor);
  run.recorder.interrupt(SampleRun::begin_of(2) + nanoseconds(6), 3);
  run.recorder.freed(SampleRun::begin_of(2) + nanoseconds(16), 2, 60, SampleRun::begin_of(2) + nanoseconds(16));
  run.recorder.dropped(SampleRun::begin_of(2) + nanoseconds(16), 2, "rx_out_of_buffer");
  run.arrive(3);
  run.read(0, microseconds(2));
  run.read(1, microseconds(3));
  run.finish(4, 2, 1, microseconds(4));
  return file;
}

// Every call as a line.
class Listing : public LogSink {
 public:
  std::vector<std::string> lines;

  void start(const BlockStart& s) override { add("start frames {} delivered {}", s.frames, s.delivered); }
  void frame(const LoggedFrame& f) override {
    add("frame {} {}-{} {} {} {:02x}", f.sequence, f.begin.value, f.end.value, f.size, f.length, fmt::join(f.bytes, ""));
  }
  void buffered(Time t, std::uint64_t p, std::uint32_t b, std::uint32_t l) override { add("buffered {} {} {} {}", t.value, p, b, l); }
  void freed(Time t, std::uint64_t p, std::uint32_t b, Time at) override { add("freed {} {} {} {}", t.value, p, b, at.value); }
  void waits(Time t, std::uint64_t p, Resource r) override { add("waits {} {} {}", t.value, p, static_cast<int>(r)); }
  void moves(Time t, std::uint64_t p) override { add("moves {} {}", t.value, p); }
  void occupied(Time t, std::uint32_t l, Time u, Resource r) override { add("occupied {} {} {} {}", t.value, l, u.value, static_cast<int>(r)); }
  void dropped(Time t, std::uint64_t p, std::uint64_t c) override { add("dropped {} {} {}", t.value, p, c); }
  void completed(Time t, std::uint64_t p, Time v, bool e) override { add("completed {} {} {} {}", t.value, p, v.value, e); }
  void ring(Time t, std::uint64_t r, std::uint64_t l) override { add("ring {} {} {}", t.value, r, l); }
  void interrupt(Time t, std::uint32_t v) override { add("interrupt {} {}", t.value, v); }
  void mmio(Time t, std::uint64_t a, std::uint64_t v, bool w) override { add("mmio {} {} {} {}", t.value, a, v, w); }
  void transmits(Time t, Time b, Time e, std::uint32_t s) override { add("transmits {} {}-{} {}", t.value, b.value, e.value, s); }
  void transfer(Time t, const LoggedTransfer& l) override {
    const Transfer& x = l.transfer;
    add("transfer {} kind {} use {} packet {} bytes {} offered {} {}-{} arrival {} waited {} credits {} {} returned {}", t.value,
        static_cast<int>(x.kind), l.use ? static_cast<int>(*l.use) : -1, l.packet ? static_cast<std::int64_t>(*l.packet) : -1, x.bytes,
        x.offered.value, x.begin.value, x.end.value, x.arrival.value, x.credit_wait.value, x.headers, x.data, x.returned.value);
  }
  void postponed(Time t, std::uint64_t a, Time r) override { add("postponed {} {} {}", t.value, a, r.value); }
  void read(Time t, std::uint64_t p) override { add("read {} {}", t.value, p); }
  void ended(Time t, std::uint64_t n, std::uint64_t c) override { add("ended {} {} {}", t.value, n, c); }
  void sleeps(Time t) override { add("sleeps {}", t.value); }
  void call(Time t, std::uint64_t f) override { add("call {} {}", t.value, f); }
  void leave(Time t) override { add("leave {}", t.value); }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    lines.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
};

}  // namespace ringside::test
