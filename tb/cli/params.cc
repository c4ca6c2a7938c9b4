#include <fmt/format.h>
#include <fmt/ostream.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/need.h"

namespace ringside::cli {
namespace {

std::string value_text(const Setting& setting) {
  const auto text = to_text(setting.value);
  if (text.empty()) return "(empty)";
  return setting.unit.empty() ? text : fmt::format("{} {}", text, setting.unit);
}

// Where the shown value comes from: the layer if it is no default, and the document behind it.
std::string source_text(const Setting& setting) {
  if (setting.layer == Layer::default_value) return setting.source;
  if (setting.source.empty()) return setting.place.report_text;
  return fmt::format("{} ({})", setting.source, setting.place.report_text);
}

void print_plain(std::ostream& out, const Setting& setting) {
  fmt::print(out, "{} = {}\n    {}\n", setting.name, value_text(setting), setting.help);
  if (!setting.needs.empty()) fmt::print(out, "    has an effect with {}\n", needs_text(setting));
  fmt::print(out, "    {}, {}; source: {}\n", setting.type, setting.allowed, source_text(setting));
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

void print_markdown(std::ostream& out, const Setting& setting) {
  fmt::print(out, "| `{}` | {} | {} | {} | {} | {} | {} |\n", setting.name, setting.type, escaped(value_text(setting)),
             escaped(setting.allowed), escaped(setting.help), escaped(needs_text(setting)),
             escaped(source_text(setting)));
}

}  // namespace

int params(const ParamsOptions& options, std::ostream& out) {
  const auto scenario = load_scenario("", options.overrides, data_directory());
  if (options.markdown) out << "| Parameter | Type | Value | Allowed | Meaning | Has an effect with | Source |\n|---|---|---|---|---|---|---|\n";
  bool found = false;
  for (const auto& setting : scenario.settings.all()) {
    const bool wanted = setting.name.find(options.filter) != std::string::npos ||
                        setting.help.find(options.filter) != std::string::npos;
    if (!wanted) continue;
    found = true;
    options.markdown ? print_markdown(out, setting) : print_plain(out, setting);
  }
  if (!found) {
    throw InputError(fmt::format("{}: no parameter has this in its name or help; part of a name such as \"cpu.\" is allowed",
                                 options.filter));
  }
  return kExitOk;
}

}  // namespace ringside::cli
