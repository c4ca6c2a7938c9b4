#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tb/manual/manual.h"

namespace ringside {
namespace {

// Text as it is. Hyphens become minus signs, so that options can be copied.
std::string plain(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\': escaped += "\\e"; break;
      case '-': escaped += "\\-"; break;
      case '`': escaped += "\\`"; break;
      case '\'': escaped += "\\(aq"; break;
      case '^': escaped += "\\(ha"; break;
      case '~': escaped += "\\(ti"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

// A line that begins with a full stop would be a request to troff.
std::string line_of(const std::string& text) { return text.starts_with('.') ? "\\&" + text : text; }

// Lines of at most 80 characters, as troff's style wants them.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kLongest = 80;
  std::istringstream words(text);
  std::string result;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column != 0 && column + 1 + word.size() > kLongest) {
      result += '\n';
      column = 0;
    }
    result += column == 0 ? line_of(word) : " " + word;
    column += word.size() + (column == 0 ? 0 : 1);
  }
  return result;
}

// Words between backquotes are bold.
std::string marked(std::string_view text) {
  std::string result;
  bool bold = false;
  while (!text.empty()) {
    const auto mark = text.find('`');
    result += plain(text.substr(0, mark));
    if (mark == std::string_view::npos) break;
    bold = !bold;
    result += bold ? "\\fB" : "\\fP";
    text.remove_prefix(mark + 1);
  }
  return result;
}

std::string prose(std::string_view text) { return wrapped(marked(text)); }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "[OPTIONS] SCENARIO" with its words in italics.
std::string synopsis(const std::string& text) {
  std::string result;
  bool word = false;
  for (const char c : text) {
    const bool letter = std::isupper(static_cast<unsigned char>(c)) != 0 || c == '=';
    if (letter != word) result += letter ? "\\fI" : "\\fP";
    word = letter;
    result += plain(std::string(1, c));
  }
  return word ? result + "\\fP" : result;
}

void add_synopses(std::string& page, const CommandHelp& program) {
  const auto line = [&](const std::string& name, const std::string& arguments) {
    page += fmt::format("\\fB{}\\fP{}{}\n.br\n", plain(name), arguments.empty() ? "" : " ", arguments);
  };
  for (const auto& command : program.commands) line(program.name + " " + command.name, synopsis(command.synopsis()));
  line(program.name + " --help", "");
  line(program.name + " --version", "");
  page.resize(page.size() - std::string_view(".br\n").size());
}

void add_arguments(std::string& page, const CommandHelp& command) {
  for (const auto& argument : command.arguments) {
    std::string term = argument.positional() ? "" : fmt::format("\\fB{}\\fP", plain(fmt::format("{}", fmt::join(argument.names, ", "))));
    if (!argument.value.empty()) term += (term.empty() ? "\\fI" : " \\fI") + plain(argument.value) + "\\fP";
    page += fmt::format(".TP\n{}\n{}\n", term, prose(argument.meaning()));
  }
}

void add_code(std::string& page, const std::vector<std::string>& lines) {
  page += ".PP\n.EX\n";
  for (const auto& line : lines) page += line_of(plain(line)) + "\n";
  page += ".EE\n";
}

void add_notes(std::string& page, const CommandHelp& command) {
  for (const auto& note : command.notes) {
    if (!note.text.empty()) page += ".PP\n" + prose(note.text) + "\n";
    if (!note.code.empty()) add_code(page, note.code);
  }
}

void add_items(std::string& page, const HelpSection& section) {
  for (const auto& [term, meaning] : section.items) {
    page += meaning.empty() ? fmt::format(".PP\n\\fB{}\\fP\n", plain(term))
                            : fmt::format(".TP\n\\fB{}\\fP\n{}\n", plain(term), prose(sentence(meaning)));
  }
}

void add_statuses(std::string& page, const CommandHelp& command) {
  for (const auto& [status, meaning] : command.statuses) {
    page += fmt::format(".TP\n\\fB{}\\fP\n{}\n", status, prose(sentence(meaning)));
  }
}

void add_command(std::string& page, const CommandHelp& program, const CommandHelp& command) {
  page += fmt::format(".SS {} {} {}\n{}\n", plain(program.name), plain(command.name), synopsis(command.synopsis()),
                      prose(sentence(command.about)));
  add_arguments(page, command);
  add_notes(page, command);
  for (const auto& section : command.sections) {
    page += fmt::format(".PP\n{}:\n.RS\n", plain(section.title));
    add_items(page, section);
    page += ".RE\n";
  }
  if (command.statuses.empty()) return;
  page += ".PP\nExit status:\n.RS\n";
  add_statuses(page, command);
  page += ".RE\n";
}

}  // namespace

std::string manual_troff(const CommandHelp& program, std::string_view version) {
  std::string page = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n", upper(program.name), program.name, version);
  page += fmt::format(".SH NAME\n{} \\- simulator of network receive\n.SH SYNOPSIS\n", program.name);
  add_synopses(page, program);
  page += ".SH DESCRIPTION\n" + prose(program.about) + "\n";
  add_notes(page, program);
  page += ".SH OPTIONS\n";
  add_arguments(page, program);
  page += ".SH COMMANDS\n";
  for (const auto& command : program.commands) add_command(page, program, command);
  for (const auto& section : program.sections) {
    page += fmt::format(".SH {}\n", upper(section.title));
    add_items(page, section);
  }
  if (!program.statuses.empty()) {
    page += ".SH \"EXIT STATUS\"\n";
    add_statuses(page, program);
  }
  page += ".SH \"SEE ALSO\"\n.BR ethtool (8),\n.BR perf\\-report (1)\n.PP\nThe book is in\n.IR share/doc/ringside/docs .\n";
  return page;
}

}  // namespace ringside
