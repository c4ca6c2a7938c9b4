#include "tb/board/simulate.h"

#include <memory>

#include "model/base/errors.h"
#include "tb/board/board.h"

namespace ringside {

namespace {

// What the models refuse they name by parameter; a person wants to know the line.
std::unique_ptr<Board> make_board(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted) {
  try {
    return std::make_unique<Board>(scenario, progress, interrupted);
  } catch (const InputError& refused) {
    throw InputError(scenario.settings.placed(refused.what()));
  }
}

}  // namespace

RunResult simulate(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted) {
  return make_board(scenario, progress, interrupted)->run();
}

}  // namespace ringside
