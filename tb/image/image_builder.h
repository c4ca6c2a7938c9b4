// Builds guest images with a real compiler, once per content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tb/image/recipe.h"

namespace ringside {

// $XDG_CACHE_HOME/ringside, else ~/.cache/ringside, else a folder of the system's temporary directory.
std::filesystem::path image_cache_directory();

class ImageBuilder {
 public:
  // Finished images are looked up in `prebuilt` folders first, then in `cache`, where new ones are put.
  ImageBuilder(const std::filesystem::path& recipe_file, std::filesystem::path cache,
               std::vector<std::filesystem::path> prebuilt = {});

  const Recipe& recipe() const { return recipe_; }

  // File name of the image: a hash of the recipe, every source and header, the compiler's version and the flags. Runs
  // `compiler --version`.
  std::string file_name(const ImageRequest& request) const;

  // The image, compiled unless it exists. May run at the same time in several processes. Throws InputError with the
  // compiler's first error line.
  std::filesystem::path build(const ImageRequest& request) const;

 private:
  std::filesystem::path compile(const ImageRequest& request, const std::filesystem::path& destination) const;

  Recipe recipe_;
  std::filesystem::path cache_;
  std::vector<std::filesystem::path> prebuilt_;
};

}  // namespace ringside
