// The guest image of a scenario.
#pragma once

#include <filesystem>

#include "tb/scenario/scenario.h"

namespace ringside::cli {

// The file that driver.image names, or the image that driver.{compiler,flags} ask for, built unless it is cached. Throws
// InputError.
std::filesystem::path guest_image(const Scenario& scenario);

}  // namespace ringside::cli
