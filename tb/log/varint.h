// Integers of a variable number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr std::size_t kVarintBytes = 10;  // at most

constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

// Bytes that are appended. reserve() makes room; the other functions do not look.
class ByteSink {
 public:
  void reserve(std::size_t more) {
    if (bytes_.size() - used_ < more) bytes_.resize(2 * bytes_.size() + more);
  }
  void byte(std::uint8_t value) { bytes_[used_++] = value; }
  void varint(std::uint64_t value) {
    std::uint8_t* at = bytes_.data() + used_;
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::uint8_t>(value | 0x80);
    *at++ = static_cast<std::uint8_t>(value);
    used_ = static_cast<std::size_t>(at - bytes_.data());
  }
  void bytes(std::span<const std::uint8_t> data) {
    for (const std::uint8_t b : data) byte(b);
  }

  // With room made.
  void text(std::string_view value) {
    reserve(kVarintBytes + value.size());
    varint(value.size());
    bytes({reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
  }
  void number(std::uint64_t value) {
    reserve(kVarintBytes);
    varint(value);
  }

  std::size_t size() const { return used_; }
  void clear() { used_ = 0; }
  std::span<const std::uint8_t> data() const { return {bytes_.data(), used_}; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t used_ = 0;
};

// Bytes that are taken. After the end, and after a number that is too long, everything is 0 and ok() is false.
class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> data) : at_(data.data()), end_(data.data() + data.size()) {}

  bool ok() const { return ok_; }
  bool empty() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t byte() {
    if (at_ == end_) return fail();
    return *at_++;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail();
      const std::uint8_t b = *at_++;
      if (shift == 63 && b > 1) return fail();
      value |= std::uint64_t{b & 0x7fu} << shift;
      if (b < 0x80) return value;
    }
    return fail();
  }
  std::span<const std::uint8_t> bytes(std::size_t count) {
    if (left() < count) {
      fail();
      return {};
    }
    at_ += count;
    return {at_ - count, count};
  }
  // At most `longest` bytes.
  std::string text(std::size_t longest) {
    const std::uint64_t size = varint();
    if (size > longest) fail();
    const auto data = bytes(ok_ ? size : 0);
    return {data.begin(), data.end()};
  }

 private:
  std::uint8_t fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool ok_ = true;
};

}  // namespace ringside
