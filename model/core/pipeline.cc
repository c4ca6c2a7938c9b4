#include "model/core/pipeline.h"

#include "model/core/pipeline_state.h"

namespace ringside {

Pipeline::Pipeline(const CoreConfig& config, CorePort& memory) : state_(std::make_unique<State>(config, memory)) {}
Pipeline::~Pipeline() = default;

void Pipeline::run(Block& block, std::span<const Access> accesses, std::uint64_t next_address) {
  state_->run(block, accesses, next_address);
}

Cycle Pipeline::run_to_mmio(Block& block, std::span<const Access> accesses) {
  return state_->run_to_mmio(block, accesses);
}

void Pipeline::finish_mmio(Cycle done) { state_->mmio_done = done.value; }

Cycle Pipeline::front() const {
  return {std::max(state_->dispatching.next(state_->dispatch_width), state_->front_ready)};
}

Cycle Pipeline::retired() const { return {state_->retiring.cycle()}; }

void Pipeline::sleep(Cycle until) {
  State& s = *state_;
  if (until.value <= s.retiring.cycle()) return;
  if (s.latest != nullptr)
    s.latest->cycles[static_cast<std::size_t>(StallReason::idle)] += until.value - s.retiring.cycle();
  s.delay.limit(0, 0);
  s.retiring.wait(until.value);
  s.dispatching.wait(until.value);
}

void Pipeline::occupy(Cycle cycles) {
  State& s = *state_;
  if (cycles.value == 0) return;
  s.front_ready = std::max(s.front_ready, s.dispatching.cycle()) + cycles.value;
  s.front_reason = StallReason::residual;
}

void Pipeline::count_cycles_in(std::uint64_t& account) { state_->account = &account; }

const PipelineCounts& Pipeline::counts() const { return state_->counts; }
void Pipeline::reset_counts() { state_->counts = {}; }

}  // namespace ringside
