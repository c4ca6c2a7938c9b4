#include <gtest/gtest.h>

#include <set>

#include "model/core/block.h"
#include "model/core/config.h"

namespace ringside {
namespace {

// Collects the names that a configuration visits, and whether each must come from a data file.
class Names final : public ParameterVisitor {
 public:
  std::set<std::string> seen;
  bool all_required = true;
  bool all_explained = true;

  void number(const ParameterInfo& i, Origin o, std::uint64_t&, std::uint64_t, std::uint64_t) override { note(i, o); }
  void flag(const ParameterInfo& i, Origin o, bool&) override { note(i, o); }
  void text(const ParameterInfo& i, Origin o, std::string&) override { note(i, o); }
  void choice(const ParameterInfo& i, Origin o, std::string&, std::span<const std::string_view>) override {
    note(i, o);
  }
  void list(const ParameterInfo& i, Origin o, std::vector<std::string>&) override { note(i, o); }
  void table(const ParameterInfo& i, Origin o, std::vector<CostStep>&) override { note(i, o); }
  void time(const ParameterInfo& i, Origin o, Time&, Time, Time) override { note(i, o); }
  void size(const ParameterInfo& i, Origin o, Bytes&, Bytes, Bytes) override { note(i, o); }
  void frequency(const ParameterInfo& i, Origin o, Frequency&, Frequency, Frequency) override { note(i, o); }
  void bandwidth(const ParameterInfo& i, Origin o, Bandwidth&, Bandwidth, Bandwidth) override { note(i, o); }
  void packet_rate(const ParameterInfo& i, Origin o, PacketRate&, PacketRate, PacketRate) override { note(i, o); }

 private:
  void note(const ParameterInfo& info, Origin origin) {
    EXPECT_TRUE(seen.emplace(info.name).second) << info.name << " twice";
    all_required = all_required && origin == Origin::required;
    all_explained = all_explained && !info.help.empty();
  }
};

TEST(CoreConfig, EveryParameterIsHardwareAndExplained) {
  CoreConfig config;
  config.architecture = "x86_64";
  Names names;
  config.visit(names);
  EXPECT_TRUE(names.all_required);
  EXPECT_TRUE(names.all_explained);
  EXPECT_TRUE(names.seen.contains("cpu.rob_entries"));
  EXPECT_TRUE(names.seen.contains("cpu.rep_stos.wide"));
}

TEST(CoreConfig, EveryStallReasonHasAName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kStallReasons; ++i) names.insert(name(static_cast<StallReason>(i)));
  EXPECT_EQ(names.size(), kStallReasons);
  EXPECT_EQ(name(StallReason::store_buffer), "store_buffer");
}

}  // namespace
}  // namespace ringside
