#include "model/base/errors.h"

#include <fmt/format.h>

namespace ringside {

InvariantError::InvariantError(Time at, const std::string& object, const std::string& rule)
    : std::runtime_error(fmt::format("at {}.{:06} us: {}: {}", at.value / 1'000'000, at.value % 1'000'000, object, rule)),
      at_(at),
      object_(object),
      rule_(rule) {}

}  // namespace ringside
