// ringside-image --recipe FILE --output FOLDER: builds every [[prebuild]] image of a recipe into a folder, each under its key and, for
// people, under a link with the name that the recipe gives it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tb/image/image_builder.h"

namespace {

void prebuild(const std::filesystem::path& recipe, const std::filesystem::path& folder) {
  const ringside::ImageBuilder builder(recipe, folder);
  for (const auto& [name, request] : builder.recipe().prebuilds()) {
    const auto image = builder.build(request);
    const auto link = folder / (name + ".elf");
    const auto fresh = folder / (name + ".elf.new");
    std::filesystem::remove(fresh);
    std::filesystem::create_symlink(image.filename(), fresh);
    std::filesystem::rename(fresh, link);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  CLI::App app{"Builds the guest images that a recipe lists under [[prebuild]].", "ringside-image"};
  std::string recipe;
  std::string folder;
  app.add_option("--recipe", recipe, "driver/image.toml")->required();
  app.add_option("--output", folder, "where the images go")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    prebuild(recipe, folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringside-image: {}\n", error.what());
    return 2;
  }
  return 0;
}
