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

void list_tables(std::ostream& out, const std::vector<ReferenceTable>& tables) {
  for (const ReferenceTable& table : tables) {
    fmt::print(out, "{:<20} {} ({} rows)\n{:<20} {}\n", table.name, table.title, table.rows.size(), "",
               table.published() ? table.source : table.question);
  }
}

int list_tables(std::ostream& out) {
  const auto data = data_directory();
  fmt::print(out, "published, and run by `all`:\n");
  list_tables(out, reference_tables(data, true));
  fmt::print(out, "\nnot published by anybody:\n");
  list_tables(out, reference_tables(data, false));
  return kExitOk;
}

}  // namespace

int reproduce(const ReproduceOptions& options, std::ostream& out) {
  if (options.list) return list_tables(out);
  const auto data = data_directory();
  const std::vector<ReferenceTable> tables = options.table == "all"
                                                 ? reference_tables(data, true)
                                                 : std::vector<ReferenceTable>{find_reference_table(data, options.table)};

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
