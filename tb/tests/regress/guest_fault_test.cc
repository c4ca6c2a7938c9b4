// A guest that goes wrong ends the run with status 3, one line and a report.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// Of programs that have ended; other work on the machine does not count.
double processor_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Fault {
  const char* program;
  const char* function;
  const char* line;  // of the source
  const char* what;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.what; }

class FaultyGuest : public testing::TestWithParam<std::tuple<std::string, Fault>> {};

TEST_P(FaultyGuest, IsNamedByFunctionLineAndTime) {
  const auto& [isa, fault] = GetParam();
  const bool x86 = isa == "x86-64";
  RingsideRun run({"mlx5e-xdp-drop", "--quiet", "--image", test_image_path("bench-" + isa + "-gcc-none")});
  run.set(x86 ? "cpu.model=xeon-8380" : "cpu.model=cortex-a72").set(std::string("driver.xdp=") + fault.program);
  const double before = processor_seconds_of_children();
  const Outcome outcome = run.run();
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_THAT(outcome.error, ContainsRegex("^ringside: at [0-9]+\\.[0-9]{6} us: core0: the guest "));
  EXPECT_THAT(outcome.error, HasSubstr(std::string(" in ") + fault.function + "+0x"));
  EXPECT_THAT(outcome.error, ContainsRegex(fault.line));
  EXPECT_THAT(outcome.error, HasSubstr(fault.what));
  ASSERT_TRUE(outcome.report);
  EXPECT_EQ(outcome.json()["result"]["stop_reason"], "error");
  EXPECT_EQ("ringside: " + outcome.json()["result"]["error"].get<std::string>() + "\n", outcome.error);
  EXPECT_LT(processor_seconds_of_children() - before, 3 * RINGSIDE_TEST_SLOWNESS);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, FaultyGuest,
    testing::Combine(testing::Values("x86-64", "aarch64"),
                     testing::Values(Fault{"read-null", "read_null", "in faults\\.cc:[0-9]+", "read from 0x8"},
                                     Fault{"write-unmapped", "write_unmapped", "in faults\\.cc:[0-9]+", "write to 0x50000000"},
                                     Fault{"undefined", "undefined_instruction", "faults\\.cc:[0-9]+", "an undefined instruction"},
                                     Fault{"wild-jump", "jump_into_data", "faults\\.cc:[0-9]+", "jump to 0x1000000"},
                                     Fault{"panic", "panic_on_purpose", "in faults\\.cc:[0-9]+", "out of teapots"})),
    [](const auto& info) {
      std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param).program;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(SpinningGuest, IsFoundByTheWatchdogInLittleTime) {
  RingsideRun run({"mlx5e-xdp-drop", "--quiet", "--image", test_image_path("bench-x86-64-gcc-none")});
  const double before = processor_seconds_of_children();
  const Outcome outcome = run.set("driver.xdp=spin").run();
  EXPECT_LT(processor_seconds_of_children() - before, 3 * RINGSIDE_TEST_SLOWNESS);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_THAT(outcome.error, ContainsRegex("run\\.watchdog.*the guest spins in spin_for_ever\\+0x0 \\(faults\\.cc:[0-9]+\\)"));
  ASSERT_TRUE(outcome.report);
}

// Moderation holds the only packet's interrupt back for longer than the watchdog waits. The core sleeps meanwhile, so that
// the failure comes from an event of the kernel.
RingsideRun held_back_packet() {
  return finite_scenario(1).set("driver.rx_usecs=4000").set("driver.rx_frames=1000");
}

TEST(Watchdog, NamesWhatASleepingDriverWaitsFor) {
  const Outcome outcome = held_back_packet().set("run.watchdog=1 ms").run();
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_THAT(outcome.error, ContainsRegex("^ringside: at [0-9.]+ us: core0: .*the guest waits for an interrupt; .*CQ [0-9]+: producer 1"));
  ASSERT_TRUE(outcome.report);
  EXPECT_EQ(outcome.json()["result"]["packets"]["in_flight"], 1);
  EXPECT_EQ(outcome.json()["result"]["stop_reason"], "error");
}

TEST(Watchdog, CanBeSwitchedOff) {
  const Outcome outcome = held_back_packet().set("run.watchdog=0 ms").run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.json()["result"]["packets"]["delivered"], 1);
}

// The driver of an unknown program panics; an image that a user brings has programs that nobody else knows.
TEST(GuestPanic, KeepsTheReport) {
  const Outcome outcome =
      main_scenario(1000).set("driver.image=" + image_path("mlx5e-x86-64-gcc-none")).set("driver.xdp=nothing-such").run();
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.error, HasSubstr("no XDP program of this name"));
  EXPECT_TRUE(outcome.report);
}

}  // namespace
}  // namespace ringside::test
