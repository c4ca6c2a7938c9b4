// How a guest image is made: driver/image.toml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ringside {

// Which image is wanted.
struct ImageRequest {
  std::string architecture;  // "x86-64" or "aarch64"
  std::string compiler;      // "gcc" or "clang"
  std::vector<std::string> flags;  // after the recipe's
};

struct Prebuild {
  std::string name;
  ImageRequest request;
};

// One way to compile: the recipe's flags for one compiler and one architecture.
struct Toolchain {
  std::string command;                   // "g++", "aarch64-linux-gnu-g++"
  std::vector<std::string> compile_flags;
  std::vector<std::string> link_flags;
};

class Recipe {
 public:
  // Throws InputError.
  explicit Recipe(const std::filesystem::path& file);

  // The folder that source paths and #includes start from.
  const std::filesystem::path& root() const { return root_; }
  const std::filesystem::path& file() const { return file_; }
  const std::vector<std::string>& sources() const { return sources_; }        // relative to root()
  const std::string& linker_script() const { return linker_script_; }         // relative to root()
  const std::vector<Prebuild>& prebuilds() const { return prebuilds_; }

  // Throws InputError for a pair that the recipe does not have, naming those that it has.
  const Toolchain& toolchain(const ImageRequest& request) const;

 private:
  std::filesystem::path file_;
  std::filesystem::path root_;
  std::vector<std::string> sources_;
  std::string linker_script_;
  std::map<std::string, Toolchain> toolchains_;  // by "gcc x86-64"
  std::vector<Prebuild> prebuilds_;
};

}  // namespace ringside
