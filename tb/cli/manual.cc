// The commands that tell shells, man and the book about the program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/manual/completion.h"
#include "tb/manual/manual.h"
#include "tb/manual/schema_page.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/nearest.h"

namespace ringside::cli {

int completion(const CompletionOptions& options, std::ostream& out) {
  out << completion_script(options.shell);
  return kExitOk;
}

int complete(const CompleteOptions& options, const CommandHelp& program, std::ostream& out) {
  try {
    out << completion_text(ringside::complete(program, options.words, data_directory()));
  } catch (const InputError&) {
    return kExitBadInput;  // a damaged data file, or none
  }
  return kExitOk;
}

int manual(const ManualOptions& options, const CommandHelp& program, std::ostream& out) {
  if (options.page == "commands") {
    out << manual_markdown(program);
  } else if (options.page == "man") {
    out << manual_troff(program, RINGSIDE_VERSION);
  } else {
    const auto schemas = schema_names(data_directory());
    if (std::find(schemas.begin(), schemas.end(), options.page) == schemas.end()) {
      throw InputError(fmt::format("manual {}: no such page; commands, man or one of {} is allowed{}", options.page,
                                   fmt::join(schemas, ", "), did_you_mean(options.page, schemas)));
    }
    out << schema_markdown(read_schema(data_directory(), options.page));
  }
  return kExitOk;
}

}  // namespace ringside::cli
