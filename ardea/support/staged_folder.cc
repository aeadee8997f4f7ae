#include "ardea/support/staged_folder.h"

#include <unistd.h>

#include <atomic>
#include <ranges>

#include "ardea/support/error.h"

namespace ardea {

namespace fs = std::filesystem;

namespace {

/// Renames that can be taken back, last one first.
class Moves {
 public:
  std::error_code move(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) done_.emplace_back(from, to);
    return error;
  }
  void take_back() {
    std::error_code ignored;  // nothing better can be done
    for (; !done_.empty(); done_.pop_back()) fs::rename(done_.back().second, done_.back().first, ignored);
  }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;
};

/// The folders of `path` that are not there yet, outermost first.
std::vector<fs::path> missing_folders(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path at = path; !at.empty() && !fs::exists(at, ignored) && at != at.parent_path();
       at = at.parent_path())
    missing.insert(missing.begin(), at);
  return missing;
}

}  // namespace

StagedFolder::StagedFolder(const fs::path& destination, std::string request) : request_(std::move(request)) {
  std::error_code error;
  require(!destination.empty(), "{}: the name of the folder is empty; give one", request_);
  destination_ = fs::absolute(destination, error).lexically_normal();
  if (!destination_.has_filename()) destination_ = destination_.parent_path();  // "out/" is "out"
  const fs::file_status status = fs::status(destination_, error);
  require(!fs::exists(status) || fs::is_directory(status), "{}: there is a file of that name; give a folder",
          request_);
  made_ = missing_folders(destination_);
  // Inside, not beside: the folder may be another file system than the one around it, or the only one that
  // we may write to.
  static std::atomic<unsigned> serial{0};
  path_ = destination_ / fmt::format(".partial-{}-{}", getpid(), serial++);
  error.clear();
  fs::create_directories(path_, error);
  if (!error) return;
  clean_up();
  fail("{}: the folder cannot be written: {}; choose another", request_, error.message());
}

StagedFolder::~StagedFolder() { clean_up(); }

void StagedFolder::clean_up() noexcept {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  // Only empty ones go.
  for (const fs::path& folder : std::views::reverse(made_)) fs::remove(folder, ignored);
}

void StagedFolder::publish(const std::vector<std::string>& files) {
  const fs::path old = path_ / "replaced";
  std::error_code error;
  fs::create_directories(old, error);
  Moves moves;
  std::string at;
  const auto step = [&](const std::string& file, const fs::path& from, const fs::path& to) {
    if (error) return;
    error = moves.move(from, to);
    if (error) at = file;
  };
  const auto replace = [&](const std::string& file) {
    // A folder of that name is not ours to move away: the rename over it fails.
    if (fs::is_regular_file(fs::symlink_status(destination_ / file)) ||
        fs::is_symlink(fs::symlink_status(destination_ / file)))
      step(file, destination_ / file, old / file);
  };
  if (!files.empty()) replace(files.back());
  for (const std::string& file : files) {
    if (file != files.back()) replace(file);
    step(file, path_ / file, destination_ / file);
  }
  if (!error) return;
  moves.take_back();
  fail("{}: {} cannot be moved there: {}; nothing was changed", request_, at, error.message());
}

}  // namespace ardea
