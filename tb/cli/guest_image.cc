#include "tb/cli/guest_image.h"

#include "tb/image/image_builder.h"

namespace ringside::cli {

std::filesystem::path guest_image(const Scenario& scenario) {
  if (!scenario.driver.image.empty()) return scenario.file_of("driver.image");
  const auto* architecture = scenario.settings.find("cpu.architecture");
  const ImageBuilder builder(scenario.data / "src" / "driver" / "image.toml", image_cache_directory(),
                             {scenario.data / "images"});
  return builder.build({architecture == nullptr ? "x86_64" : to_text(architecture->value), scenario.driver.compiler,
                        scenario.driver.flags, scenario.settings.place_of("driver.flags")});
}

}  // namespace ringside::cli
