#include "tb/manual/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "tb/reproduce/reference_table.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

void add(Completion& completion, const std::vector<std::string>& texts) {
  for (const auto& text : texts) completion.candidates.push_back({text, ""});
}

// The values of a parameter, each after `prefix` ("driver.compiler=").
void add_values(Completion& completion, const Setting& setting, const std::string& prefix, const fs::path& data) {
  std::vector<std::string> values;
  for (const auto& rule : data_files()) {
    if (rule.selector != setting.name) continue;
    const auto more = toml_names(data / rule.folder);
    values.insert(values.end(), more.begin(), more.end());
  }
  if (setting.name == "driver.xdp") values = xdp_programs();
  if (setting.type == "flag") values = {"true", "false"};
  if (setting.type == "choice") {
    for (std::size_t at = 0; at < setting.allowed.size();) {
      const auto comma = std::min(setting.allowed.find(", ", at), setting.allowed.size());
      values.push_back(setting.allowed.substr(at, comma - at));
      at = comma + 2;
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const auto& value : values) completion.candidates.push_back({prefix + value, ""});
}

// KEY=VALUE: areas first, then keys, then values where there is a list of them.
void add_settings(Completion& completion, const std::string& word, const fs::path& data) {
  const auto scenario = load_scenario("", {}, data);
  const auto equals = word.find('=');
  if (equals != std::string::npos) {
    const Setting* setting = scenario.settings.find(word.substr(0, equals));
    if (setting != nullptr) add_values(completion, *setting, word.substr(0, equals + 1), data);
    return;
  }
  std::vector<std::string> areas;
  const bool in_area = word.find('.') != std::string::npos;
  for (const auto& setting : scenario.settings.all()) {
    const std::string area = setting.name.substr(0, setting.name.find('.') + 1);
    if (in_area) {
      completion.candidates.push_back({setting.name + "=", setting.help});
    } else if (std::find(areas.begin(), areas.end(), area) == areas.end()) {
      areas.push_back(area);
    }
  }
  add(completion, areas);
}

void add_areas(Completion& completion, const fs::path& data) { add_settings(completion, "", data); }

// What may stand for `argument`. Names of values say what they are; those that say nothing here are files.
void add_argument(Completion& completion, const ArgumentHelp& argument, const std::string& word, const fs::path& data) {
  const std::string& value = argument.value;
  if (!argument.choices.empty()) return add(completion, argument.choices);
  if (value == "KEY=VALUE") return add_settings(completion, word, data);
  if (value == "FILTER") return add_areas(completion, data);
  if (value == "N" || value == "REASON") return;
  if (value == "SCENARIO") add(completion, toml_names(data / "scenarios"));
  if (value == "TABLE") {
    add(completion, reference_names(data));
    return;
  }
  completion.paths = value == "FOLDER" ? Paths::folders : Paths::files;
}

void add_options(Completion& completion, const CommandHelp& command, const std::vector<std::string>& used) {
  for (const auto& argument : command.arguments) {
    for (const auto& name : argument.names) {
      const bool again = std::find(used.begin(), used.end(), name) != used.end();
      if (name.starts_with("--") && (argument.repeatable || !again)) completion.candidates.push_back({name, argument.help});
    }
  }
}

const ArgumentHelp* option_of(const CommandHelp& command, const std::string& word) {
  const auto at = std::find_if(command.arguments.begin(), command.arguments.end(), [&](const ArgumentHelp& a) {
    return std::find(a.names.begin(), a.names.end(), word) != a.names.end();
  });
  return at == command.arguments.end() ? nullptr : &*at;
}

// The positional argument that follows `before` others; the last one may stand for many.
const ArgumentHelp* positional_of(const CommandHelp& command, std::size_t before) {
  const ArgumentHelp* last = nullptr;
  for (const auto& argument : command.arguments) {
    if (!argument.positional()) continue;
    last = &argument;
    if (before-- == 0) return last;
  }
  return last != nullptr && last->repeatable ? last : nullptr;
}

Completion complete_arguments(const CommandHelp& command, const std::vector<std::string>& words, const fs::path& data) {
  Completion completion;
  const std::string& word = words.back();
  const ArgumentHelp* pending = nullptr;  // an option whose value comes next
  std::size_t positionals = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool was_value = pending != nullptr;
    pending = nullptr;
    if (was_value) continue;
    if (!words[i].starts_with("-")) {
      ++positionals;
    } else if (const ArgumentHelp* option = option_of(command, words[i]); option != nullptr && !option->value.empty()) {
      pending = option;
    }
  }
  if (pending != nullptr) {
    add_argument(completion, *pending, word, data);
  } else if (word.starts_with("-")) {
    add_options(completion, command, words);
  } else if (const ArgumentHelp* argument = positional_of(command, positionals)) {
    add_argument(completion, *argument, word, data);
  }
  return completion;
}

}  // namespace

Completion complete(const CommandHelp& program, const std::vector<std::string>& words, const fs::path& data) {
  Completion completion;
  if (words.empty()) return completion;
  if (words.size() > 1) {
    const CommandHelp* command = program.find(words.front());
    if (command != nullptr) completion = complete_arguments(*command, {words.begin() + 1, words.end()}, data);
  } else if (words.front().starts_with("-")) {
    add_options(completion, program, {});
  } else {
    for (const auto& command : program.commands) completion.candidates.push_back({command.name, command.about});
  }
  std::erase_if(completion.candidates, [&](const Candidate& c) { return !c.text.starts_with(words.back()); });
  return completion;
}

std::string completion_text(const Completion& completion) {
  std::string text;
  for (const auto& [candidate, help] : completion.candidates) {
    text += help.empty() ? candidate + "\n" : fmt::format("{}\t{}\n", candidate, help);
  }
  if (completion.paths != Paths::none) text += completion.paths == Paths::files ? ":files\n" : ":folders\n";
  return text;
}

}  // namespace ringside
