#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ardea::cli {

struct Answer {
  int exit_code;
  std::string out, error;
};

/// A folder that disappears with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ardea-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

  /// A file with that text; its path.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// `ENVIRONMENT ardea ARGUMENTS` through the shell, in the repository's root.
inline Answer ardea(const std::string& arguments, const std::string& redirect = "",
                    const std::string& environment = "") {
  const Folder folder;
  const std::string out = (folder.path() / "out").string(), error = (folder.path() / "error").string();
  const std::string command = "cd '" ARDEA_SOURCE_DIR "' && " + environment + " " ARDEA_COMMAND " " +
                              arguments + " < /dev/null > " + (redirect.empty() ? out : redirect) + " 2> " +
                              error;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(out), read_text(error)};
}

}  // namespace ardea::cli
