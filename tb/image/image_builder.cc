#include "tb/image/image_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <atomic>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "model/base/errors.h"
#include "tb/image/process.h"
#include "tb/image/source_tree.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCacheLayout = "ringside image 1";  // changes when the same inputs give another image

// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) {
    std::error_code error;
    fs::create_directories(parent, error);
    auto name = (parent / "build.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InputError(fmt::format("{}: cannot be written; a writable folder for guest images is required, see XDG_CACHE_HOME",
                                   parent.string()));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The line that says what is wrong: the first with one of the marks, else the first.
std::string first_error_line(const std::string& log) {
  if (log.empty()) return "it failed without a message";
  auto at = log.size();
  for (const auto* mark : {"error:", "undefined reference"}) at = std::min(at, log.find(mark));
  if (at == log.size()) at = 0;
  const auto begin = log.rfind('\n', at) + 1;  // npos + 1 is 0
  return log.substr(begin, log.find('\n', begin) - begin);
}

void check(int status, const std::vector<std::string>& command, const ImageRequest& request, const fs::path& log) {
  if (status == 0) return;
  const auto place = request.place.empty() ? std::string() : request.place + ": ";
  throw InputError(fmt::format("{}driver.flags \"{}\": {}; flags with which {} builds the driver are allowed", place,
                               fmt::join(request.flags, " "), first_error_line(content_of(log)), command.front()));
}

// Calls work(0) ... work(count - 1) on as many threads as there are cores; rethrows the failure with the lowest number.
template <class Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(count);
  const auto worker = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(count, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back(worker);
    }
    worker();
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// Appends to the text that is hashed; lengths keep neighbours apart.
void append(std::string& text, std::string_view piece) { text += fmt::format("{}:{}\n", piece.size(), piece); }

std::string hash_of(const std::string& text) {
  constexpr boost::uuids::uuid kNoNamespace{};
  const auto id = boost::uuids::name_generator_sha1(kNoNamespace)(text);
  std::string hex;
  for (const auto byte : id) hex += fmt::format("{:02x}", byte);
  return hex;
}

// Whether `program` is a path, or the name of a file that a folder of $PATH holds.
bool is_installed(const std::string& program) {
  if (program.find('/') != std::string::npos) return true;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  std::error_code error;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::is_regular_file(fs::path(folder) / program, error)) return true;
  }
  return false;
}

std::string version_of(const Toolchain& toolchain) {
  if (!is_installed(toolchain.command)) {
    const auto hint = toolchain.packages.empty() ? "" : fmt::format(", on Debian with apt install {}", toolchain.packages);
    throw InputError(fmt::format("{}: not installed; it builds the guest with driver.compiler \"{}\" for {}: install it{}",
                                 toolchain.command, toolchain.compiler, toolchain.architecture, hint));
  }
  const TemporaryFolder folder(fs::temp_directory_path());
  const auto log = folder.path() / "version";
  if (run_process({toolchain.command, "--version"}, folder.path(), log) != 0) {
    throw InputError(fmt::format("{} --version: fails; a working compiler is required", toolchain.command));
  }
  return content_of(log);
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

fs::path image_cache_directory() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "ringside"}, std::pair{"HOME", ".cache/ringside"}}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/') return fs::path(value) / below;
  }
  return fs::temp_directory_path() / "ringside-cache";
}

ImageBuilder::ImageBuilder(const fs::path& recipe_file, fs::path cache, std::vector<fs::path> prebuilt)
    : recipe_(recipe_file), cache_(std::move(cache)), prebuilt_(std::move(prebuilt)) {}

std::string ImageBuilder::file_name(const ImageRequest& request) const {
  const auto& toolchain = recipe_.toolchain(request);
  std::string text;
  append(text, kCacheLayout);
  for (const auto& file : recipe_.files()) append(text, content_of(file));
  append(text, toolchain.architecture);
  append(text, request.compiler);
  append(text, version_of(toolchain));
  for (const auto& flag : request.flags) append(text, flag);
  auto inputs = recipe_.sources(request.driver);
  inputs.push_back(recipe_.linker_script());
  for (const auto& [name, content] : read_sources(recipe_.root(), inputs)) {
    append(text, name);
    append(text, content);
  }
  return fmt::format("{}-{}-{}.elf", toolchain.architecture, request.compiler, hash_of(text));
}

fs::path ImageBuilder::build(const ImageRequest& request) const {
  const auto name = file_name(request);
  std::error_code error;
  for (const auto& folder : prebuilt_) {
    if (fs::is_regular_file(folder / name, error)) return folder / name;
  }
  const auto cached = cache_ / name;
  return fs::is_regular_file(cached, error) ? cached : compile(request, cached);
}

fs::path ImageBuilder::compile(const ImageRequest& request, const fs::path& destination) const {
  const TemporaryFolder temporary(fs::absolute(destination.parent_path()));
  const auto& folder = temporary.path();
  const auto& toolchain = recipe_.toolchain(request);
  const auto sources = recipe_.sources(request.driver);
  const auto object = [&](std::size_t i) { return (folder / fmt::format("{}.o", i)).string(); };
  in_parallel(sources.size(), [&](std::size_t i) {
    std::vector<std::string> command{toolchain.command};
    append(command, toolchain.compile_flags);
    append(command, request.flags);
    // Source names in the debug information are the same wherever Ringside is installed.
    append(command, {fmt::format("-ffile-prefix-map={}=.", recipe_.root().string()), "-I.", "-c", sources[i], "-o", object(i)});
    const auto log = folder / fmt::format("{}.log", i);
    check(run_process(command, recipe_.root(), log), command, request, log);
  });
  std::vector<std::string> command{toolchain.command};
  append(command, toolchain.link_flags);
  append(command, {"-T", recipe_.linker_script(), "-o", (folder / "image.elf").string()});
  for (std::size_t i = 0; i < sources.size(); ++i) command.push_back(object(i));
  const auto log = folder / "link.log";
  check(run_process(command, recipe_.root(), log), command, request, log);
  fs::rename(folder / "image.elf", destination);
  return destination;
}

}  // namespace ringside
