// Text of a view on its way to a file.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "tb/report/atomic_file.h"

namespace ringside {

// Collects text and writes it in large pieces. The file appears with commit().
class Output {
 public:
  explicit Output(const std::filesystem::path& file) : file_(file) {}

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    if (text_.size() >= kPiece) flush();
  }
  // For what is put together faster by hand; call flush_if_full() now and then.
  std::string& text() { return text_; }
  void flush_if_full() {
    if (text_.size() >= kPiece) flush();
  }

  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 18;

  void flush() {
    file_.write(text_);
    text_.clear();
  }

  AtomicFile file_;
  std::string text_;
};

}  // namespace ringside
