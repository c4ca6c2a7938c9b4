#include "tb/image/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "model/base/errors.h"

extern char** environ;

namespace ringside {
namespace {

// What the child does between fork and exec.
class FileActions {
 public:
  FileActions(const std::string& folder, const std::string& log) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::posix_spawn_file_actions_adddup2(&actions_, 1, 2);
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

int run_process(const std::vector<std::string>& argv, const std::filesystem::path& folder, const std::filesystem::path& log) {
  auto arguments = argv;
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const FileActions actions(folder.string(), log.string());
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, pointers.front(), actions.get(), nullptr, pointers.data(), environ);
  if (error != 0) {
    throw InputError(fmt::format("{}: cannot be started: {}; an installed program is allowed", argv.front(),
                                 std::strerror(error)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ringside
