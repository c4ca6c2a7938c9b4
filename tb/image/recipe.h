// How a guest image is made: driver/image.toml, whose head explains the format.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ringside {

class TomlReader;

// Which image is wanted.
struct ImageRequest {
  std::string architecture;        // "x86_64" (or "x86-64") or "aarch64"
  std::string compiler;            // "gcc" or "clang"
  std::vector<std::string> flags;  // after the recipe's
  std::string place = {};          // where the flags were given, for messages
  std::string driver = {};         // a [[driver]] of the recipe; "" where it has none
};

struct Prebuild {
  std::string name;
  ImageRequest request;
};

// How one compiler compiles and links for one architecture; the flags that all share come first.
struct Toolchain {
  std::string architecture;  // with underscores
  std::string compiler;
  std::string command;  // "g++", "aarch64-linux-gnu-g++"
  std::vector<std::string> compile_flags;
  std::vector<std::string> link_flags;
  std::string packages;  // of Debian, that bring the command and what it needs
};

class Recipe {
 public:
  // Throws InputError.
  explicit Recipe(const std::filesystem::path& file);

  // The folder that holds the recipe's folder: source paths and #includes start there.
  const std::filesystem::path& root() const { return root_; }
  // The recipe, and the one on which it is based, if any.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  // Sources that all images share and those of the driver. Throws InputError for one that the recipe does not have.
  std::vector<std::string> sources(const std::string& driver) const;
  const std::string& linker_script() const { return linker_script_; }
  const std::vector<Prebuild>& prebuilds() const { return prebuilds_; }

  // Throws InputError for a pair that the recipe does not have, naming those that it has.
  const Toolchain& toolchain(const ImageRequest& request) const;

 private:
  void read_toolchains(const TomlReader& reader);

  std::vector<std::filesystem::path> files_;
  std::filesystem::path root_;
  std::vector<std::string> sources_;
  std::map<std::string, std::vector<std::string>> drivers_;
  std::string linker_script_;
  std::vector<Toolchain> toolchains_;
  std::vector<Prebuild> prebuilds_;
};

}  // namespace ringside
