#include "ardea/support/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

/// What is written: a file of another name that vanishes unless it is renamed, or what has the name already.
class NewFile {
 public:
  NewFile(const std::filesystem::path& final_path, bool is_replaced) : final_path_(final_path) {
    if (is_replaced) {
      static std::atomic<unsigned> serial{0};
      name_ = fmt::format("{}.{}.{}.tmp", final_path.string(), getpid(), serial++);
      descriptor_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } else {
      descriptor_ = open(final_path.c_str(), O_WRONLY | O_CLOEXEC);
    }
    if (descriptor_ < 0) refuse("check that the folder exists and can be written");
  }

  ~NewFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view part) {
    while (!part.empty()) {
      const ssize_t written = write(descriptor_, part.data(), part.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) refuse("free some space or choose another folder");
      part.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void finish() {
    // Some file systems tell only now that the disk is full. EINVAL: not a kind of file that can be
    // synchronised.
    if (fsync(descriptor_) != 0 && errno != EINVAL) refuse("free some space or choose another folder");
    if (close(std::exchange(descriptor_, -1)) != 0) refuse("free some space or choose another folder");
    if (name_.empty()) return;
    if (std::rename(name_.c_str(), final_path_.c_str()) != 0) refuse("choose another path");
    name_.clear();
  }

 private:
  [[noreturn]] void refuse(const char* way_out) const {
    fail("{} cannot be written: {}; {}", in_quotes(final_path_.string()), std::strerror(errno), way_out);
  }

  std::filesystem::path final_path_;
  std::string name_;  ///< until it is renamed
  int descriptor_ = -1;
};

}  // namespace

void write_whole_file(const std::filesystem::path& path, const std::vector<std::string_view>& parts) {
  std::error_code failure;
  const std::filesystem::file_status there = std::filesystem::status(path, failure);
  const bool is_replaced =
      !exists(there) || is_regular_file(there) || is_directory(there);  // else /dev/null would become a file
  const bool is_link = std::filesystem::is_symlink(path, failure);
  NewFile file(is_link ? std::filesystem::weakly_canonical(path, failure) : path, is_replaced);
  for (const std::string_view part : parts) file.append(part);
  file.finish();
}

}  // namespace ardea
