// How a guest image is made: driver/image.toml, whose head explains the format.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ringside {

// Which image is wanted.
struct ImageRequest {
  std::string architecture;        // "x86_64" or "aarch64"
  std::string compiler;            // "gcc" or "clang"
  std::vector<std::string> flags;  // after the recipe's
};

// The commands for one compiler and one architecture. Source names are relative to Recipe::root().
struct Toolchain {
  std::vector<std::string> command;  // compiler, with what selects its target
  std::vector<std::string> flags;
  std::vector<std::string> link;
  std::string linker_script;
  std::vector<std::string> sources;
};

struct Prebuild {
  std::string name;
  ImageRequest request;
};

class Recipe {
 public:
  // Throws InputError.
  explicit Recipe(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  const std::filesystem::path& root() const { return root_; }        // source paths start here
  const std::filesystem::path& include() const { return include_; }  // relative to root()
  const std::vector<Prebuild>& prebuilds() const { return prebuilds_; }

  // Throws InputError for a pair that the recipe does not have, naming those that it has.
  const Toolchain& toolchain(const ImageRequest& request) const;

 private:
  struct Entry {
    std::string compiler;
    std::string architecture;
    Toolchain toolchain;
  };

  std::filesystem::path file_;
  std::filesystem::path root_;
  std::filesystem::path include_;
  std::vector<Entry> toolchains_;
  std::vector<Prebuild> prebuilds_;
};

}  // namespace ringside
