// What is wrong with a command line, in one line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ringside::cli {

// What the parser did not take, what is allowed there, and which help says more. `arguments` are those that it was given.
std::string usage_error_text(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments);

}  // namespace ringside::cli
