// The second level's stream prefetcher: recognises that lines of a page are used in ascending or descending order.
#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/cache.h"
#include "model/memory/config.h"

namespace ringside {

// Follows one stream per 4 KiB page, as the Intel optimisation manual describes the L2 streamer; never leaves the page.
class StreamPrefetcher {
 public:
  explicit StreamPrefetcher(const MemoryConfig& config);

  // Lines to bring in: first, first + step, ..., `count` of them.
  struct Request {
    LineNumber first;
    std::uint32_t count;
    std::int32_t step;
  };

  // Tells the prefetcher of an access that missed the first level.
  Request train(LineNumber line);

 private:
  static constexpr std::uint32_t kLinesPerPage = 4096 / kCacheLine;
  static constexpr std::uint32_t kIndexBits = 8;

  struct Stream {
    std::int32_t last;       // line within the page of the latest access
    std::int32_t head;       // furthest line asked for, meaningful once trained
    std::int32_t direction;  // +1, -1, or 0 before the second access
    std::uint32_t steps;     // in that direction, without interruption
  };

  Stream& stream_of(std::uint32_t page, std::int32_t offset);

  std::uint32_t train_;
  std::int32_t degree_;
  std::int32_t distance_;
  std::vector<std::uint32_t> pages_;  // page << kIndexBits | index of its stream, the most recent first
  std::vector<Stream> streams_;
};

}  // namespace ringside
