// Layers, provenance and error messages of the loader, on a configuration of the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "model/base/errors.h"
#include "tb/scenario/scenario.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr std::array<std::string_view, 2> kPatterns{"constant", "poisson"};

struct ChipConfig {
  std::string model = "alpha";
  std::uint64_t entries = 0;
  Time latency;
  std::vector<CostStep> costs;
  Frequency frequency;
  std::uint64_t packets = 1000;
  std::uint64_t precision = 0;
  bool moderated = true;
  std::string pattern = "constant";
  std::vector<std::string> flags;
  Bandwidth rate = gigabits_per_second(100);
  Bytes buffer = kibibytes(4);

  void visit(ParameterVisitor& v) {
    using enum ParameterVisitor::Origin;
    v.text({"chip.model", "", "chosen", "Model."}, default_value, model);
    v.number({"chip.entries", "entries", "", "Ring entries"}, required, entries, 1, 4096);
    v.time({"chip.latency", "ns", "", "Latency"}, required, latency, nanoseconds(1), microseconds(1));
    v.table({"chip.costs", "cycles", "", "Costs"}, required, costs);
    v.frequency({"chip.frequency", "GHz", "", "Clock"}, required, frequency, megahertz(1), megahertz(10'000));
    v.number({"run.packets", "packets", "chosen", "Packets."}, default_value, packets, 0, 1'000'000);
    v.number({"run.precision", "ppm", "chosen", "Precision."}, default_value, precision, 0, 1'000'000);
    v.flag({"run.moderated", "", "chosen", "Moderation."}, default_value, moderated);
    v.choice({"run.pattern", "", "chosen", "Pattern."}, default_value, pattern, kPatterns);
    v.list({"run.flags", "", "chosen", "Flags."}, default_value, flags);
    v.bandwidth({"run.rate", "Gbps", "chosen", "Rate."}, default_value, rate, {}, gigabits_per_second(800));
    v.size({"run.buffer", "KiB", "chosen", "Buffer."}, default_value, buffer, {}, mebibytes(1));
  }
};

constexpr std::string_view kAlpha = R"(description = "Alpha"
[chip]
entries = { value = 64, unit = "entries", source = "data sheet, table 3" }
latency = { value = "12.5 ns", source = "measured" }
costs = { value = [{ up_to = 64, cost = 4 }, { up_to = 128, cost = 15 }], unit = "cycles", source = "measured" }
frequency = { value = 3.4, unit = "GHz", source = "data sheet" }
)";

class Loader : public testing::Test {
 protected:
  Loader() { folder_.write("hardware/chip/alpha.toml", kAlpha); }

  // Loads a scenario of this text.
  ParameterSet load(std::string_view scenario, const std::vector<std::string>& overrides = {}) {
    const auto path = folder_.write("test.toml", scenario);
    return load_parameters([this](ParameterVisitor& v) { config_.visit(v); }, {{"chip", "hardware/chip", "chip.model"}},
                           folder_.path(), read_toml_file(path, "test.toml", Layer::scenario), overrides);
  }

  // Expects one line that names the place first and contains `parts`.
  template <class... Parts>
  void expect_error(std::string_view scenario, const std::string& place, const Parts&... parts) {
    EXPECT_THAT([&] { load(scenario); },
                ThrowsMessage<InputError>(AllOf(StartsWith((folder_.path() / place).string() + ": "),
                                                testing::Not(HasSubstr("\n")), HasSubstr(parts)...)));
  }

  TemporaryFolder folder_;
  ChipConfig config_;
};

TEST_F(Loader, TakesHardwareFromItsDataFile) {
  const auto settings = load("");
  EXPECT_EQ(config_.entries, 64U);
  EXPECT_EQ(config_.latency, picoseconds(12'500));
  EXPECT_EQ(config_.frequency, megahertz(3'400));
  EXPECT_EQ(config_.costs, (std::vector<CostStep>{{64, 4}, {128, 15}}));
  const auto* entries = settings.find("chip.entries");
  ASSERT_NE(entries, nullptr);
  EXPECT_EQ(entries->layer, Layer::data_file);
  EXPECT_EQ(entries->place.report_text, "hardware/chip/alpha.toml:3");
  EXPECT_EQ(entries->source, "data sheet, table 3");
}

TEST_F(Loader, LaterLayersWinAndSayWhere) {
  const auto settings = load("[chip]\nentries = 128\n[run]\npackets = 5\nbuffer = \"8 KiB\"\n", {"run.packets=7"});
  EXPECT_EQ(config_.entries, 128U);
  EXPECT_EQ(config_.packets, 7U);
  EXPECT_EQ(config_.buffer, kibibytes(8));
  EXPECT_EQ(settings.find("chip.entries")->place.report_text, "test.toml:2");
  EXPECT_EQ(settings.find("run.packets")->layer, Layer::command_line);
  EXPECT_EQ(settings.find("run.packets")->place.error_text, "--set run.packets=7");
  EXPECT_EQ(settings.find("run.rate")->layer, Layer::default_value);
  EXPECT_EQ(settings.find("run.rate")->source, "chosen");
}

TEST_F(Loader, TheCommandLineNeedsNoQuotes) {
  load("", {"run.moderated=off", "run.pattern=poisson", "run.flags=-O3 -g", "run.rate=25Gbps", "chip.entries=8",
            "run.precision=0.2%", "chip.costs=[{ up_to = 1, cost = 2 }]"});
  EXPECT_FALSE(config_.moderated);
  EXPECT_EQ(config_.pattern, "poisson");
  EXPECT_EQ(config_.flags, (std::vector<std::string>{"-O3", "-g"}));
  EXPECT_EQ(config_.rate, gigabits_per_second(25));
  EXPECT_EQ(config_.entries, 8U);
  EXPECT_EQ(config_.precision, 2'000U);
  EXPECT_EQ(config_.costs, (std::vector<CostStep>{{1, 2}}));
}

TEST_F(Loader, AScenarioChoosesTheDataFile) {
  folder_.write("hardware/chip/beta.toml", std::string(kAlpha) + "\n[run]\n");
  load("chip.model = \"beta\"");
  EXPECT_EQ(config_.model, "beta");
  expect_error("[chip]\nmodel = \"alhpa\"", "test.toml:2", "alhpa", "one of alpha, beta is allowed", "did you mean alpha?");
}

TEST_F(Loader, UnknownKey) {
  expect_error("[run]\n\npakets = 5", "test.toml:3", "unknown key run.pakets", "did you mean run.packets?");
  expect_error("[chip]\nvoltage = 5", "test.toml:2", "unknown key chip.voltage");
}

TEST_F(Loader, WrongType) {
  expect_error("[run]\npackets = \"many\"", "test.toml:2", "run.packets is the string \"many\"", "a whole number, 0 to 1000000");
  expect_error("[run]\npackets = 1.5", "test.toml:2", "the fraction 1.5");
  expect_error("[run]\nmoderated = 1", "test.toml:2", "the number 1", "true or false");
  expect_error("[run]\nmoderated = \"on\"", "test.toml:2", "true or false");
  expect_error("[run]\nflags = \"-O2\"", "test.toml:2", "an array of strings");
  expect_error("[run]\nflags = [1, 2]", "test.toml:2", "an array of strings");
  expect_error("[run]\nrate = true", "test.toml:2", "a bandwidth with its unit");
  expect_error("[run]\nrate = 100", "test.toml:2", "100 has no unit", "100 Gbps");
  expect_error("[run]\npattern = 1979-05-27", "test.toml:2", "a date", "one of constant, poisson");
  expect_error("[chip]\ncosts = [{ up_to = 64, price = 4 }]", "test.toml:2", "an array of { up_to = N, cost = N }");
  expect_error("[chip]\nmodel = 5", "test.toml:2", "the number 5", "a string");
}

TEST_F(Loader, OutOfRange) {
  expect_error("[chip]\nentries = 0", "test.toml:2", "chip.entries is 0", "1 to 4096 entries is allowed");
  expect_error("[chip]\nentries = -1", "test.toml:2", "chip.entries is -1");
  expect_error("[chip]\nlatency = \"2 us\"", "test.toml:2", "chip.latency is 2 us", "1 ns to 1 us is allowed");
  expect_error("[chip]\nlatency = \"2.0001 ps\"", "test.toml:2", "finer than 1 ps");
  expect_error("[run]\npattern = \"poison\"", "test.toml:2", "one of constant, poisson", "did you mean poisson?");
  expect_error("[chip]\ncosts = [{ up_to = 64, cost = 4 }, { up_to = 64, cost = 5 }]", "test.toml:2", "rising up_to");
}

TEST_F(Loader, BrokenToml) { expect_error("[run]\npackets = = 5", "test.toml:2", "TOML 1.0 is allowed"); }

TEST_F(Loader, MissingFile) {
  EXPECT_THAT([&] { read_toml_file(folder_.path() / "none.toml", "none.toml", Layer::scenario); },
              ThrowsMessage<InputError>(HasSubstr("none.toml: no such file")));
}

TEST_F(Loader, BadOverrides) {
  EXPECT_THAT([&] { load("", {"run.packets"}); }, ThrowsMessage<InputError>(HasSubstr("key=value is allowed")));
  EXPECT_THAT([&] { load("", {"run.pakets=1"}); },
              ThrowsMessage<InputError>(AllOf(StartsWith("--set run.pakets=1: "), EndsWith("did you mean run.packets?"))));
  EXPECT_THAT([&] { load("", {"run.flags=[1"}); }, ThrowsMessage<InputError>(HasSubstr("a TOML value is allowed")));
}

TEST_F(Loader, DataFilesMustBeCompleteAndSourced) {
  folder_.write("hardware/chip/bare.toml", "[chip]\nentries = 64\n");
  folder_.write("hardware/chip/unsourced.toml", "[chip]\nentries = { value = 64 }\n");
  folder_.write("hardware/chip/unit.toml", "[chip]\nentries = { value = 64, unit = \"bytes\", source = \"x\" }\n");
  folder_.write("hardware/chip/short.toml", "[chip]\nentries = { value = 64, source = \"x\" }\n");
  folder_.write("hardware/chip/typo.toml", "[chip]\nentries = { value = 64, sauce = \"x\" }\n");
  expect_error("chip.model = \"bare\"", "hardware/chip/bare.toml:2", "chip.entries is a bare value");
  expect_error("chip.model = \"unsourced\"", "hardware/chip/unsourced.toml:2", "chip.entries has no source");
  expect_error("chip.model = \"unit\"", "hardware/chip/unit.toml:2", "unit \"bytes\"", "\"entries\" is allowed");
  expect_error("chip.model = \"short\"", "hardware/chip/short.toml", "no value for chip.latency (Latency)");
  expect_error("chip.model = \"typo\"", "hardware/chip/typo.toml:2", "unknown key \"sauce\"");
}

}  // namespace
}  // namespace ringside
