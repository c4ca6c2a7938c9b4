// Statistics: a module registers plain integers once, with name, unit and description; writers format them elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

struct Statistic {
  std::string name;         // the Linux name where there is one: "rx_discards_phy"
  std::string unit;         // "packets", "bytes", "events", "ps", ...
  std::string description;  // one sentence
  const std::uint64_t* value;
};

// Keeps registration order. The registered integers must outlive it.
class Statistics {
 public:
  void add(std::string name, std::string unit, const std::uint64_t& value, std::string description) {
    all_.push_back({std::move(name), std::move(unit), std::move(description), &value});
  }
  const std::vector<Statistic>& all() const { return all_; }

 private:
  std::vector<Statistic> all_;
};

}  // namespace ringside
