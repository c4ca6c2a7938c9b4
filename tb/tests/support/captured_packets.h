// Packets of a capture, what the driver's digest of them is, and what the program "adjust" makes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringside::test {

using Packet = std::vector<std::uint8_t>;
using Packets = std::vector<Packet>;

// The packets of a little-endian pcap file, padded to the shortest that Ethernet sends.
inline Packets captured_packets(const std::string& path) {
  constexpr std::size_t kShortest = 60, kFileHeader = 24, kPacketHeader = 16;
  std::ifstream stream(path, std::ios::binary);
  const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
  const auto word = [&](std::size_t at) {
    return file.at(at) | file.at(at + 1) << 8 | file.at(at + 2) << 16 | std::uint32_t{file.at(at + 3)} << 24;
  };
  if (word(0) != 0xa1b2c3d4) throw std::runtime_error(path + ": no little-endian pcap file");
  Packets packets;
  for (std::size_t at = kFileHeader; at < file.size();) {
    const std::uint32_t length = word(at + 8);
    at += kPacketHeader;
    packets.emplace_back(file.begin() + static_cast<std::ptrdiff_t>(at),
                         file.begin() + static_cast<std::ptrdiff_t>(at + length));
    packets.back().resize(std::max<std::size_t>(length, kShortest));
    at += length;
  }
  return packets;
}

// Frames of many lengths up to `longest`, filled with the bytes of `packets`; each begins with one of them.
inline Packets jumbo_frames(const Packets& packets, std::size_t longest) {
  Packets frames;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    Packet frame = packets[i];
    const std::size_t length = 60 + i * 1237 % (longest - 59);
    for (std::size_t next = i + 1; frame.size() < length; ++next) {
      const Packet& more = packets[next % packets.size()];
      frame.insert(frame.end(), more.begin(), more.end());
    }
    frame.resize(length);
    frames.push_back(std::move(frame));
  }
  frames.push_back(frames[1]);
  while (frames.back().size() < longest) frames.back().insert(frames.back().end(), packets[2].begin(), packets[2].end());
  frames.back().resize(longest);
  return frames;
}

// A little-endian pcap file of these packets, a microsecond apart.
inline std::string pcap_file(const Packets& packets) {
  std::string file;
  const auto put = [&](std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) file += static_cast<char>(value >> shift & 0xff);
  };
  for (const std::uint32_t value : {0xa1b2c3d4u, 2u | 4u << 16, 0u, 0u, 65535u, 1u}) put(value);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(packets[i].size());
    for (const std::uint32_t value : {1u, static_cast<std::uint32_t>(i), length, length}) put(value);
    file.append(packets[i].begin(), packets[i].end());
  }
  return file;
}

// From the description in driver/kernel/digest.h.
inline std::uint64_t digest_of(const Packets& packets) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t digest = 0;
  for (const Packet& packet : packets) {
    std::uint64_t h = 0xcbf29ce484222325 ^ packet.size();
    for (std::size_t at = 0; at < packet.size(); at += 8) {
      std::uint64_t word = 0;
      for (std::size_t i = at; i < std::min(at + 8, packet.size()); ++i) word |= std::uint64_t{packet[i]} << (i - at) * 8;
      h = (h ^ word) * kPrime;
    }
    digest = digest * kPrime + h;
  }
  return digest;
}

// 16 bytes more in front, the last half gone.
inline Packet adjusted(const Packet& packet) {
  Packet result;
  for (std::uint8_t i = 0; i < 16; ++i) result.push_back(static_cast<std::uint8_t>(0xa0 + i));
  result.insert(result.end(), packet.begin(), packet.end() - static_cast<std::ptrdiff_t>(packet.size() / 2));
  return result;
}

inline Packets adjusted(Packets packets) {
  for (Packet& packet : packets) packet = adjusted(packet);
  return packets;
}

}  // namespace ringside::test
