// What the counters of a guest mean. Guests publish names and numbers; unit and description are in driver/counters.toml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ringside {

class CounterGuide {
 public:
  struct Entry {
    std::string unit;
    std::string description;
  };

  // A file that does not exist describes nothing. Throws InputError for one that is damaged.
  explicit CounterGuide(const std::filesystem::path& file);

  // Of "q1_rx_pkt_n" what the file says about "qN_rx_pkt_n". A guest of the user's may count what the file does not know.
  const Entry& of(std::string_view counter) const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
  Entry unknown_{"", "Counted by the guest."};
};

}  // namespace ringside
