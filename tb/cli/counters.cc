#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/manual/counter_list.h"
#include "tb/report/text_table.h"
#include "tb/scenario/data_dir.h"

namespace ringside::cli {
namespace {

void print_markdown(std::ostream& out, const std::vector<ListedCounter>& counters) {
  std::string group;
  for (const auto& counter : counters) {
    if (counter.group != group) {
      fmt::print(out, "{}## {}\n\n| Counter | Unit | Driver | Meaning |\n|---|---|---|---|\n", group.empty() ? "" : "\n", counter.group);
      group = counter.group;
    }
    fmt::print(out, "| `{}` | {} | {} | {} |\n", counter.name, counter.unit, fmt::join(counter.drivers, ", "),
               markdown_text(sentence(counter.description)));
  }
}

void print_plain(std::ostream& out, const std::vector<ListedCounter>& counters) {
  for (const auto& counter : counters) {
    fmt::print(out, "{}.{}{}{}\n    {}\n    {}\n", counter.group, counter.name, counter.unit.empty() ? "" : ", ", counter.unit,
               sentence(counter.description), fmt::join(counter.drivers, ", "));
  }
}

}  // namespace

int counters(const CountersOptions& options, std::ostream& out) {
  auto list = list_counters(data_directory(), std::filesystem::read_symlink("/proc/self/exe"));
  std::erase_if(list, [&](const ListedCounter& c) {
    const std::string text = fmt::format("{}.{} {}", c.group, c.name, c.description);
    return text.find(options.filter) == std::string::npos;
  });
  if (list.empty()) {
    throw InputError(fmt::format("{}: no counter has this in its name or meaning; part of a name such as \"rx_\" is allowed",
                                 options.filter));
  }
  options.markdown ? print_markdown(out, list) : print_plain(out, list);
  return kExitOk;
}

}  // namespace ringside::cli
