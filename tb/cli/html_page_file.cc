#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/scenario/data_dir.h"

namespace ringside::cli {

std::filesystem::path html_page_file() {
  const auto file = data_directory() / "html" / "page.html";
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error)) return file;
  throw InputError(file.string() + ": no such file; HTML needs what a build with node and npm makes, the target ringside_html");
}

}  // namespace ringside::cli
