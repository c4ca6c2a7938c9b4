// Output files appear whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ringside {

// A file that is written piece by piece beside its destination, and removed unless it is renamed into place. A destination
// that is a device or a pipe, such as /dev/null, is written itself: it must not be replaced. All functions throw InputError.
class AtomicFile {
 public:
  // `suffix` ends the temporary name, for libraries that look at it.
  explicit AtomicFile(const std::filesystem::path& destination, std::string_view suffix = "");
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view content);
  void commit();

  // For what opens and writes the file itself, before commit(). The name of the destination where that is written itself.
  const std::string& temporary() const { return name_; }
  const std::filesystem::path& destination() const { return destination_; }

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path destination_;
  std::string name_;
  int fd_ = -1;
  bool in_place_ = false;
  bool renamed_ = false;
};

// Writes `content` beside `path` and renames it into place. Throws InputError when the folder cannot be written, and
// leaves nothing behind then.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Throws InputError when write_file_atomically() could not succeed: for finding out before a long run.
void check_writable(const std::filesystem::path& path);

}  // namespace ringside
