#include "tb/log/verdict_book.h"

namespace ringside {

void VerdictBook::delivered(std::uint64_t packet) {
  ++open_;
  waiting_.push_back(packet);
  if (waiting_.size() >= kMostWaiting) give_up();
}

void VerdictBook::ended(std::uint64_t name, std::uint64_t count) {
  unclear_ = unclear_ || count > open_ || (name_ && *name_ != name);
  name_ = name;
  open_ -= count < open_ ? count : open_;
  if (open_ != 0) return;
  decide(unclear_ ? std::nullopt : name_);
  name_.reset();
  unclear_ = false;
}

void VerdictBook::decide(std::optional<std::uint64_t> verdict) {
  for (const std::uint64_t packet : waiting_) listener_.decided(packet, verdict);
  waiting_.clear();
}

}  // namespace ringside
