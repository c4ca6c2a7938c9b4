// Reads value change dumps (IEEE 1364, clause 18) as far as SystemC writes them.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ringside::test {

class VcdFile {
 public:
  explicit VcdFile(const std::string& text) : stream_(text) {
    std::string word;
    while (error_.empty() && stream_ >> word) {
      if (word[0] == '$') declaration(word);
      else if (word[0] == '#') time(word);
      else change(word);
    }
    if (!defined_) fail("no $enddefinitions");
  }

  const std::string& error() const { return error_; }
  std::uint64_t first_change() const { return first_; }  // after the initial values
  std::uint64_t last_change() const { return last_; }
  std::uint64_t changes(const std::string& signal) const {
    const auto known = codes_.find("SystemC." + signal);
    return known == codes_.end() ? 0 : counts_.at(known->second);
  }

 private:
  void fail(const std::string& what) {
    if (error_.empty()) error_ = what;
  }

  std::string to_end() {
    std::string word, all;
    while (stream_ >> word && word != "$end") all += word + ' ';
    if (word != "$end") fail("a section without $end");
    return all;
  }

  void declaration(const std::string& word) {
    if (word == "$dumpvars") {
      initial_ = true;
    } else if (word == "$end") {
      initial_ = false;
    } else {
      const std::string body = to_end();
      std::istringstream words(body);
      if (word == "$scope") {
        std::string kind, name;
        words >> kind >> name;
        scope_.push_back(name);
      } else if (word == "$upscope") {
        if (scope_.empty()) return fail("$upscope without $scope");
        scope_.pop_back();
      } else if (word == "$var") {
        variable(words);
      } else if (word == "$enddefinitions") {
        defined_ = true;
        if (!scope_.empty()) fail("a scope is open");
      } else if (word == "$timescale" && body != "1 ps ") {
        fail("timescale " + body);
      }
    }
  }

  void variable(std::istringstream& words) {
    std::string kind, code, name, full;
    unsigned width = 0;
    words >> kind >> width >> code >> name;
    for (const auto& scope : scope_) full += scope + '.';
    if (kind != "wire" || width == 0 || widths_.contains(code)) return fail("variable " + name);
    widths_[code] = width;
    codes_[full + name] = code;
    counts_[code] = 0;
  }

  void time(const std::string& word) {
    const std::uint64_t at = std::stoull(word.substr(1));
    if (at < now_) fail("time falls at " + word);
    now_ = at;
  }

  void change(const std::string& word) {
    std::string value = word.substr(0, 1), code = word.substr(1);
    if (word[0] == 'b') {
      value = word.substr(1);
      stream_ >> code;
    }
    const auto known = widths_.find(code);
    if (!defined_ || known == widths_.end() || value.find_first_not_of("01") != std::string::npos || value.size() > known->second) {
      return fail("change " + word);
    }
    if (initial_) return;
    ++counts_[code];
    if (first_ == 0) first_ = now_;
    last_ = now_;
  }

  std::istringstream stream_;
  std::vector<std::string> scope_;
  std::map<std::string, std::string> codes_;  // by full name
  std::map<std::string, unsigned> widths_;    // by code
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t now_ = 0, first_ = 0, last_ = 0;
  bool defined_ = false, initial_ = false;
  std::string error_;
};

}  // namespace ringside::test
