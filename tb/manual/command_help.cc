#include "tb/manual/command_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

namespace ringside {
namespace {

constexpr std::string_view kExitStatus = "Exit status:";
constexpr std::size_t kTitleWords = 3;  // a line of more words that ends with a colon is a sentence

std::size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string trimmed(const std::string& line) {
  const auto begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

void join(std::string& text, const std::string& line) {
  if (!text.empty()) text += ' ';
  text += trimmed(line);
}

bool is_title(const std::string& line) {
  return line.ends_with(':') && static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) < kTitleWords;
}

// "Exit status: 0 done; 1 a check failed; 2 ...": a number after a semicolon begins the next one.
std::vector<ExitStatus> read_statuses(std::string text) {
  std::vector<ExitStatus> statuses;
  while (!text.empty()) {
    std::size_t end = 0;
    do {
      end = text.find("; ", end == 0 ? 0 : end + 2);
    } while (end != std::string::npos && std::isdigit(static_cast<unsigned char>(text[end + 2])) == 0);
    const std::string part = trimmed(text.substr(0, end));
    const auto space = part.find(' ');
    statuses.push_back({part.substr(0, space), space == std::string::npos ? "" : part.substr(space + 1)});
    text = end == std::string::npos ? "" : text.substr(end + 2);
  }
  return statuses;
}

HelpSection read_section(const std::vector<std::string>& lines) {
  HelpSection section{lines.front().substr(0, lines.front().size() - 1), {}};
  const std::size_t term_indentation = lines.size() > 1 ? indentation(lines[1]) : 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (indentation(lines[i]) <= term_indentation || section.items.empty()) {
      section.items.push_back({trimmed(lines[i]), ""});
    } else {
      join(section.items.back().meaning, lines[i]);
    }
  }
  return section;
}

HelpParagraph read_paragraph(const std::vector<std::string>& lines) {
  HelpParagraph paragraph;
  std::size_t code_indentation = std::string::npos;
  for (const auto& line : lines) {
    if (indentation(line) == 0) {
      join(paragraph.text, line);
    } else {
      code_indentation = std::min(code_indentation, indentation(line));
      paragraph.code.push_back(line);
    }
  }
  for (auto& line : paragraph.code) line.erase(0, code_indentation);
  return paragraph;
}

void read_block(const std::vector<std::string>& lines, CommandHelp& help) {
  if (lines.empty()) return;
  if (lines.front().starts_with(kExitStatus)) {
    std::string text;
    for (const auto& line : lines) join(text, line);
    help.statuses = read_statuses(trimmed(text.substr(kExitStatus.size())));
  } else if (is_title(lines.front()) && lines.size() > 1) {
    help.sections.push_back(read_section(lines));
  } else {
    help.notes.push_back(read_paragraph(lines));
  }
}

// CLI11 appends the values that a validator allows to the type: "FORMAT:{text,markdown,json}".
void read_type(const std::string& type, ArgumentHelp& help) {
  help.value = type.substr(0, type.find(':'));
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return;
  std::istringstream stream(type.substr(open + 1, close - open - 1));
  for (std::string choice; std::getline(stream, choice, ',');) help.choices.push_back(trimmed(choice));
}

ArgumentHelp argument_help(const CLI::Option& option) {
  ArgumentHelp help;
  for (const auto& name : option.get_snames()) help.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) help.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), help);
  help.help = option.get_description();
  help.required = option.get_required();
  help.repeatable = option.get_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return help;
}

}  // namespace

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string ArgumentHelp::meaning() const {
  std::string text = sentence(help);
  if (!choices.empty()) text += fmt::format(" One of `{}`.", fmt::join(choices, "`, `"));
  return text;
}

const CommandHelp* CommandHelp::find(std::string_view command) const {
  const auto at = std::find_if(commands.begin(), commands.end(), [&](const CommandHelp& c) { return c.name == command; });
  return at == commands.end() ? nullptr : &*at;
}

std::string CommandHelp::synopsis() const {
  std::string text = "[OPTIONS]";
  for (const auto& argument : arguments) {
    if (!argument.positional()) continue;
    const std::string name = argument.value + (argument.repeatable ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  if (!commands.empty()) text += " COMMAND";
  return text;
}

void read_footer(std::string_view footer, CommandHelp& help) {
  std::istringstream stream{std::string(footer)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) {
      lines.push_back(line);
      continue;
    }
    read_block(lines, help);
    lines.clear();
  }
  read_block(lines, help);
}

CommandHelp command_help(const CLI::App& app) {
  CommandHelp help;
  help.name = app.get_name();
  const std::string about = app.get_description();
  std::istringstream lines(about);
  for (std::string line; std::getline(lines, line);) join(help.about, line);
  for (const CLI::Option* option : app.get_options({})) {
    if (!option->get_group().empty()) help.arguments.push_back(argument_help(*option));
  }
  // CLI11 hands a footer down to commands that have none.
  const CLI::App* parent = app.get_parent();
  if (parent == nullptr || app.get_footer() != parent->get_footer()) read_footer(app.get_footer(), help);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); })) {
    help.commands.push_back(command_help(*command));
  }
  return help;
}

}  // namespace ringside
