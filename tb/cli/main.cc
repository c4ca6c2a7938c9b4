// The program `ringside`. SystemC's library brings a main() that calls sc_main(); this one takes its place, because
// everything but `run` has nothing to do with SystemC. sc_start() does not need sc_main() to have been called.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string_view>

#include "tb/board/simulate.h"
#include "tb/cli/commands.h"

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

// Seconds of a clock that only goes forward. May be called from a signal handler.
double monotonic_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The first Ctrl-C ends the run with a report; a second one ends the program at once. What comes within a fifth of a second
// is the same one: timeout(1) signals its child and then the group in which that is.
void on_interrupt(int) {
  constexpr double kSameSeconds = 0.2;
  static double first;
  if (!interrupted) {
    first = monotonic_seconds();
    interrupted = true;
  } else if (monotonic_seconds() - first > kSameSeconds) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
}

// A terminal that can, and a person who did not say no (no-color.org).
bool standard_output_has_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  return ::isatty(STDOUT_FILENO) == 1 && !refused && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

extern "C" int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[]) {
  std::signal(SIGINT, on_interrupt);
  return ringside::cli::program({argv + 1, argv + argc}, ringside::simulate, interrupted,
                                {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1, standard_output_has_colour()});
}
