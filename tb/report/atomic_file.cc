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
namespace {

// A temporary file beside its destination, removed unless renamed into place. A destination that is a device or a pipe,
// such as /dev/null, is written itself: it must not be replaced.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& destination)
      : destination_(destination), name_(destination.string() + ".XXXXXX") {
    std::error_code error;
    const auto status = std::filesystem::status(destination_, error);
    if (std::filesystem::is_directory(status)) fail("is a directory");
    in_place_ = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    fd_ = in_place_ ? ::open(destination_.c_str(), O_WRONLY | O_CLOEXEC) : ::mkostemp(name_.data(), O_CLOEXEC);
    if (fd_ < 0) fail(std::strerror(errno));
  }
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!in_place_ && !renamed_) ::unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view content) {
    while (!content.empty()) {
      const auto written = ::write(fd_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(std::strerror(errno));
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void rename() {
    if (in_place_) return;
    const auto mask = ::umask(0);
    ::umask(mask);
    const int closed = ::fchmod(fd_, 0666 & ~mask) | ::close(fd_);
    fd_ = -1;
    if (closed != 0 || ::rename(name_.c_str(), destination_.c_str()) != 0) fail(std::strerror(errno));
    renamed_ = true;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) {
    throw InputError(fmt::format("{}: cannot be written: {}; a path in an existing, writable folder is allowed",
                                 destination_.string(), reason));
  }

  std::filesystem::path destination_;
  std::string name_;
  int fd_ = -1;
  bool in_place_ = false;
  bool renamed_ = false;
};

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  TemporaryFile file(path);
  file.write(content);
  file.rename();
}

void check_writable(const std::filesystem::path& path) { TemporaryFile file(path); }

}  // namespace ringside
