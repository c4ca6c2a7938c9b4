#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>

#include "tb/cli/commands.h"
#include "tb/report/atomic_file.h"
#include "tb/reproduce/reproduction.h"
#include "tb/scenario/data_dir.h"

namespace ringside::cli {

namespace {

int list_tables(std::ostream& out) {
  const auto data = data_directory();
  for (const std::string& name : reference_names(data)) {
    const ReferenceTable table = find_reference_table(data, name);
    fmt::print(out, "{:<16} {} ({} rows)\n{:<16} {}\n", name, table.title, table.rows.size(), "", table.source);
  }
  return kExitOk;
}

}  // namespace

int reproduce(const ReproduceOptions& options, std::ostream& out) {
  if (options.list) return list_tables(out);
  const auto data = data_directory();
  const std::vector<std::string> names =
      options.table == "all" ? reference_names(data) : std::vector<std::string>{options.table};
  std::vector<ReferenceTable> tables;
  for (const std::string& name : names) tables.push_back(find_reference_table(data, name));

  const std::string prefix = options.out.empty() ? "reproduce-" + options.table : options.out;
  check_writable(prefix + ".json");
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  auto json = nlohmann::ordered_json::array();
  std::string markdown;
  bool complete = true;
  for (const ReferenceTable& table : tables) {
    const Reproduction result = ringside::reproduce(table, program, options.jobs);
    fmt::print(out, "{}\n", reproduction_text(result, false));
    out.flush();
    markdown += reproduction_text(result, true) + "\n";
    json.push_back(reproduction_json(result));
    complete = complete && std::all_of(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.error.empty(); });
  }
  write_file_atomically(prefix + ".json", json.dump(2) + "\n");
  write_file_atomically(prefix + ".md", markdown);
  fmt::print(out, "written: {}.json, {}.md\n", prefix, prefix);
  return complete ? kExitOk : kExitBrokenRun;
}

}  // namespace ringside::cli
