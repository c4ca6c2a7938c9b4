#include "tb/report/bounded_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "model/base/errors.h"
#include "tb/report/printable.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxJsonBytes = 16 << 20;
constexpr std::size_t kMaxJsonValues = 500'000;
constexpr std::size_t kMaxJsonMembers = 2'000;  // of one object: an ordered one looks for each new key among all others
constexpr int kMaxJsonDepth = 32;

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& file) : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& complaint) {
  throw InputError(fmt::format("{}: {}", printable(file.string()), complaint));
}

std::string position(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  return fmt::format("line {}, column {}", line, before.size() - (before.rfind('\n') + 1) + 1);
}

// The number that is named in nlohmann's complaint about one that no double can hold.
std::string quoted_part(const std::string& message) {
  const auto first = message.find('\'');
  const auto last = message.rfind('\'');
  return first == last ? "" : printable(message.substr(first + 1, last - first - 1), 40);
}

}  // namespace

std::string read_bounded_file(const std::filesystem::path& file, std::size_t limit, std::string_view what) {
  const Descriptor descriptor(file);
  if (descriptor.get() < 0) fail(file, fmt::format("cannot be read: {}; {} is required", std::strerror(errno), what));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    fail(file, fmt::format("is a folder; {} is required", what));
  }
  std::string text;
  std::size_t size = 0;
  ssize_t got = 1;
  while (size <= limit) {
    text.resize(std::min(limit + 1, std::max<std::size_t>(2 * size, 1 << 16)));
    got = ::read(descriptor.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (got < 0) fail(file, fmt::format("cannot be read: {}; {} is required", std::strerror(errno), what));
  if (size > limit) fail(file, fmt::format("larger than {} KiB; {} is smaller", limit >> 10, what));
  text.resize(size);
  return text;
}

nlohmann::ordered_json read_bounded_json(const std::filesystem::path& file, std::string_view what) {
  using Json = nlohmann::ordered_json;
  using Event = Json::parse_event_t;
  const std::string text = read_bounded_file(file, kMaxJsonBytes, what);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) fail(file, fmt::format("empty; {} is required", what));
  std::size_t values = 0;
  std::array<std::size_t, kMaxJsonDepth + 1> members{};  // of the open object at each depth
  const auto within_limits = [&](int depth, Event event, const Json&) {
    if (depth > kMaxJsonDepth) fail(file, fmt::format("nested more than {} deep; {} is not", kMaxJsonDepth, what));
    if (event == Event::object_start && depth < kMaxJsonDepth) members[static_cast<std::size_t>(depth) + 1] = 0;
    if (event == Event::key && ++members[static_cast<std::size_t>(depth)] > kMaxJsonMembers) {
      fail(file, fmt::format("more than {} members in one object; {} has fewer", kMaxJsonMembers, what));
    }
    if (event != Event::object_end && event != Event::array_end && ++values > kMaxJsonValues) {
      fail(file, fmt::format("more than {} values; {} has fewer", kMaxJsonValues, what));
    }
    return true;
  };
  try {
    return Json::parse(text, within_limits);
  } catch (const Json::parse_error& error) {
    const bool ended = error.byte > text.size();
    fail(file, fmt::format("{}: {}; {} is required", position(text, error.byte),
                           ended ? "the file ends in the middle of the document" : "not valid JSON", what));
  } catch (const Json::out_of_range& error) {
    fail(file, fmt::format("the number {} is too large; numbers up to 1e18 are allowed", quoted_part(error.what())));
  }
}

}  // namespace ringside
