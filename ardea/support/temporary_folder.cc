#include "ardea/support/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "ardea/support/error.h"

namespace ardea {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "ardea-", owner_suffix = ".owner", new_suffix = ".new";

bool lock(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

/// Whether whoever made the file is gone: then it is locked here. What is no plain file of this user's is
/// nobody's.
bool is_abandoned(const fs::path& file, int& descriptor) {
  descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat facts = {};
  if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == getuid() &&
      facts.st_size == 0 && lock(descriptor)) {
    // A new one is not locked from its first moment on; its name says so.
    const bool may_be_in_the_making =
        file.extension() == new_suffix && std::time(nullptr) - facts.st_mtime < 60;
    if (!may_be_in_the_making) return true;
  }
  close(descriptor);
  return false;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  std::string name = (place / "ardea-XXXXXX").string() + std::string(new_suffix);
  // Locked under one name and then called by another: nobody sees an owner that is not locked.
  owner_ = error ? -1 : mkostemps(name.data(), static_cast<int>(new_suffix.size()), O_CLOEXEC);
  path_ = name.substr(0, name.size() - new_suffix.size());
  const std::string owner = path_.string() + std::string(owner_suffix);
  const bool is_made = owner_ >= 0 && lock(owner_) && rename(name.c_str(), owner.c_str()) == 0 &&
                       mkdir(path_.c_str(), S_IRWXU) == 0;
  if (is_made) return;
  if (owner_ >= 0) {
    unlink(name.c_str());
    unlink(owner.c_str());
    close(owner_);
  }
  fail("no temporary folder can be made in {}; set TMPDIR to a folder with space", place.string());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  unlink((path_.string() + std::string(owner_suffix)).c_str());
  close(owner_);
}

int remove_abandoned_folders() {
  int removed = 0;
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error) return 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    const fs::path& file = entry.path();
    const std::string name = file.filename().string();
    if (!name.starts_with(prefix) || (file.extension() != owner_suffix && file.extension() != new_suffix))
      continue;
    int descriptor = -1;
    if (!is_abandoned(file, descriptor)) continue;
    std::error_code ignored;
    fs::path folder = file;
    folder.replace_extension();
    if (file.extension() == owner_suffix && fs::remove_all(folder, ignored) > 0) ++removed;
    unlink(file.c_str());
    close(descriptor);
  }
  return removed;
}

}  // namespace ardea
