#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tb/manual/manual.h"

namespace ringside {
namespace {

std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Text of a person, in which only code has a mark: what looks like a tag is none.
std::string prose(const std::string& text) {
  std::string escaped;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (c == '<' && !code) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void add_arguments(std::string& page, const CommandHelp& command) {
  page += "| Argument | Meaning |\n|---|---|\n";
  for (const auto& argument : command.arguments) {
    std::string name = argument.positional() ? argument.value : fmt::format("{}", fmt::join(argument.names, ", "));
    if (!argument.positional() && !argument.value.empty()) name += " " + argument.value;
    if (argument.positional() && argument.repeatable) name += "...";
    page += fmt::format("| `{}` | {} |\n", name, cell(prose(argument.meaning())));
  }
  page += '\n';
}

void add_notes(std::string& page, const CommandHelp& command) {
  for (const auto& note : command.notes) {
    if (!note.text.empty()) page += prose(note.text) + "\n\n";
    if (!note.code.empty()) page += fmt::format("```text\n{}\n```\n\n", fmt::join(note.code, "\n"));
  }
}

void add_examples(std::string& page, const HelpSection& section) {
  page += "```sh\n";
  for (const auto& item : section.items) {
    if (!item.meaning.empty()) page += fmt::format("# {}\n", item.meaning);
    page += item.term + "\n";
  }
  page += "```\n\n";
}

void add_section(std::string& page, const HelpSection& section) {
  if (section.title == "Examples") return add_examples(page, section);
  page += fmt::format("| {} | Meaning |\n|---|---|\n", section.title);
  for (const auto& item : section.items) page += fmt::format("| `{}` | {} |\n", item.term, cell(prose(item.meaning)));
  page += '\n';
}

void add_command(std::string& page, const CommandHelp& command, const std::string& name) {
  page += fmt::format("## {}\n\n{}\n\n    {} {}\n\n", name, prose(sentence(command.about)), name, command.synopsis());
  add_arguments(page, command);
  add_notes(page, command);
  for (const auto& section : command.sections) add_section(page, section);
  if (!command.statuses.empty()) page += "| Exit status | Meaning |\n|---|---|\n";
  for (const auto& [status, meaning] : command.statuses) {
    page += fmt::format("| {} | {} |\n", status, cell(prose(meaning)));
  }
  if (!command.statuses.empty()) page += '\n';
  for (const auto& below : command.commands) add_command(page, below, name + " " + below.name);
}

}  // namespace

std::string manual_markdown(const CommandHelp& program) {
  std::string page;
  add_command(page, program, program.name);
  page.pop_back();
  return page;
}

}  // namespace ringside
