// A hash of a stream of integers: two runs with the same fingerprint had the same events at the same times.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside {

class Fingerprint {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ULL;  // the golden-ratio multiplier of Fibonacci hashing
    state_ ^= state_ >> 29;
  }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace ringside
