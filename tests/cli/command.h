#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/support/folder.h"

namespace ardea::cli {

struct Answer {
  int exit_code;
  std::string out, error;
};

using test::Folder;

/// `ENVIRONMENT ardea ARGUMENTS` through the shell, in the repository's root. What the user has tuned is not
/// seen: the default database is one that is not there.
inline Answer ardea(const std::string& arguments, const std::string& redirect = "",
                    const std::string& environment = "") {
  const Folder folder;
  const std::string out = folder.write("out", ""), error = folder.write("error", "");
  const std::string command = "cd '" ARDEA_SOURCE_DIR "' && ARDEA_DB='" +
                              (folder.path() / "none.db").string() + "' " + environment +
                              " " ARDEA_COMMAND " " + arguments + " < /dev/null > " +
                              (redirect.empty() ? out : redirect) + " 2> " + error;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text_file(out),
          read_text_file(error)};
}

/// One sentence on standard error, exit code 2, nothing on standard output.
inline void expect_refusal(const Answer& answer, const std::string& part) {
  EXPECT_EQ(answer.exit_code, 2) << answer.error;
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.error.find(part), std::string::npos) << "got: " << answer.error << "wanted: " << part;
  EXPECT_TRUE(answer.error.starts_with("ardea: ")) << answer.error;
  EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1) << answer.error;
}

/// The environment of a user whose commands keep what they measure of this machine: seconds of all cores,
/// once for all tests.
inline const std::string& with_kept_peaks() {
  static const Folder cache;
  static const std::string environment = "XDG_CACHE_HOME='" + cache.path().string() + "' ";
  return environment;
}

/// The same of one who has measured it already, by two threads.
inline const std::string& with_measured_peaks() {
  static const Answer measured = ardea("target --measure", "", with_kept_peaks() + "ARDEA_NUM_THREADS=2");
  EXPECT_EQ(measured.exit_code, 0) << measured.error;
  return with_kept_peaks();
}

}  // namespace ardea::cli
