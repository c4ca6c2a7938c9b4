#include "tb/log/capture_view.h"

#include <pcap/pcap.h>

#include <cstdio>
#include <memory>
#include <span>

#include "model/base/errors.h"
#include "tb/log/packet_view.h"
#include "tb/report/atomic_file.h"

namespace ringside {
namespace {

// A capture of Ethernet frames that libpcap writes.
class CaptureFile {
 public:
  explicit CaptureFile(const std::string& file)
      : file_(file),
        link_(::pcap_open_dead_with_tstamp_precision(DLT_EN10MB, kSnapLength, PCAP_TSTAMP_PRECISION_NANO)),
        dumper_(::pcap_dump_open(link_.get(), file_.temporary().c_str())) {
    if (dumper_ == nullptr) throw InputError(file + ": cannot be written: " + ::pcap_geterr(link_.get()));
  }

  void add(Time at, std::uint32_t length, std::span<const std::uint8_t> bytes) {
    const std::uint64_t nanoseconds = at / ringside::nanoseconds(1);
    pcap_pkthdr header{};
    header.ts.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    header.ts.tv_usec = static_cast<suseconds_t>(nanoseconds % 1'000'000'000);
    header.caplen = static_cast<bpf_u_int32>(bytes.size());
    header.len = length;
    ::pcap_dump(reinterpret_cast<u_char*>(dumper_.get()), &header, bytes.data());
    ++packets_;
  }

  std::uint64_t commit() {
    if (::pcap_dump_flush(dumper_.get()) != 0 || std::ferror(::pcap_dump_file(dumper_.get())) != 0) {
      throw InputError(file_.destination().string() + ": cannot be written");
    }
    dumper_.reset();
    file_.commit();
    return packets_;
  }

 private:
  struct Close {
    void operator()(pcap_t* link) const { ::pcap_close(link); }
    void operator()(pcap_dumper_t* dumper) const { ::pcap_dump_close(dumper); }
  };

  AtomicFile file_;
  std::unique_ptr<pcap_t, Close> link_;
  std::unique_ptr<pcap_dumper_t, Close> dumper_;
  std::uint64_t packets_ = 0;
};

class CaptureView final : public PacketView {
 public:
  CaptureView(const LogReader& reader, LogWindow window, const std::string& prefix)
      : PacketView(reader, window),
        wire_(prefix + ".wire.pcap"),
        delivered_(prefix + ".delivered.pcap"),
        dropped_(prefix + ".dropped.pcap") {}

  void frame(const LoggedFrame& frame) override {
    if (in_window(frame.end)) wire_.add(frame.end, frame.length, frame.bytes);
    PacketView::frame(frame);
  }

  CaptureCounts finish() { return {wire_.commit(), delivered_.commit(), dropped_.commit()}; }

 private:
  void closed(const PacketLife& packet) override {
    if (packet.fate == Fate::in_flight || !in_window(packet.end)) return;
    (packet.fate == Fate::delivered ? delivered_ : dropped_).add(packet.end, packet.length, packet.kept());
  }

  CaptureFile wire_, delivered_, dropped_;
};

}  // namespace

CaptureCounts write_captures(const LogReader& reader, LogWindow window, const std::string& prefix) {
  CaptureView view(reader, window, prefix);
  reader.replay(view, window);
  return view.finish();
}

}  // namespace ringside
