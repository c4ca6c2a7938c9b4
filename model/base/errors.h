// The two kinds of failure that a user sees.
#pragma once

#include <stdexcept>
#include <string>

#include "model/base/units.h"

namespace ringside {

// Bad input: one line for a person, "FILE:LINE: what was found; what is allowed". The program exits with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A broken rule inside the simulation: names the simulated time, the object and the rule. The program writes the
// partial report and exits with status 3.
class InvariantError : public std::runtime_error {
 public:
  InvariantError(Time at, const std::string& object, const std::string& rule);

  Time at() const { return at_; }
  const std::string& object() const { return object_; }
  const std::string& rule() const { return rule_; }

 private:
  Time at_;
  std::string object_;
  std::string rule_;
};

}  // namespace ringside
