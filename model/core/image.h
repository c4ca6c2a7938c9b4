// A guest image: an ELF file that keeps the contract of model/guest/contract.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/core/architecture.h"
#include "model/core/function_id.h"
#include "model/memory/physical_memory.h"

namespace ringside {

// Where code was written.
struct SourceLocation {
  std::string file;     // as the debug information has it: relative to the source tree, or absolute
  std::uint32_t line;   // 1 is the first
  std::string inlined;  // the function that it belongs to where this became part of another one, else empty
};

struct GuestFunction {
  std::uint64_t address;
  std::uint64_t size;
  std::string name;  // as a profiler prints it: no namespace, no parameters, no compiler suffix
  FunctionId id = kUnknownFunction;  // of the name
};

class Image {
 public:
  // Reads an image. Throws InputError when the file cannot be read, is not a statically linked 64-bit little-endian
  // ELF executable for x86-64 or AArch64, or has a segment outside [guest::kRamBase + 1 MiB, ram_end).
  Image(const std::string& path, PhysAddr ram_end);
  ~Image();

  const std::string& path() const { return path_; }
  bool contains_code(std::uint64_t address) const { return address >= text_begin_ && address < text_end_; }
  Architecture architecture() const { return architecture_; }
  std::uint64_t entry() const { return entry_; }
  std::uint64_t end() const { return end_; }                // first address after the last segment
  std::uint64_t text_begin() const { return text_begin_; }  // executable segments
  std::uint64_t text_end() const { return text_end_; }

  // Copies every segment to its place and zeroes what the file does not hold.
  void load(PhysicalMemory& memory) const;

  // Functions by address. `find_function` returns the one that covers an address, or null.
  const std::vector<GuestFunction>& functions() const { return functions_; }
  const GuestFunction* find_function(std::uint64_t address) const;

  // Their names by id, each once: "[unknown]" is kUnknownFunction's.
  const std::vector<std::string>& function_names() const { return function_names_; }

  // From the debug information, or nothing.
  std::optional<SourceLocation> source(std::uint64_t address) const;

  // "file.cc:123" from the debug information, or nothing. For inlined code "inline.h:5 in file.cc:123": where it is written,
  // and the line of the function that it ended up in.
  std::optional<std::string> source_line(std::uint64_t address) const;

  // What compiled the image according to its debug information: "GNU C++20 12.2.0"; empty without.
  const std::string& compiler() const { return compiler_; }

  // "mlx5e_poll_rx_cq+0x1c (en_rx.cc:123)", or the bare address.
  std::string describe(std::uint64_t address) const;

 private:
  struct Segment {
    std::uint64_t address;
    std::uint64_t memory_size;
    std::vector<std::uint8_t> bytes;
  };
  struct Symbolizer;

  std::string path_;
  std::string compiler_;
  Architecture architecture_ = Architecture::x86_64;
  std::uint64_t entry_ = 0, end_ = 0, text_begin_ = 0, text_end_ = 0;
  std::vector<Segment> segments_;
  std::vector<GuestFunction> functions_;
  std::vector<std::string> function_names_;
  std::unique_ptr<Symbolizer> symbolizer_;
};

}  // namespace ringside
