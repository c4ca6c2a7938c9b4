// Branch prediction: a tagged-geometric conditional predictor with a loop component, a history-indexed predictor of
// indirect targets, and a return stack. Seznec, "A new case for the TAGE branch predictor" (2011), and "A 64-Kbytes
// ITTAGE indirect branch predictor" (2011), reduced to what a driver's code exercises.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/core/config.h"

namespace ringside {

class Predictor {
 public:
  // Table sizes are rounded up to powers of two.
  explicit Predictor(const PredictorConfig& config);

  // Each predicts, learns the outcome, and says whether the prediction was right.
  bool conditional(std::uint64_t address, bool taken);
  bool indirect(std::uint64_t address, std::uint64_t target);
  bool function_return(std::uint64_t target);

  // A call leaves its return address on the return stack.
  void call(std::uint64_t return_address);

 private:
  static constexpr unsigned kTables = 4;
  static constexpr unsigned kTargetTables = 2;
  static constexpr std::array<unsigned, kTables> kHistory{5, 14, 40, 120};  // branches, about geometric
  static constexpr std::array<unsigned, kTargetTables> kTargetHistory{12, 48};

  struct Tagged {
    std::uint16_t tag = 0;
    std::int8_t counter = 0;  // -4..3, taken when not negative
    std::uint8_t useful = 0;  // 0..3
  };
  struct Loop {
    std::uint32_t tag = 0;
    std::uint16_t trips = 0;    // outcomes in the body before each exit, once known
    std::uint16_t current = 0;  // outcomes in the body since the last exit
    std::uint8_t confidence = 0;
    bool body = false;  // direction that stays in the loop
    bool valid = false;
  };
  struct Target {
    std::uint64_t target = 0;
    std::uint16_t tag = 0;
    std::uint8_t confidence = 0;
  };
  struct Base {
    std::int8_t counter = 0;  // -2..1, taken when not negative
    bool last = false;        // latest outcome
    std::uint16_t same = 0;   // how often it has been the same in a row
  };
  struct Slot {
    std::uint32_t index;
    std::uint16_t tag;
  };

  Slot slot(std::uint64_t address, unsigned history, std::uint32_t mask) const;
  Loop& loop_of(std::uint64_t address);
  static bool loop_predicts(const Loop& loop) { return loop.valid && loop.confidence >= kLoopConfidence; }
  // Predicts from the tables and the loops, learns the outcome, and says whether the prediction was right.
  bool from_tables(std::uint64_t address, bool taken, Base& base);
  void train_loop(std::uint64_t address, bool taken, bool allocate);
  void train_tables(int provider, bool prediction, bool alternate, bool taken);
  void remember(std::uint64_t bits, unsigned count);

  static constexpr std::uint8_t kLoopConfidence = 3;
  // A branch that has gone one way so often is taken to go that way always, and keeps out of the tables.
  static constexpr std::uint16_t kSettled = 1024;

  std::vector<Base> bimodal_;
  std::array<std::vector<Tagged>, kTables> tagged_;
  std::vector<Loop> loops_;
  std::vector<Target> last_target_;
  std::array<std::vector<Target>, kTargetTables> targets_;
  std::vector<std::uint64_t> returns_;

  std::array<Slot, kTables> slots_{};       // of the branch at hand
  std::array<std::uint64_t, 2> history_{};  // outcomes, youngest in bit 0 of the first word
  std::uint32_t bimodal_mask_;
  std::uint32_t tagged_mask_;
  std::uint32_t loop_mask_;
  std::uint32_t target_mask_;
  std::uint32_t return_mask_;
  std::uint32_t return_top_ = 0;
};

}  // namespace ringside
