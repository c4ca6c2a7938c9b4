// Calls, returns and jumps make paths; every cycle is on one of them, whatever the guest does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "model/core/call_tree.h"

namespace ringside {
namespace {

using testing::ElementsAre;

// Functions are 0x1000 bytes apart: function 3 is at 0x3000.
class Guest {
 public:
  CallTree tree{megahertz(1000)};

  explicit Guest(FunctionId first = 1) { tree.start(place(at(first)), done()); }

  // Runs for so many cycles, with half as many instructions.
  Guest& run(std::uint64_t cycles) {
    cycles_ += cycles;
    return *this;
  }
  Guest& call(std::uint64_t to, std::uint64_t return_address) {
    tree.call(place(to), return_address, done());
    return *this;
  }
  Guest& jump(std::uint64_t to) {
    if (to / 0x1000 != tree.function()) tree.jump(place(to), done());
    return *this;
  }
  Guest& back(std::uint64_t to) {
    tree.return_to(place(to), done());
    return *this;
  }

  static std::uint64_t at(FunctionId function) { return function * 0x1000; }
  static CallTree::Place place(std::uint64_t address) {
    return {address, static_cast<FunctionId>(address / 0x1000), address % 0x1000 == 0};
  }
  CallTree::Progress done() const { return {Cycle{cycles_}, cycles_ / 2}; }

  // "1/2=7(1)": path, cycles, calls.
  std::vector<std::string> paths() {
    tree.settle(done());
    std::vector<std::string> names(tree.nodes().size()), all;
    for (std::size_t i = 1; i < tree.nodes().size(); ++i) {
      const CallTree::Node& node = tree.nodes()[i];
      names[i] = (node.parent == 0 ? "" : names[node.parent] + "/") + std::to_string(node.function);
      if (node.cycles != 0) all.push_back(names[i] + "=" + std::to_string(node.cycles) + "(" + std::to_string(node.calls) + ")");
    }
    return all;
  }
  std::uint64_t sum() {
    tree.settle(done());
    const auto add = [](std::uint64_t total, const CallTree::Node& node) { return total + node.cycles; };
    return std::accumulate(tree.nodes().begin(), tree.nodes().end(), std::uint64_t{0}, add);
  }
  std::uint64_t cycles() const { return cycles_; }

 private:
  std::uint64_t cycles_ = 0;
};

TEST(CallTree, BooksOnThePathThatLedThere) {
  Guest guest;
  guest.run(10).call(0x2000, 0x1010).run(3).call(0x3000, 0x2010).run(5).back(0x2010).run(4).back(0x1010).run(2);
  guest.call(0x3000, 0x1020).run(6).back(0x1020).run(1);
  EXPECT_THAT(guest.paths(), ElementsAre("1=13(1)", "1/2=7(1)", "1/2/3=5(1)", "1/3=6(1)"));
  EXPECT_EQ(guest.tree.nodes()[1].instructions, 6u);
  EXPECT_EQ(guest.tree.unbalanced_returns(), 0u);
}

TEST(CallTree, TailCallReplacesItsCallerAndReturnsToTheCallersCaller) {
  Guest guest;
  guest.run(1).call(0x2000, 0x1010).run(2).jump(0x3000).run(4).back(0x1010).run(8);
  EXPECT_THAT(guest.paths(), ElementsAre("1=9(1)", "1/2=2(1)", "1/3=4(1)"));
}

TEST(CallTree, JumpInsideAFunctionChangesNothingAndOneIntoAnothersMiddleIsNoCall) {
  Guest guest;
  guest.run(1).jump(0x1800).run(1).call(0x2000, 0x1010).run(2).jump(0x3400).run(4).jump(0x2080).run(8);
  EXPECT_THAT(guest.paths(), ElementsAre("1=2(1)", "1/2=10(1)", "1/3=4(0)"));
}

TEST(CallTree, RecursionGrowsThePathAndComesBack) {
  Guest guest;
  guest.call(0x2000, 0x1010).run(1).call(0x2000, 0x2010).run(1).call(0x2000, 0x2010).run(1);
  guest.back(0x2010).run(10).back(0x2010).run(10).back(0x1010).run(100);
  EXPECT_THAT(guest.paths(), ElementsAre("1=100(1)", "1/2=11(1)", "1/2/2=11(1)", "1/2/2/2=1(1)"));
  EXPECT_EQ(guest.tree.unfollowed_calls(), 0u);
}

TEST(CallTree, DeepRecursionIsBookedOnTheDeepestNodeAndUnwinds) {
  constexpr std::uint64_t kCalls = CallTree::kMaxFrames + 500;
  Guest guest;
  for (std::uint64_t i = 0; i < kCalls; ++i) guest.call(0x2000, i == 0 ? 0x1010 : 0x2010).run(1);
  for (std::uint64_t i = 0; i < kCalls; ++i) guest.back(i + 1 == kCalls ? 0x1010 : 0x2010).run(1);
  guest.run(7);
  EXPECT_EQ(guest.sum(), guest.cycles());
  EXPECT_EQ(guest.tree.nodes().size(), 1 + CallTree::kMaxDepth);
  EXPECT_EQ(guest.tree.unfollowed_calls(), kCalls - (CallTree::kMaxDepth - 1));
  EXPECT_EQ(guest.paths().front(), "1=8(1)");  // all calls are closed again
}

TEST(CallTree, NumberOfPathsIsLimited) {
  Guest guest;
  for (FunctionId a = 2; a < 100; ++a) {
    guest.call(Guest::at(a), 0x1010).run(1);
    for (FunctionId b = 100; b < 200; ++b) guest.call(Guest::at(b), Guest::at(a) + 16).run(1).back(Guest::at(a) + 16);
    guest.back(0x1010);
  }
  EXPECT_EQ(guest.tree.nodes().size(), CallTree::kMaxNodes);
  EXPECT_GT(guest.tree.unfollowed_calls(), 0u);
  EXPECT_EQ(guest.sum(), guest.cycles());
  EXPECT_EQ(guest.tree.function(), 1u);
}

TEST(CallTree, ReturnAcrossFramesClosesThem) {
  Guest guest;
  guest.call(0x2000, 0x1010).call(0x3000, 0x2010).call(0x4000, 0x3010).run(1).back(0x1010).run(5);
  EXPECT_THAT(guest.paths(), ElementsAre("1=5(1)", "1/2/3/4=1(1)"));
  EXPECT_EQ(guest.tree.unbalanced_returns(), 1u);
}

TEST(CallTree, ReturnToNobodyGoesOnInTheOpenFunctionOrReplaces) {
  Guest guest;
  guest.call(0x2000, 0x1010).call(0x3000, 0x2010).run(1).back(0x1400).run(5);  // 1 is open
  guest.call(0x3000, 0x1010).run(2).back(0x7400).run(3).back(0x1010).run(1);  // 7 is not
  EXPECT_THAT(guest.paths(), ElementsAre("1=6(1)", "1/2/3=1(1)", "1/3=2(1)", "1/7=3(0)"));
  EXPECT_EQ(guest.tree.unbalanced_returns(), 2u);
  EXPECT_EQ(guest.sum(), guest.cycles());
}

// call thunk; in it: call over; over: put the target in place of the return address; ret.
TEST(CallTree, RetpolineCallsItsTarget) {
  Guest guest;
  guest.run(1).call(0x2000, 0x1010).run(2).call(0x2020, 0x2008).run(2).back(0x3000).run(4).back(0x1010).run(8);
  EXPECT_THAT(guest.paths(), ElementsAre("1=9(1)", "1/2=2(1)", "1/2/2=2(0)", "1/3=4(1)"));
}

TEST(CallTree, ReturnThatWasHardenedIntoAJumpReturns) {
  Guest guest;
  guest.call(0x2000, 0x1010).run(2).jump(0x1010).run(3);
  EXPECT_THAT(guest.paths(), ElementsAre("1=3(1)", "1/2=2(1)"));
  EXPECT_EQ(guest.tree.unbalanced_returns(), 0u);
}

TEST(CallTree, ResetKeepsTheOpenCallsAndForgetsTheirCost) {
  Guest guest;
  guest.run(5).call(0x2000, 0x1010).run(7);
  guest.tree.reset(guest.done());
  guest.run(3).back(0x1010).run(2);
  EXPECT_THAT(guest.paths(), ElementsAre("1=2(0)", "1/2=3(0)"));
}

// Writes "+2@7" and "-2@9".
struct Log : CallObserver {
  void entered(Time now, FunctionId function) override { add('+', now, function); }
  void left(Time now, FunctionId function) override { add('-', now, function); }
  void add(char what, Time now, FunctionId function) {
    lines.push_back(what + std::to_string(function) + "@" + std::to_string(now.value / 1000));
  }
  std::vector<std::string> lines;
};

TEST(CallTree, ObserverHearsNestedPairsAndWhatIsOpenAlready) {
  Guest guest;
  Log log;
  guest.run(1).call(0x2000, 0x1010).run(2);
  guest.tree.observe(&log, guest.done());
  guest.run(3).jump(0x3000).run(4).call(0x4000, 0x3010).run(5).back(0x1010).run(6);
  guest.tree.observe(nullptr, guest.done());
  guest.call(0x2000, 0x1010);
  EXPECT_THAT(log.lines, ElementsAre("+1@3", "+2@3", "-2@6", "+3@6", "+4@10", "-4@15", "-3@15"));
}

}  // namespace
}  // namespace ringside
