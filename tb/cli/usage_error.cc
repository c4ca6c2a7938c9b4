#include "tb/cli/usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tb/manual/command_help.h"
#include "tb/report/printable.h"
#include "tb/scenario/nearest.h"

namespace ringside::cli {
namespace {

constexpr std::size_t kShown = 40;  // characters of what somebody typed

// Commands have no name in front of them: the first argument that is no option should be one.
std::string unknown_command(const CommandHelp& help, const std::string& name) {
  std::vector<std::string> commands;
  for (const auto& command : help.commands) commands.push_back(command.name);
  return fmt::format("unknown command {}; {} are allowed{}", printable(name, kShown), fmt::join(commands, ", "),
                     did_you_mean(name, commands));
}

// Without the value that may follow a "=".
std::string option_name(const std::string& argument) { return argument.substr(0, argument.find('=')); }

// The first argument that the parser has left: an option that there is not, or one argument too many.
std::string left_over(const CommandHelp& command, const std::vector<std::string>& arguments, const std::vector<std::string>& left) {
  const auto is_left = [&](const std::string& argument) { return std::find(left.begin(), left.end(), argument) != left.end(); };
  const auto first = std::find_if(arguments.begin(), arguments.end(), is_left);
  const std::string found = first == arguments.end() ? left.front() : *first;
  if (!found.starts_with("-")) return fmt::format("{} is one argument too many", printable(found, kShown));
  std::vector<std::string> options;
  for (const auto& argument : command.arguments) options.insert(options.end(), argument.names.begin(), argument.names.end());
  return fmt::format("unknown option {}{}", printable(option_name(found), kShown), did_you_mean(option_name(found), options));
}

// A value that is none of an option's choices; empty if that is not what is wrong.
std::string no_choice(const CommandHelp& command, const std::vector<std::string>& arguments, const std::string& what) {
  for (const auto& argument : command.arguments) {
    const std::string name = argument.positional() ? argument.value : argument.names.back();
    for (const auto& value : arguments) {
      if (argument.choices.empty() || !what.ends_with("}") || what.find(": " + value + " not in {") == std::string::npos) continue;
      return fmt::format("{} is {}; one of {} is allowed{}", name, printable(value, kShown), fmt::join(argument.choices, ", "),
                         did_you_mean(value, argument.choices));
    }
  }
  return "";
}

}  // namespace

std::string usage_error_text(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const CommandHelp help = command_help(app);
  const CommandHelp* command = arguments.empty() ? nullptr : help.find(arguments.front());
  const auto named = [&](const CLI::App* subcommand) { return subcommand->get_name() == arguments.front(); };  // hidden or not
  if (!arguments.empty() && !arguments.front().starts_with("-") && app.get_subcommands(named).empty()) {
    return unknown_command(help, arguments.front());
  }
  const std::string more = command == nullptr ? "; see ringside --help" : fmt::format("; see ringside {} --help", command->name);
  if (command == nullptr) command = &help;
  const auto left = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty()) return left_over(*command, arguments, left) + more;
  const std::string choice = no_choice(*command, arguments, error.what());
  return (choice.empty() ? std::string(error.what()) : choice) + more;
}

}  // namespace ringside::cli
