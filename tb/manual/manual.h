// The command line as pages: Markdown for the book, troff for man(1).
#pragma once

#include <string>
#include <string_view>

#include "tb/manual/command_help.h"

namespace ringside {

// A section for each command, with its arguments and examples.
std::string manual_markdown(const CommandHelp& program);

// The page ringside(1), for man and mandoc.
std::string manual_troff(const CommandHelp& program, std::string_view version);

}  // namespace ringside
