// What the command line offers, taken from the parser itself. Reference page, man page and completion are views of this, so
// that a new command or option appears in all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

// An option, a flag or a positional argument.
struct ArgumentHelp {
  std::vector<std::string> names;    // "-h", "--help"; none for a positional argument
  std::string value;                 // "FILE": what stands for its value; empty for a flag
  std::vector<std::string> choices;  // all values that are allowed, where that is a list
  std::string help;
  bool required = false;
  bool repeatable = false;

  bool positional() const { return names.empty(); }
  // The help as a sentence, and the choices between backquotes.
  std::string meaning() const;
};

// Terms with their meaning, under a title: "Examples", "Environment".
struct HelpSection {
  struct Item {
    std::string term;
    std::string meaning;  // may be empty
  };
  std::string title;
  std::vector<Item> items;
};

struct HelpParagraph {
  std::string text;               // on one line
  std::vector<std::string> code;  // shown as it is, after the text
};

struct ExitStatus {
  std::string status;
  std::string meaning;
};

struct CommandHelp {
  std::string name;
  std::string about;
  std::vector<ArgumentHelp> arguments;
  std::vector<HelpParagraph> notes;
  std::vector<HelpSection> sections;
  std::vector<ExitStatus> statuses;
  std::vector<CommandHelp> commands;

  // nullptr if there is none of that name.
  const CommandHelp* find(std::string_view command) const;

  // "[OPTIONS] REPORT...": what follows the name on a command line.
  std::string synopsis() const;
};

// Ends `text` with a full stop.
std::string sentence(std::string text);

// Everything that is not hidden (in a group without a name).
CommandHelp command_help(const CLI::App& app);

// Reads what stands below the options in --help. Blank lines separate paragraphs. Indented lines after a paragraph are code;
// after a title ("Examples:") they are terms, and lines that are indented further say what the term above them means.
// "Exit status: 0 done; 2 bad input" is a list of its own.
void read_footer(std::string_view footer, CommandHelp& help);

}  // namespace ringside
