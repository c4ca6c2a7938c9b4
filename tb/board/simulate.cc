#include "tb/board/simulate.h"

#include "tb/board/board.h"

namespace ringside {

RunResult simulate(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted) {
  Board board(scenario, progress, interrupted);
  return board.run();
}

}  // namespace ringside
