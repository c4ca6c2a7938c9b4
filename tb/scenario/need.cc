#include "tb/scenario/need.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/errors.h"

namespace ringside {
namespace {

constexpr std::string_view kSeparator = ", ";

std::vector<std::string_view> values_of(const ParameterState& state) {
  std::vector<std::string_view> values;
  for (std::size_t at = 0; at <= state.values.size();) {
    const std::size_t end = std::min(state.values.find(kSeparator, at), state.values.size());
    values.push_back(state.values.substr(at, end - at));
    at = end + kSeparator.size();
  }
  return values;
}

bool there(const ParameterState& state, const ParameterSet& parameters) {
  const auto* setting = parameters.find(state.parameter);
  if (setting == nullptr) return true;
  const auto values = values_of(state);
  return (std::find(values.begin(), values.end(), to_text(setting->value)) != values.end()) == state.is;
}

// The states of a need: one or two.
std::vector<ParameterState> states_of(const Need& need) {
  std::vector<ParameterState> states{need.state};
  if (!need.or_else.parameter.empty()) states.push_back(need.or_else);
  return states;
}

std::string in_quotes(std::string_view value) {
  const bool word = value == "true" || value == "false" || value.find_first_not_of("0123456789") == std::string_view::npos;
  return word ? std::string(value) : fmt::format("\"{}\"", value);
}

std::string text_of(const ParameterState& state) {
  if (state.values.empty()) return fmt::format("{} {}", state.is ? "no" : "a", state.parameter);
  const auto values = values_of(state);
  std::string text = fmt::format("{} {}", state.parameter, state.is ? "= " : "other than ");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 < values.size() ? ", " : " or ";
    text += in_quotes(values[i]);
  }
  return text;
}

// What a parameter that a need looks at is now.
std::string found_text(const Setting& setting) {
  const std::string value = to_text(setting.value);
  return value.empty() ? fmt::format("no {}", setting.name) : fmt::format("{} = {}", setting.name, in_quotes(value));
}

// Whether a layer above that of the setting says something about what the need looks at.
bool decided_later(const Need& need, const ParameterSet& parameters, Layer layer) {
  const auto states = states_of(need);
  return std::any_of(states.begin(), states.end(), [&](const ParameterState& state) {
    const auto* other = parameters.find(state.parameter);
    return other != nullptr && other->layer > layer;
  });
}

void refuse(const Setting& setting, const Need& need, const ParameterSet& parameters) {
  std::string found;
  for (const ParameterState& state : states_of(need)) {
    found += fmt::format("{}{}", found.empty() ? "" : " and ", found_text(*parameters.find(state.parameter)));
  }
  throw InputError(fmt::format("{}: {} has no effect with {}; allowed with {}", setting.place.error_text, setting.name, found,
                               to_text(need)));
}

}  // namespace

bool met(const Need& need, const ParameterSet& parameters) {
  const auto states = states_of(need);
  return std::any_of(states.begin(), states.end(), [&](const ParameterState& state) { return there(state, parameters); });
}

std::string to_text(const Need& need) {
  std::string text;
  for (const ParameterState& state : states_of(need)) text += (text.empty() ? "" : ", or ") + text_of(state);
  return text;
}

std::string needs_text(const Setting& setting) {
  std::string text;
  for (const Need& need : setting.needs) text += (text.empty() ? "" : "; ") + to_text(need);
  return text;
}

void check_needs(const ParameterSet& parameters) {
  for (const Setting& setting : parameters.all()) {
    if (setting.layer != Layer::scenario && setting.layer != Layer::command_line) continue;
    for (const Need& need : setting.needs) {
      if (!met(need, parameters) && !decided_later(need, parameters, setting.layer)) refuse(setting, need, parameters);
    }
  }
}

}  // namespace ringside
