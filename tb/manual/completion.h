// What a shell offers when a person presses Tab.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tb/manual/command_help.h"

namespace ringside {

struct Candidate {
  std::string text;
  std::string help;  // one line, or nothing
};

// Names on the file system that the shell adds.
enum class Paths { none, files, folders };

struct Completion {
  std::vector<Candidate> candidates;
  Paths paths = Paths::none;
};

// `words` follow the program's name; the last one is completed, and may be empty. `data` is Ringside's data directory, which
// holds scenarios, parameters and tables. A word that cannot be completed has no candidates.
Completion complete(const CommandHelp& program, const std::vector<std::string>& words, const std::filesystem::path& data);

// A candidate and its help on each line, with a tab between them, then ":files" or ":folders" where paths are wanted.
std::string completion_text(const Completion& completion);

// The script that "bash", "zsh" or "fish" loads; it asks `ringside complete`.
std::string_view completion_script(std::string_view shell);

}  // namespace ringside
