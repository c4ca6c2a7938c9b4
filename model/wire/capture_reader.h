// Packets of a capture file, one after another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct pcap;

namespace ringside {

// Hands out frames as a MAC would have sent them, without FCS: padded to 60 bytes, and to their real length if the
// recording cut them short.
class CaptureReader {
 public:
  // Throws InputError if the file is missing, no capture, or not of Ethernet.
  explicit CaptureReader(const std::string& path);

  // False at the end of the file. Throws InputError if the file ends inside a packet or makes no sense.
  bool next();

  std::uint64_t nanoseconds() const { return nanoseconds_; }      // of the packet, since 1970
  std::span<const std::uint8_t> bytes() const { return bytes_; }  // valid until next() is called again

 private:
  struct Close {
    void operator()(pcap* handle) const;
  };

  std::string path_;
  std::unique_ptr<pcap, Close> handle_;
  std::uint64_t packets_ = 0;  // read so far
  std::uint64_t nanoseconds_ = 0;
  std::span<const std::uint8_t> bytes_;
  std::vector<std::uint8_t> padded_;
};

}  // namespace ringside
