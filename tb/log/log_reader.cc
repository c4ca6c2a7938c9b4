#include "tb/log/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/base/errors.h"
#include "tb/log/log_replay.h"
#include "tb/log/sections.h"
#include "tb/report/printable.h"

namespace ringside {

LogReader::LogReader(const std::filesystem::path& file) : file_(printable(file.string())) {
  fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  try {
    open();
    read_head();
    read_directory();
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    throw;
  }
}

LogReader::~LogReader() { ::close(fd_); }

void LogReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}; a complete event log that `ringside run --log` wrote is required", file_, what));
}

void LogReader::open() {
  if (fd_ < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) fail(S_ISDIR(status.st_mode) ? "is a folder" : "is no regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

std::vector<std::uint8_t> LogReader::bytes_at(std::uint64_t offset, std::size_t count) const {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t done = 0; done < count;) {
    const auto got = ::pread(fd_, bytes.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) fail("ends early");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

void LogReader::read_head() {
  const std::size_t there = std::min<std::uint64_t>(size_, kHeadMagic.size());
  const auto magic = bytes_at(0, there);
  const bool begins = std::equal(magic.begin(), magic.end(), kHeadMagic.begin(),
                                 [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
  if (there == 0) fail("is empty");
  if (!begins) fail("is no event log");
  if (size_ < kHeadFixed + kFootBytes) fail("ends early");
  const auto fixed = bytes_at(0, kHeadFixed);
  const std::uint32_t version = read_32(std::span(fixed).subspan(8));
  if (version != kLogVersion) fail(fmt::format("event log of version {}; {} is allowed", version, kLogVersion));
  const std::uint32_t body_size = read_32(std::span(fixed).subspan(12));
  if (body_size > kMaxHead) fail("its head is damaged");
  if (body_size > size_ - kHeadFixed - kFootBytes) fail("ends early");
  const auto body = bytes_at(kHeadFixed, body_size);
  ByteSource from(body);
  const auto head = crc_of(body) == read_32(std::span(fixed).subspan(16)) ? decode_head(from) : std::nullopt;
  if (!head) fail("its head is damaged");
  head_ = *head;
  blocks_begin_ = kHeadFixed + body_size;
}

void LogReader::read_directory() {
  const auto foot = bytes_at(size_ - kFootBytes, kFootBytes);
  if (std::memcmp(foot.data() + kFootBytes - kFootMagic.size(), kFootMagic.data(), kFootMagic.size()) != 0) fail("ends early");
  blocks_end_ = read_64(foot);
  const std::uint32_t length = read_32(std::span(foot).subspan(8));
  const std::uint64_t end = size_ - kFootBytes;
  const bool fits = length <= kMaxDirectory && length <= end && blocks_end_ == end - length && blocks_end_ >= blocks_begin_;
  if (!fits) fail("its end is damaged");
  const auto bytes = bytes_at(blocks_end_, length);
  ByteSource from(bytes);
  auto directory = crc_of(bytes) == read_32(std::span(foot).subspan(12)) ? decode_directory(from) : std::nullopt;
  if (!directory) fail("its directory is damaged");
  directory_ = std::move(*directory);
  std::uint64_t expected = blocks_begin_;
  for (std::size_t i = 0; i < directory_.blocks.size(); ++i) {
    const BlockIndex& block = directory_.blocks[i];
    const bool ordered = i == 0 ? block.offset == expected : block.offset > expected;
    if (!ordered || block.offset >= blocks_end_ || block.resume > i) fail("its directory is damaged");
    expected = block.offset;
  }
}

std::vector<std::uint8_t> LogReader::block(std::size_t number) const {
  const auto& blocks = directory_.blocks;
  const std::uint64_t begin = blocks[number].offset;
  const std::uint64_t size = (number + 1 < blocks.size() ? blocks[number + 1].offset : blocks_end_) - begin;
  if (size < kBlockFixed || size - kBlockFixed > kMaxBlock) fail("its directory is damaged");
  auto bytes = bytes_at(begin, static_cast<std::size_t>(size));
  const std::span<const std::uint8_t> fixed(bytes.data(), kBlockFixed);
  const std::span<const std::uint8_t> payload(bytes.data() + kBlockFixed, bytes.size() - kBlockFixed);
  if (read_32(fixed) != kBlockMagic || read_32(fixed.subspan(4)) != payload.size() || read_32(fixed.subspan(8)) != crc_of(payload)) {
    fail(fmt::format("block {} of {} is damaged", number + 1, blocks.size()));
  }
  bytes.erase(bytes.begin(), bytes.begin() + kBlockFixed);
  return bytes;
}

void LogReader::replay(LogSink& sink, LogWindow window) const {
  const auto& blocks = directory_.blocks;
  const auto first = std::ranges::find_if(blocks, [&](const BlockIndex& b) { return b.last_time >= window.from.value; });
  if (first == blocks.end()) return;
  LogReplay replay(directory_, sink);
  for (std::size_t i = static_cast<std::size_t>(first->resume); i < blocks.size(); ++i) {
    if (blocks[i].first_time > window.to.value && !sink.wants_more()) return;
    const std::string wrong = replay.block(block(i));
    if (!wrong.empty()) fail(fmt::format("block {} of {}: {}", i + 1, blocks.size(), wrong));
  }
}

}  // namespace ringside
