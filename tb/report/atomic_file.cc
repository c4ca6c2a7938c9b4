#include "tb/report/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "model/base/errors.h"

namespace ringside {
AtomicFile::AtomicFile(const std::filesystem::path& destination, std::string_view suffix)
    : destination_(destination), name_(destination.string() + ".XXXXXX" + std::string(suffix)) {
  std::error_code error;
  const auto status = std::filesystem::status(destination_, error);
  if (std::filesystem::is_directory(status)) fail("is a directory");
  in_place_ = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (in_place_) name_ = destination_.string();
  fd_ = in_place_ ? ::open(name_.c_str(), O_WRONLY | O_CLOEXEC)
                  : ::mkostemps(name_.data(), static_cast<int>(suffix.size()), O_CLOEXEC);
  if (fd_ < 0) fail(std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!in_place_ && !renamed_) ::unlink(name_.c_str());
}

void AtomicFile::write(std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(fd_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (in_place_) return;
  const auto mask = ::umask(0);
  ::umask(mask);
  const int closed = ::fchmod(fd_, 0666 & ~mask) | ::close(fd_);
  fd_ = -1;
  if (closed != 0 || ::rename(name_.c_str(), destination_.c_str()) != 0) fail(std::strerror(errno));
  renamed_ = true;
}

void AtomicFile::fail(const std::string& reason) const {
  throw InputError(fmt::format("{}: cannot be written: {}; a path in an existing, writable folder is allowed",
                               destination_.string(), reason));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void check_writable(const std::filesystem::path& path) { AtomicFile file(path); }

}  // namespace ringside
