#include "model/core/predictor.h"

#include <algorithm>
#include <bit>

namespace ringside {
namespace {

// Odd constants with well-spread bits (fractions of the golden ratio and of square roots).
constexpr std::uint64_t kMixAddress = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kMixRecent = 0xd6e8feb86659fd93;
constexpr std::uint64_t kMixOlder = 0xa0761d6478bd642f;
constexpr unsigned kWord = 64;

constexpr std::uint64_t low_bits(unsigned count) { return count >= kWord ? ~0ULL : (1ULL << count) - 1; }

template <class Integer>
void saturate(Integer& counter, bool up, int low, int high) {
  if (up && counter < high) ++counter;
  if (!up && counter > low) --counter;
}

}  // namespace

Predictor::Predictor(const PredictorConfig& config)
    : bimodal_(std::bit_ceil(config.bimodal_entries)),
      loops_(std::bit_ceil(config.loop_entries)),
      last_target_(std::bit_ceil(config.indirect_entries)),
      returns_(std::bit_ceil(config.return_entries)),
      bimodal_mask_(static_cast<std::uint32_t>(bimodal_.size() - 1)),
      tagged_mask_(static_cast<std::uint32_t>(std::bit_ceil(config.tagged_entries) - 1)),
      loop_mask_(static_cast<std::uint32_t>(loops_.size() - 1)),
      target_mask_(static_cast<std::uint32_t>(last_target_.size() - 1)),
      return_mask_(static_cast<std::uint32_t>(returns_.size() - 1)) {
  for (auto& table : tagged_) table.resize(tagged_mask_ + 1ULL);
  for (auto& table : targets_) table.resize(target_mask_ + 1ULL);
}

inline Predictor::Slot Predictor::slot(std::uint64_t address, unsigned history, std::uint32_t mask) const {
  std::uint64_t mixed = (address + history) * kMixAddress ^ (history_[0] & low_bits(history)) * kMixRecent;
  if (history > kWord) mixed ^= (history_[1] & low_bits(history - kWord)) * kMixOlder;
  // The high bits of a product depend on all bits of its factors. An empty entry has tag 0; a real one never has.
  return {static_cast<std::uint32_t>(mixed >> 32) & mask, static_cast<std::uint16_t>((mixed >> 48 ^ mixed >> 20) | 1)};
}

inline void Predictor::remember(std::uint64_t bits, unsigned count) {
  history_[1] = history_[1] << count | history_[0] >> (kWord - count);
  history_[0] = history_[0] << count | (bits & low_bits(count));
}

inline Predictor::Loop& Predictor::loop_of(std::uint64_t address) {
  return loops_[static_cast<std::uint32_t>(address * kMixAddress >> 32) & loop_mask_];
}

bool Predictor::conditional(std::uint64_t address, bool taken) {
  Base& base = bimodal_[static_cast<std::uint32_t>(address * kMixAddress >> 40) & bimodal_mask_];
  const bool settled = base.same >= kSettled;
  if (settled && taken == base.last) {
    remember(taken ? 1 : 0, 1);
    return true;
  }
  base.same = taken == base.last ? static_cast<std::uint16_t>(base.same + 1) : 0;
  base.last = taken;
  const bool right = from_tables(address, taken, base);
  remember(taken ? 1 : 0, 1);
  return right && !settled;
}

bool Predictor::from_tables(std::uint64_t address, bool taken, Base& base) {
  bool alternate = base.counter >= 0;
  bool prediction = alternate;
  int provider = -1;
  for (unsigned i = 0; i < kTables; ++i) {
    slots_[i] = slot(address, kHistory[i], tagged_mask_);
    const Tagged& entry = tagged_[i][slots_[i].index];
    if (entry.tag != slots_[i].tag) continue;
    alternate = prediction;
    // An entry that has just been allocated knows less than the one it was to improve on.
    const bool fresh = entry.useful == 0 && (entry.counter == 0 || entry.counter == -1);
    prediction = fresh ? alternate : entry.counter >= 0;
    provider = static_cast<int>(i);
  }
  const Loop& loop = loop_of(address);
  const auto tag = static_cast<std::uint32_t>(address);
  const bool from_loop = loop_predicts(loop) && loop.tag == tag;
  const bool tables_right = prediction == taken;
  const bool final_prediction = from_loop ? (loop.current == loop.trips ? !loop.body : loop.body) : prediction;

  train_loop(address, taken, !tables_right);
  train_tables(provider, prediction, alternate, taken);
  if (provider < 0) saturate(base.counter, taken, -2, 1);
  return final_prediction == taken;
}

void Predictor::train_tables(int provider, bool prediction, bool alternate, bool taken) {
  if (provider >= 0) {
    Tagged& entry = tagged_[static_cast<unsigned>(provider)][slots_[static_cast<unsigned>(provider)].index];
    const bool own = entry.counter >= 0;
    if (own != alternate) saturate(entry.useful, own == taken, 0, 3);
    saturate(entry.counter, taken, -4, 3);
  }
  if (prediction == taken) return;
  // Wrong: give the branch a place with more history, and age the longer tables if they have none to spare.
  for (unsigned i = static_cast<unsigned>(provider + 1); i < kTables; ++i) {
    Tagged& entry = tagged_[i][slots_[i].index];
    if (entry.useful != 0) continue;
    entry = {slots_[i].tag, static_cast<std::int8_t>(taken ? 0 : -1), 0};
    return;
  }
  for (unsigned i = static_cast<unsigned>(provider + 1); i < kTables; ++i) {
    Tagged& entry = tagged_[i][slots_[i].index];
    if (entry.useful > 0) --entry.useful;
  }
}

void Predictor::train_loop(std::uint64_t address, bool taken, bool allocate) {
  constexpr std::uint16_t kLongest = 0xfff0;
  Loop& loop = loop_of(address);
  const auto tag = static_cast<std::uint32_t>(address);
  if (!loop.valid || loop.tag != tag) {
    // A wrong prediction by the tables is taken for the exit of a loop.
    if (!allocate) return;
    if (loop.valid && loop.confidence > 0) {
      --loop.confidence;
      return;
    }
    loop = {tag, 0, 0, 0, !taken, true};
    return;
  }
  if (taken == loop.body) {
    const bool longer = loop.trips != 0 && loop.current >= loop.trips;
    if (longer) loop.trips = loop.confidence = 0;
    if (++loop.current > kLongest) loop.valid = false;
    return;
  }
  if (loop.current == 0) {
    loop.valid = false;  // two exits in a row: no loop, or the other direction is its body
  } else if (loop.current == loop.trips) {
    saturate(loop.confidence, true, 0, 7);
  } else {
    loop.trips = loop.current;
    loop.confidence = 0;
  }
  loop.current = 0;
}

bool Predictor::indirect(std::uint64_t address, std::uint64_t target) {
  Target& last = last_target_[static_cast<std::uint32_t>(address * kMixAddress >> 40) & target_mask_];
  std::uint64_t prediction = last.target;
  int provider = -1;
  std::array<Slot, kTargetTables> slots{};
  for (unsigned i = 0; i < kTargetTables; ++i) {
    slots[i] = slot(address, kTargetHistory[i], target_mask_);
    const Target& entry = targets_[i][slots[i].index];
    if (entry.tag != slots[i].tag) continue;
    provider = static_cast<int>(i);
    prediction = entry.target;
  }
  const bool right = prediction == target;
  if (provider >= 0) {
    Target& entry = targets_[static_cast<unsigned>(provider)][slots[static_cast<unsigned>(provider)].index];
    if (entry.target == target)
      saturate(entry.confidence, true, 0, 3);
    else if (entry.confidence > 0)
      --entry.confidence;
    else
      entry.target = target;
  }
  last.target = target;
  if (!right && provider + 1 < static_cast<int>(kTargetTables)) {
    const auto next = static_cast<unsigned>(provider + 1);
    Target& entry = targets_[next][slots[next].index];
    if (entry.confidence > 0)
      --entry.confidence;
    else
      entry = {target, slots[next].tag, 0};
  }
  remember((target >> 2 ^ target >> 7) & 3, 2);
  return right;
}

void Predictor::call(std::uint64_t return_address) { returns_[++return_top_ & return_mask_] = return_address; }

bool Predictor::function_return(std::uint64_t target) { return returns_[return_top_-- & return_mask_] == target; }

}  // namespace ringside
