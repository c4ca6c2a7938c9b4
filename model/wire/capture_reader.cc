#include "model/wire/capture_reader.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/wire/frame.h"

namespace ringside {
namespace {

constexpr char kAllowed[] = "a complete pcap or pcapng file of Ethernet frames is allowed";

}  // namespace

void CaptureReader::Close::operator()(pcap* handle) const { pcap_close(handle); }

CaptureReader::CaptureReader(const std::string& path) : path_(path) {
  char message[PCAP_ERRBUF_SIZE] = "";
  handle_.reset(pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, message));
  if (handle_ == nullptr) {
    std::string_view reason = message;  // begins with the path for some errors
    if (reason.starts_with(path + ": ")) reason.remove_prefix(path.size() + 2);
    throw InputError(fmt::format("{}: {}; {}", path, reason, kAllowed));
  }
  const int type = pcap_datalink(handle_.get());
  if (type != DLT_EN10MB) {
    const char* name = pcap_datalink_val_to_name(type);
    throw InputError(
        fmt::format("{}: link type {}; {}", path, name != nullptr ? name : std::to_string(type), kAllowed));
  }
}

bool CaptureReader::next() {
  pcap_pkthdr* header = nullptr;
  const std::uint8_t* data = nullptr;
  const int status = pcap_next_ex(handle_.get(), &header, &data);
  if (status == PCAP_ERROR_BREAK) return false;
  if (status != 1) throw InputError(fmt::format("{}: packet {}: {}; {}", path_, packets_ + 1, pcap_geterr(handle_.get()), kAllowed));
  ++packets_;
  nanoseconds_ = static_cast<std::uint64_t>(header->ts.tv_sec) * 1'000'000'000 +
                 static_cast<std::uint64_t>(header->ts.tv_usec);  // nanoseconds, as asked for
  const std::uint32_t length = std::max({header->len, header->caplen, kMinFrameBytes - kFcsBytes});
  bytes_ = {data, header->caplen};
  if (length > header->caplen) {
    padded_.assign(length, 0);
    std::copy(bytes_.begin(), bytes_.end(), padded_.begin());
    bytes_ = padded_;
  }
  return true;
}

}  // namespace ringside
