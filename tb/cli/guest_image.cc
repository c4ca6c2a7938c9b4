#include "tb/cli/guest_image.h"

#include "tb/image/image_builder.h"

namespace ringside::cli {

std::filesystem::path guest_image(const Scenario& scenario) {
  if (!scenario.driver.image.empty()) return scenario.file_of("driver.image");
  const auto* architecture = scenario.settings.find("cpu.architecture");
  const ImageBuilder builder(scenario.data / "src" / "driver" / "image.toml", image_cache_directory(),
                             {scenario.data / "images"});
  auto flags = scenario.driver.variant_flags();
  if (scenario.platform.cores > 1) flags.push_back("-DCONFIG_SMP");
  flags.insert(flags.end(), scenario.driver.flags.begin(), scenario.driver.flags.end());
  return builder.build({architecture == nullptr ? "x86_64" : to_text(architecture->value), scenario.driver.compiler, flags,
                        scenario.settings.place_of("driver.flags"), scenario.driver.name});
}

}  // namespace ringside::cli
