#include "tb/scenario/parameter_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "model/base/errors.h"
#include "tb/scenario/nearest.h"
#include "tb/scenario/need.h"
#include "tb/scenario/quantity.h"

namespace ringside {
namespace {

constexpr std::string_view kPartsPerMillion = "ppm";  // numbers in this unit may be written as "0.2 %"

constexpr std::string_view kAny = "any";

std::string range_text(std::uint64_t low, std::uint64_t high, const std::function<std::string(std::uint64_t)>& print) {
  constexpr auto unlimited = ~std::uint64_t{0};
  if (high == unlimited) return low == 0 ? std::string(kAny) : "at least " + print(low);
  return print(low) + " to " + print(high);
}

// Visits parameters, gives each its value if one is stated, and lists it.
class Applier final : public ParameterVisitor {
 public:
  using Lookup = std::function<const RawValue*(std::string_view)>;
  using MissingPlace = std::function<std::string(std::string_view)>;

  // Without `missing_place`, required parameters may stay without a value.
  Applier(Lookup lookup, MissingPlace missing_place) : lookup_(std::move(lookup)), missing_place_(std::move(missing_place)) {}

  ParameterSet take() {
    for (const std::string& name : absent_) set_.remove(name);
    return std::move(set_);
  }

  void number(const ParameterInfo& info, Origin origin, std::uint64_t& value, std::uint64_t low,
              std::uint64_t high) override {
    const auto print = [](std::uint64_t n) { return fmt::format("{}", n); };
    const auto range = range_text(low, high, print);
    const auto allowed = info.unit.empty() || range == kAny ? range : fmt::format("{} {}", range, info.unit);
    apply(info, origin, "number", "a whole number, " + allowed + ",", value, [&](const RawValue& raw) {
      const auto number = number_in(raw, info);
      if (number && (*number < low || *number > high)) throw out_of_range(info, raw, print(*number), allowed);
      return number;
    });
    set_allowed(allowed);
  }

  void flag(const ParameterInfo& info, Origin origin, bool& value) override {
    apply(info, origin, "flag", "true or false", value, [](const RawValue& raw) -> std::optional<bool> {
      if (const auto* truth = std::get_if<bool>(&raw.value)) return *truth;
      const auto* text = std::get_if<std::string>(&raw.value);
      if (text == nullptr || raw.layer != Layer::command_line) return std::nullopt;
      if (*text == "true" || *text == "on") return true;
      if (*text == "false" || *text == "off") return false;
      return std::nullopt;
    });
    set_allowed("true, false");
  }

  void text(const ParameterInfo& info, Origin origin, std::string& value) override {
    apply(info, origin, "text", "a string", value, text_in);
    set_allowed("any text");
  }

  void choice(const ParameterInfo& info, Origin origin, std::string& value,
              std::span<const std::string_view> allowed) override {
    const auto names = fmt::format("{}", fmt::join(allowed, ", "));
    apply(info, origin, "choice", "one of " + names, value, [&](const RawValue& raw) {
      const auto chosen = text_in(raw);
      if (chosen && std::find(allowed.begin(), allowed.end(), *chosen) == allowed.end()) {
        const std::vector<std::string> candidates(allowed.begin(), allowed.end());
        throw InputError(fmt::format("{}: {} is \"{}\"; one of {} is allowed{}", raw.place.error_text, info.name, *chosen,
                                     names, did_you_mean(*chosen, candidates)));
      }
      return chosen;
    });
    set_allowed(names);
  }

  void list(const ParameterInfo& info, Origin origin, std::vector<std::string>& value) override {
    apply(info, origin, "list", "an array of strings", value, list_in);
    set_allowed("strings");
  }

  void table(const ParameterInfo& info, Origin origin, std::vector<CostStep>& value) override {
    const std::string allowed = "an array of { up_to = N, cost = N } with rising up_to";
    apply(info, origin, "cost table", allowed, value, [&](const RawValue& raw) -> std::optional<std::vector<CostStep>> {
      const auto* steps = std::get_if<std::vector<CostStep>>(&raw.value);
      if (steps == nullptr || steps->empty()) return std::nullopt;
      const auto not_rising = [](const CostStep& a, const CostStep& b) { return a.up_to >= b.up_to; };
      if (const auto at = std::adjacent_find(steps->begin(), steps->end(), not_rising); at != steps->end()) {
        throw out_of_range(info, raw, fmt::format("up_to = {} followed by {}", at->up_to, std::next(at)->up_to), allowed);
      }
      check_unit(info, raw);
      return *steps;
    });
    set_allowed("steps with rising up_to");
  }

  void time(const ParameterInfo& info, Origin origin, Time& value, Time low, Time high) override {
    quantity(info, origin, "time", Dimension::time, value.value, low.value, high.value);
  }
  void size(const ParameterInfo& info, Origin origin, Bytes& value, Bytes low, Bytes high) override {
    quantity(info, origin, "size", Dimension::size, value.value, low.value, high.value);
  }
  void frequency(const ParameterInfo& info, Origin origin, Frequency& value, Frequency low, Frequency high) override {
    quantity(info, origin, "frequency", Dimension::frequency, value.value, low.value, high.value);
  }
  void bandwidth(const ParameterInfo& info, Origin origin, Bandwidth& value, Bandwidth low, Bandwidth high) override {
    quantity(info, origin, "bandwidth", Dimension::bandwidth, value.value, low.value, high.value);
  }
  void packet_rate(const ParameterInfo& info, Origin origin, PacketRate& value, PacketRate low, PacketRate high) override {
    quantity(info, origin, "packet rate", Dimension::packet_rate, value.value, low.value, high.value);
  }

 private:
  // `convert` returns nullopt for a wrong type, and throws for anything more particular.
  template <class T, class Convert, class Show>
  void apply(const ParameterInfo& info, Origin origin, std::string_view type, const std::string& allowed, T& value,
             const Convert& convert, const Show& show) {
    Setting setting{std::string(info.name), std::string(type), std::string(info.unit), std::string(info.help), allowed,
                    origin == Origin::required, show(value), show(value), Layer::default_value, {}, std::string(info.source),
                    needs_of(info)};
    if (const auto* raw = lookup_(info.name)) {
      const auto converted = convert(*raw);
      if (!converted) {
        throw InputError(fmt::format("{}: {} is {}; {} is allowed", raw->place.error_text, info.name, describe(*raw), allowed));
      }
      value = *converted;
      setting.value = show(value);
      setting.layer = raw->layer;
      setting.place = raw->place;
      setting.source = raw->source;
    } else if (setting.required && missing_place_) {
      absent_.push_back(setting.name);
      if (has_effect(setting)) throw InputError(fmt::format("{}: no value for {} ({}); {} is required", missing_place_(info.name), info.name,
                                                     info.help, allowed));
    }
    set_.add(std::move(setting));
  }

  template <class T, class Convert>
  void apply(const ParameterInfo& info, Origin origin, std::string_view type, const std::string& allowed, T& value,
             const Convert& convert) {
    apply(info, origin, type, allowed, value, convert, [](const T& v) { return SettingValue(v); });
  }

  void quantity(const ParameterInfo& info, Origin origin, std::string_view type, Dimension dimension, std::uint64_t& value,
                std::uint64_t low, std::uint64_t high) {
    const auto print = [&](std::uint64_t n) { return format_quantity(n, dimension); };
    const auto allowed = range_text(low, high, print);
    const auto convert = [&](const RawValue& raw) {
      const auto converted = quantity_in(raw, info, dimension);
      if (converted && (*converted < low || *converted > high)) throw out_of_range(info, raw, print(*converted), allowed);
      return converted;
    };
    apply(info, origin, type, fmt::format("a {} with its unit, {},", type, allowed), value, convert,
          [&](std::uint64_t v) { return SettingValue(print(v)); });
    set_.last().unit.clear();
    set_allowed(allowed);
  }

  std::vector<Need> needs_of(const ParameterInfo& info) const {
    std::vector<Need> needs;
    if (!need_of_all().state.parameter.empty()) needs.push_back(need_of_all());
    std::copy_if(info.needs.begin(), info.needs.end(), std::back_inserter(needs),
                 [](const Need& need) { return !need.state.parameter.empty(); });
    return needs;
  }

  // As far as the parameters tell that were visited before.
  bool has_effect(const Setting& setting) const {
    return std::all_of(setting.needs.begin(), setting.needs.end(), [this](const Need& need) { return met(need, set_); });
  }

  void set_allowed(std::string allowed) { set_.last().allowed = std::move(allowed); }

  static InputError out_of_range(const ParameterInfo& info, const RawValue& raw, const std::string& found,
                                 const std::string& allowed) {
    return InputError(fmt::format("{}: {} is {}; {} is allowed", raw.place.error_text, info.name, found, allowed));
  }

  static void check_unit(const ParameterInfo& info, const RawValue& raw) {
    if (raw.unit.empty() || raw.unit == info.unit) return;
    throw InputError(fmt::format("{}: {} has the unit \"{}\"; \"{}\" is allowed", raw.place.error_text, info.name, raw.unit,
                                 info.unit));
  }

  // A whole number; "12 cycles" and, in parts per million, "0.2 %" are numbers too.
  static std::optional<std::uint64_t> number_in(const RawValue& raw, const ParameterInfo& info) {
    check_unit(info, raw);
    if (const auto* number = std::get_if<std::int64_t>(&raw.value)) {
      if (*number < 0) throw out_of_range(info, raw, fmt::format("{}", *number), "a whole number of at least 0");
      return static_cast<std::uint64_t>(*number);
    }
    const auto* text = std::get_if<std::string>(&raw.value);
    if (text == nullptr) return std::nullopt;
    const auto digits = std::min(text->find_first_not_of("0123456789."), text->size());
    const auto unit_at = std::min(text->find_first_not_of(' ', digits), text->size());
    const auto unit = text->substr(unit_at);
    const bool bare = unit.empty() && raw.layer == Layer::command_line;
    const bool percent = unit == "%" && info.unit == kPartsPerMillion;
    if (digits == 0 || (!bare && !percent && (unit.empty() || unit != info.unit))) return std::nullopt;
    return at_place(info, raw, [&] { return scaled_decimal(text->substr(0, digits), percent ? 10'000 : 1, info.unit); });
  }

  static std::optional<std::uint64_t> quantity_in(const RawValue& raw, const ParameterInfo& info, Dimension dimension) {
    std::string text;
    if (const auto* number = std::get_if<std::int64_t>(&raw.value)) {
      text = fmt::format("{}", *number);
    } else if (const auto* decimal = std::get_if<Decimal>(&raw.value)) {
      text = decimal->digits;
    } else if (const auto* string = std::get_if<std::string>(&raw.value)) {
      text = *string;
    } else {
      return std::nullopt;
    }
    if (!std::holds_alternative<std::string>(raw.value) && !raw.unit.empty()) text += " " + raw.unit;
    return at_place(info, raw, [&] { return parse_quantity(text, dimension); });
  }

  template <class Parse>
  static std::uint64_t at_place(const ParameterInfo& info, const RawValue& raw, const Parse& parse) {
    try {
      return parse();
    } catch (const QuantityError& error) {
      throw InputError(fmt::format("{}: {}: {}", raw.place.error_text, info.name, error.what()));
    }
  }

  static std::optional<std::string> text_in(const RawValue& raw) {
    if (const auto* text = std::get_if<std::string>(&raw.value)) return *text;
    return std::nullopt;
  }

  // On the command line a list may be written with spaces between its elements.
  static std::optional<std::vector<std::string>> list_in(const RawValue& raw) {
    if (const auto* list = std::get_if<std::vector<std::string>>(&raw.value)) return *list;
    const auto* text = std::get_if<std::string>(&raw.value);
    if (text == nullptr || raw.layer != Layer::command_line) return std::nullopt;
    std::vector<std::string> list;
    for (std::size_t at = 0; (at = text->find_first_not_of(' ', at)) != std::string::npos;) {
      const auto end = std::min(text->find(' ', at), text->size());
      list.push_back(text->substr(at, end - at));
      at = end;
    }
    return list;
  }

  Lookup lookup_;
  MissingPlace missing_place_;
  ParameterSet set_;
  std::vector<std::string> absent_;  // required by what the board is not
};

void reject_unknown_keys(const ParameterSet& known, const std::vector<RawValues>& layers) {
  std::vector<std::string> names;
  for (const auto& setting : known.all()) names.push_back(setting.name);
  for (const auto& layer : layers) {
    for (const auto& [key, raw] : layer) {
      if (known.find(key) != nullptr) continue;
      throw InputError(fmt::format("{}: unknown key {}; the keys that `ringside params` lists are allowed{}",
                                   raw.place.error_text, key, did_you_mean(key, names)));
    }
  }
}

}  // namespace

std::string to_text(const SettingValue& value) {
  struct Printer {
    std::string operator()(std::uint64_t v) const { return fmt::format("{}", v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const std::vector<std::string>& v) const { return fmt::format("{}", fmt::join(v, " ")); }
    std::string operator()(const std::vector<CostStep>& v) const {
      std::string text;
      for (const auto& step : v) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", step.up_to, step.cost);
      return text;
    }
  };
  return std::visit(Printer{}, value);
}

const Setting* ParameterSet::find(std::string_view name) const {
  const auto at = std::find_if(settings_.begin(), settings_.end(), [&](const Setting& s) { return s.name == name; });
  return at == settings_.end() ? nullptr : &*at;
}

std::string ParameterSet::place_of(std::string_view name) const {
  const auto* setting = find(name);
  if (setting == nullptr || setting->layer == Layer::default_value) return fmt::format("{} (default)", name);
  return setting->place.error_text;
}

std::string ParameterSet::placed(const std::string& message) const {
  const Setting* given = nullptr;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find_first_of(" ,:", begin), message.size());
    const Setting* const setting = find(message.substr(begin, end - begin));
    if (setting == nullptr) break;
    if (given == nullptr || setting->layer > given->layer) given = setting;
    if (message.compare(end, 2, ", ") != 0) break;
    begin = end + 2;
  }
  return given == nullptr ? message : fmt::format("{}: {}", place_of(given->name), message);
}

ParameterSet list_parameters(const VisitAll& visit) {
  Applier applier([](std::string_view) { return nullptr; }, nullptr);
  visit(applier);
  return applier.take();
}

ParameterSet apply_values(const VisitAll& visit, const std::vector<RawValues>& layers,
                          const std::function<std::string(std::string_view name)>& missing_place) {
  reject_unknown_keys(list_parameters(visit), layers);
  const auto latest = [&](std::string_view name) -> const RawValue* {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      if (const auto at = layer->find(name); at != layer->end()) return &at->second;
    }
    return nullptr;
  };
  Applier applier(latest, missing_place);
  visit(applier);
  return applier.take();
}

}  // namespace ringside
