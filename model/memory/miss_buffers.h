// Miss status holding registers: how many lines may be on their way at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ringside {

// Each buffer is the cycle at which it becomes free.
class MissBuffers {
 public:
  explicit MissBuffers(std::uint64_t count) : free_at_(std::max<std::uint64_t>(count, 1), 0) {}

  // The buffer that is free first. Its taker waits until then and stores when it frees it again.
  std::uint64_t& earliest() { return *std::min_element(free_at_.begin(), free_at_.end()); }

 private:
  std::vector<std::uint64_t> free_at_;
};

}  // namespace ringside
