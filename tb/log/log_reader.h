// Reads an event log that somebody else wrote: in bounded memory, with everything checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "tb/log/format.h"
#include "tb/log/log_sink.h"

namespace ringside {

// Part of a run, both ends included.
struct LogWindow {
  Time from{};
  Time to{kMaxTime};
};

// Throws InputError for files that cannot be read, are no log of this version, end early or contradict themselves.
class LogReader {
 public:
  explicit LogReader(const std::filesystem::path& file);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  const LogHead& head() const { return head_; }
  const LogDirectory& directory() const { return directory_; }
  const std::string& name_of(std::uint64_t string) const { return directory_.strings[string]; }
  std::uint64_t size() const { return size_; }  // bytes

  // Gives the sink all records of the window, and before them those that tell of packets which are alive when it begins.
  void replay(LogSink& sink, LogWindow window = {}) const;

  // For what is wrong with the content: "FILE: WHAT; ...".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void open();
  std::vector<std::uint8_t> bytes_at(std::uint64_t offset, std::size_t count) const;
  void read_head();
  void read_directory();
  std::vector<std::uint8_t> block(std::size_t number) const;

  std::string file_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t blocks_begin_ = 0, blocks_end_ = 0;
  LogHead head_;
  LogDirectory directory_;
};

}  // namespace ringside
