// Parameters: each is declared in one line where it is used, and from that line come the parser, the error message,
// `ringside params`, the effective configuration in the report and the reference page.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace ringside {

// What another parameter is, or is not: one of some values, as they are printed.
struct ParameterState {
  std::string_view parameter;
  std::string_view values;  // "tx, redirect"; "" is a text that is empty
  bool is = true;
};

// What a parameter needs to have any effect: one state, or another where there is a second one.
struct Need {
  ParameterState state;
  ParameterState or_else = {};
};

struct ParameterInfo {
  std::string_view name;    // dotted key, as in a scenario: "pcie.lanes"
  std::string_view unit;    // "entries", "cycles", "ns", ""; quantities name the unit they are printed in
  std::string_view source;  // where the default comes from; empty for hardware, whose data file says it
  std::string_view help;    // one sentence
  std::array<Need, 2> needs = {};  // all of them; those without a parameter need nothing
};

// One row of a cost table: amounts up to and including `up_to` cost `cost` (+ per-unit slope, see the user).
struct CostStep {
  std::uint64_t up_to;
  std::uint64_t cost;
  auto operator<=>(const CostStep&) const = default;
};

// Visits every parameter of a configuration. Implementations load values, print them, or dump them with provenance.
// The value passed in holds the default. Hardware parameters have none in code (`required`): a data file must supply those
// that have an effect.
class ParameterVisitor {
 public:
  enum class Origin { default_value, required };

  virtual void number(const ParameterInfo&, Origin, std::uint64_t& value, std::uint64_t low, std::uint64_t high) = 0;
  virtual void flag(const ParameterInfo&, Origin, bool& value) = 0;
  virtual void text(const ParameterInfo&, Origin, std::string& value) = 0;
  virtual void choice(const ParameterInfo&, Origin, std::string& value, std::span<const std::string_view> allowed) = 0;
  virtual void list(const ParameterInfo&, Origin, std::vector<std::string>& value) = 0;
  virtual void table(const ParameterInfo&, Origin, std::vector<CostStep>& value) = 0;
  virtual void time(const ParameterInfo&, Origin, Time& value, Time low, Time high) = 0;
  virtual void size(const ParameterInfo&, Origin, Bytes& value, Bytes low, Bytes high) = 0;
  virtual void frequency(const ParameterInfo&, Origin, Frequency& value, Frequency low, Frequency high) = 0;
  virtual void bandwidth(const ParameterInfo&, Origin, Bandwidth& value, Bandwidth low, Bandwidth high) = 0;
  virtual void packet_rate(const ParameterInfo&, Origin, PacketRate& value, PacketRate low, PacketRate high) = 0;

  // Every parameter that `visit` visits needs this, too.
  template <class Visit>
  void only_with(const Need& need, const Visit& visit) {
    const Need outer = std::exchange(need_of_all_, need);
    visit();
    need_of_all_ = outer;
  }

 protected:
  ~ParameterVisitor() = default;
  const Need& need_of_all() const { return need_of_all_; }

 private:
  Need need_of_all_;
};

}  // namespace ringside
