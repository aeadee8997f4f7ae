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

/// A new file that vanishes unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& final_path) : final_path_(final_path) {
    static std::atomic<unsigned> serial{0};
    name_ = fmt::format("{}.{}.{}.tmp", final_path.string(), getpid(), serial++);
    descriptor_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) refuse("check that the folder exists and can be written");
  }

  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!renamed_ && !name_.empty()) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

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
    if (std::rename(name_.c_str(), final_path_.c_str()) != 0) refuse("choose another path");
    renamed_ = true;
  }

 private:
  [[noreturn]] void refuse(const char* way_out) const {
    fail("{} cannot be written: {}; {}", in_quotes(final_path_.string()), std::strerror(errno), way_out);
  }

  std::filesystem::path final_path_;
  std::string name_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

void write_whole_file(const std::filesystem::path& path, const std::vector<std::string_view>& parts) {
  TemporaryFile file(path);
  for (const std::string_view part : parts) file.append(part);
  file.finish();
}

}  // namespace ardea
