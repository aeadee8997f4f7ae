#include "ardea/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "ardea/support/error.h"

namespace ardea {

namespace {

namespace fs = std::filesystem;

/// All of a test's temporary folders lie in a folder of its own.
class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override { setenv("TMPDIR", outer_.path().c_str(), 1); }
  void TearDown() override { before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1); }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(outer_.path()), fs::directory_iterator());
  }

  const std::string before_ = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "";
  const TemporaryFolder outer_;
};

/// A process that has one with a file in it, and is killed.
fs::path left_by_a_killed_process() {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "something";
    const std::string name = folder.path().string() + "\n";
    if (write(ends[1], name.data(), name.size()) < 0) _exit(1);
    pause();
    _exit(0);
  }
  std::string name;
  for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) name += c;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return name;
}

TEST_F(TemporaryFolders, are_empty_and_go_with_all_that_is_in_them) {
  {
    const TemporaryFolder folder;
    EXPECT_TRUE(fs::is_empty(folder.path()));
    fs::create_directories(folder.path() / "a/b");
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(TemporaryFolders, of_killed_processes_are_taken_away_and_those_of_others_are_not) {
  const TemporaryFolder alive;
  const fs::path left = left_by_a_killed_process();
  ASSERT_TRUE(fs::exists(left / "file"));
  fs::create_directory(outer_.path() / "ardea-others");
  EXPECT_EQ(remove_abandoned_folders(), 1);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(alive.path()));
  EXPECT_TRUE(fs::exists(outer_.path() / "ardea-others")) << "it has no owner that could be gone";
  EXPECT_EQ(entries(), 3) << "a folder, its owner, and what is not ours";
  EXPECT_EQ(remove_abandoned_folders(), 0);
}

TEST_F(TemporaryFolders, are_not_found_through_links) {
  const TemporaryFolder alive;
  const fs::path precious = outer_.path() / "precious";
  std::ofstream(precious) << "";
  fs::create_symlink(precious, outer_.path() / "ardea-abcdef.owner");
  fs::create_directory(outer_.path() / "ardea-abcdef");
  EXPECT_EQ(remove_abandoned_folders(), 0);
  EXPECT_TRUE(fs::exists(outer_.path() / "ardea-abcdef"));
}

TEST_F(TemporaryFolders, without_room_say_what_to_set) {
  setenv("TMPDIR", "/proc", 1);
  try {
    const TemporaryFolder folder;
    ADD_FAILURE() << "it made " << folder.path();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("set TMPDIR"), std::string::npos) << error.what();
  }
}

}  // namespace

}  // namespace ardea
