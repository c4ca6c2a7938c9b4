// The program `ringside`. SystemC's library brings a main() that calls sc_main(); this one takes its place, because
// everything but `run` has nothing to do with SystemC. sc_start() does not need sc_main() to have been called.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

#include "tb/board/simulate.h"
#include "tb/cli/commands.h"

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

// The first Ctrl-C ends the run with a report; the second one ends the program at once.
void on_interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

extern "C" int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[]) {
  std::signal(SIGINT, on_interrupt);
  return ringside::cli::program({argv + 1, argv + argc}, ringside::simulate, interrupted,
                                {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1});
}
