#include "model/memory/stream_prefetcher.h"

#include <algorithm>

#include "model/memory/recency_list.h"

namespace ringside {
namespace {

constexpr std::uint32_t kNoPage = 0xff'ffff;  // RAM ends below 4 GiB, page 0x100000

}  // namespace

StreamPrefetcher::StreamPrefetcher(const MemoryConfig& config)
    : train_(static_cast<std::uint32_t>(config.stream_train)),
      degree_(static_cast<std::int32_t>(config.stream_degree)),
      distance_(static_cast<std::int32_t>(config.stream_distance)),
      streams_(std::max<std::uint64_t>(config.stream_trackers, 1), Stream{0, 0, 0, 0}) {
  const auto trackers = static_cast<std::uint32_t>(streams_.size());
  for (std::uint32_t i = 0; i < trackers; ++i) pages_.push_back(kNoPage << kIndexBits | i);
  pages_.resize(recency::stride(trackers), kNoPage << kIndexBits);
}

// A stream that needs no step goes upwards until an access turns it.
StreamPrefetcher::Stream& StreamPrefetcher::stream_of(std::uint32_t page, std::int32_t offset) {
  std::uint32_t place = recency::place_of(pages_.data(), static_cast<std::uint32_t>(pages_.size()), page, kIndexBits);
  const bool known = place != pages_.size();
  if (!known) place = static_cast<std::uint32_t>(streams_.size()) - 1;
  recency::move_to_front(pages_.data(), place);
  const std::uint32_t index = pages_[0] & ((1U << kIndexBits) - 1);
  if (!known) {
    pages_[0] = page << kIndexBits | index;
    streams_[index] = train_ == 0 ? Stream{offset - 1, offset, 1, 0} : Stream{offset, offset, 0, 0};
  }
  return streams_[index];
}

StreamPrefetcher::Request StreamPrefetcher::train(LineNumber line) {
  const auto offset = static_cast<std::int32_t>(line % kLinesPerPage);
  Stream& s = stream_of(line / kLinesPerPage, offset);
  if (offset == s.last) return {0, 0, 0};
  const std::int32_t direction = offset > s.last ? 1 : -1;
  s.steps = direction == s.direction ? s.steps + 1 : 1;
  if (s.steps == 1) s.head = offset;
  s.direction = direction;
  s.last = offset;
  if (s.steps < train_) return {0, 0, 0};

  // Distances in the direction of the stream: how far the head and the page's end are ahead of this access.
  const std::int32_t head = std::max((s.head - offset) * direction, 0);
  const std::int32_t end = direction > 0 ? static_cast<std::int32_t>(kLinesPerPage) - 1 - offset : offset;
  // One that no step has confirmed is worth a line.
  const std::int32_t degree = train_ == 0 && s.steps == 1 ? 1 : degree_;
  const std::int32_t count = std::min({head + degree, distance_, end}) - head;
  if (count <= 0) return {0, 0, 0};
  s.head = offset + direction * (head + count);
  return {static_cast<LineNumber>(static_cast<std::int32_t>(line) + direction * (head + 1)),
          static_cast<std::uint32_t>(count), direction};
}

}  // namespace ringside
