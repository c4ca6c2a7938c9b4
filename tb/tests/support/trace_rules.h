// What importers of Chrome's JSON traces insist on, checked event by event.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ringside::test {

// Times do not fall; each beginning has its end on the same thread, not before it; threads have names; counters are not negative;
// an arrow begins once, inside a slice, goes on inside slices and ends once inside one.
class TraceRules {
 public:
  explicit TraceRules(const nlohmann::json& trace) {
    for (const auto& event : trace.at("traceEvents")) look_at(event);
    for (const auto& [thread, begun] : open_) {
      if (!begun.empty()) complain("a slice without an end on thread " + std::to_string(thread.second));
    }
    for (const auto& [id, state] : arrows_) {
      if (state != "f") complain("an arrow without an end: " + std::to_string(id));
    }
  }

  const std::vector<std::string>& broken() const { return broken_; }
  std::size_t arrows() const { return arrows_.size(); }
  std::size_t slices(const std::string& thread) const {
    std::size_t sum = 0;
    for (const auto& [key, count] : slices_) sum += names_.contains(key) && names_.at(key) == thread ? count : 0;
    return sum;
  }
  // Of threads with this name, arrows that end there.
  std::size_t arrow_ends(const std::string& thread) const {
    std::size_t sum = 0;
    for (const auto& [key, count] : ends_) sum += names_.contains(key) && names_.at(key) == thread ? count : 0;
    return sum;
  }

 private:
  using Thread = std::pair<std::uint64_t, std::uint64_t>;

  void complain(const std::string& what) {
    if (broken_.size() < 10) broken_.push_back(what);
  }

  void look_at(const nlohmann::json& e) {
    const std::string phase = e.at("ph");
    const Thread thread{e.at("pid").get<std::uint64_t>(), e.value("tid", std::uint64_t{0})};
    if (phase == "M") {
      if (e.at("name") == "thread_name") names_[thread] = e.at("args").at("name");
      return;
    }
    const double at = e.at("ts");
    if (at < last_) complain("time falls: " + e.dump());
    last_ = at;
    if (phase == "C") return check_counter(e);
    if (!names_.contains(thread)) complain("a thread without a name: " + e.dump());
    auto& begun = open_[thread];
    if (phase == "B") {
      if (!e.at("name").is_string()) complain("no name: " + e.dump());
      begun.push_back(at);
      ++slices_[thread];
    } else if (phase == "E") {
      if (begun.empty() || begun.back() > at) complain("an end without a beginning: " + e.dump());
      if (!begun.empty()) begun.pop_back();
    } else if (phase == "s" || phase == "t" || phase == "f") {
      check_arrow(e, phase, begun.empty());
      if (phase == "f") ++ends_[thread];
    } else if (phase != "i") {
      complain("an unknown phase: " + e.dump());
    }
  }

  void check_counter(const nlohmann::json& e) {
    for (const auto& [series, value] : e.at("args").items()) {
      if (!value.is_number_unsigned()) complain("a counter below zero: " + e.dump());
    }
  }

  void check_arrow(const nlohmann::json& e, const std::string& phase, bool outside) {
    std::string& state = arrows_[e.at("id").get<std::uint64_t>()];
    const bool in_turn = phase == "s" ? state.empty() : state == "s" || state == "t";
    if (!in_turn || outside) complain("an arrow out of place: " + e.dump());
    state = phase;
  }

  double last_ = 0;
  std::map<Thread, std::string> names_;
  std::map<Thread, std::vector<double>> open_;
  std::map<Thread, std::size_t> slices_, ends_;
  std::map<std::uint64_t, std::string> arrows_;
  std::vector<std::string> broken_;
};

inline std::vector<std::string> broken_rules(const nlohmann::json& trace) { return TraceRules(trace).broken(); }

}  // namespace ringside::test
