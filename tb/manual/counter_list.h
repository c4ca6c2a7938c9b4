// Every counter that a report can hold, found by running each driver.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

struct ListedCounter {
  std::string group;
  std::string name;
  std::string unit;
  std::string description;
  std::vector<std::string> drivers;  // whose reports hold it
};

// Runs `program` for one packet of a scenario of each driver: the first one with TCP, which has the counters of the stack and
// of the peer, else the first one. In the order of the reports. Throws InputError if a run fails.
std::vector<ListedCounter> list_counters(const std::filesystem::path& data, const std::filesystem::path& program);

}  // namespace ringside
