// Who called whom: the cycles of a core by call path, told by the calls, returns and jumps that its blocks end in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/units.h"
#include "model/core/function_id.h"

namespace ringside {

// Hears of every function that is entered and left, in properly nested pairs. Times are those at which the instruction that
// led there has retired: what lies between two of them is what the profile books, but for cycles that it books on an
// instruction of an earlier function, which was the reason for the wait.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void entered(Time now, FunctionId function) = 0;
  virtual void left(Time now, FunctionId function) = 0;
};

class CallTree {
 public:
  // Guests that never stop calling are followed so far: deeper calls are booked on the deepest node there is.
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxNodes = 4096;   // call paths
  static constexpr std::size_t kMaxFrames = 1024;  // open calls

  // One call path: the functions from the root to here.
  struct Node {
    FunctionId function;
    std::uint32_t parent;  // index; the root's children have parent 0
    std::uint32_t depth;
    std::uint32_t first_child = 0, next_sibling = 0;  // index; 0 is none
    std::uint64_t cycles = 0;                         // without those of its children
    std::uint64_t instructions = 0;
    std::uint64_t calls = 0;  // times that the function's first instruction was entered
  };

  // What the core has retired so far.
  struct Progress {
    Cycle cycles;
    std::uint64_t instructions;
  };

  // Where a block begins.
  struct Place {
    std::uint64_t address;
    FunctionId function;
    bool at_start;  // of the function
  };

  explicit CallTree(Frequency frequency);

  // The function whose code runs, as far as the tree knows.
  FunctionId function() const { return function_; }

  // Control has gone somewhere, by the instruction that retired last. jump() is for all ways but calls and returns, and need
  // only be told when the function is another than function().
  void start(Place to, Progress progress);
  void call(Place to, std::uint64_t return_address, Progress progress);
  void return_to(Place to, Progress progress);
  void jump(Place to, Progress progress);

  // Books what was done since the last change on the running function.
  void settle(Progress progress);
  // Counts start again from zero; the open calls stay open.
  void reset(Progress progress);

  // Functions that are open, the running one first, as far as they are followed.
  std::vector<FunctionId> open_functions() const;

  // Node 0 is the root, which is no function. Children come after their parents.
  const std::vector<Node>& nodes() const { return nodes_; }
  // Where the running function's cycles are counted. Stays valid.
  std::uint64_t& running_cycles() { return nodes_[node_].cycles; }
  // Calls since reset() that got no node of their own, by one of the limits.
  std::uint64_t unfollowed_calls() const { return unfollowed_calls_; }
  // Returns since reset() to where nothing had called from: another stack, or a return used as a jump.
  std::uint64_t unbalanced_returns() const { return unbalanced_returns_; }

  // Tells of the functions that are open now as if they had just been entered, then of all that follows. Null ends that.
  void observe(CallObserver* observer, Progress progress);

 private:
  struct Frame {
    std::uint64_t return_address;
    FunctionId function;
    std::uint32_t node;
  };

  Time now() const { return to_time(booked_.cycles, frequency_); }
  std::uint32_t child_of(std::uint32_t parent, FunctionId function);
  void push(Place to, std::uint64_t return_address);
  void pop();
  void pop_to(std::size_t frames);
  void replace(Place to);

  Frequency frequency_;
  std::vector<Node> nodes_;    // never grows beyond its first capacity
  std::vector<Frame> frames_;  // open calls, the running function last
  FunctionId function_ = kUnknownFunction;
  std::uint32_t node_ = 0;         // of the running function
  std::uint64_t lost_frames_ = 0;  // open calls beyond kMaxFrames
  Progress booked_{};
  std::uint64_t unfollowed_calls_ = 0, unbalanced_returns_ = 0;
  CallObserver* observer_ = nullptr;
};

}  // namespace ringside
