#include "ardea/support/child_process.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <thread>

#include "ardea/support/temporary_folder.h"

namespace ardea {
namespace {

/// Until it has a line or has ended.
std::optional<std::string> next_line(ChildProcess& child) {
  const std::array<ChildProcess*, 1> all = {&child};
  for (int i = 0; i < 600; ++i) {
    if (auto line = child.take_line()) return line;
    if (child.ended() || child.writes_no_lines()) return std::nullopt;
    ChildProcess::wait(all, 0.1);
  }
  ADD_FAILURE() << "nothing came";
  return std::nullopt;
}

Command by_shell(const std::string& script) { return {.program = "sh", .arguments = {"-c", script}}; }

TEST(ChildProcess, is_talked_to_by_lines) {
  ChildProcess child(by_shell("while read line; do echo \"<$line>\"; done"));
  child.send("one");
  EXPECT_EQ(next_line(child), "<one>");
  child.send("two");
  child.send("three");
  EXPECT_EQ(next_line(child), "<two>");
  EXPECT_EQ(next_line(child), "<three>");
  EXPECT_FALSE(child.ended());
}

TEST(ChildProcess, takes_lines_longer_than_a_pipe_holds_in_both_directions) {
  ChildProcess child({.program = "cat"});
  const std::string line(1 << 20, 'x');
  child.send(line);
  child.send(line);
  EXPECT_EQ(next_line(child), line);
  EXPECT_EQ(next_line(child), line);
}

TEST(ChildProcess, does_not_wait_for_one_that_does_not_read) {
  ChildProcess child(by_shell("sleep 1000"));
  child.send(std::string(1 << 20, 'x'));
  const std::array<ChildProcess*, 1> all = {&child};
  ChildProcess::wait(all, 0.05);
  EXPECT_FALSE(child.ended());
}

TEST(ChildProcess, says_how_it_ended_and_what_it_wrote_before) {
  ChildProcess child(by_shell("echo last; echo why >&2; exit 3"));
  EXPECT_EQ(next_line(child), "last");
  EXPECT_EQ(next_line(child), std::nullopt);
  ASSERT_TRUE(child.ended());
  EXPECT_EQ(child.ended()->description(), "exited with status 3");
  EXPECT_EQ(child.last_words(), "why\n");
  child.send("nobody reads this");
}

TEST(ChildProcess, sees_a_signal_from_outside) {
  ChildProcess child(by_shell("echo ready; sleep 1000"));
  EXPECT_EQ(next_line(child), "ready");
  ::kill(child.pid(), SIGKILL);
  EXPECT_EQ(next_line(child), std::nullopt);
  ASSERT_TRUE(child.ended());
  EXPECT_EQ(child.ended()->end, ProcessResult::End::signalled);
  EXPECT_EQ(child.ended()->code, SIGKILL);
}

TEST(ChildProcess, ends_with_all_that_it_started) {
  pid_t grandchild = 0;
  {
    ChildProcess child(by_shell("sleep 1000 & echo $!; wait"));
    grandchild = std::stoi(next_line(child).value());
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  // It is somebody else's to reap, or a zombie of nobody's: what counts is that it runs no more.
  for (int i = 0; i < 600; ++i) {
    std::FILE* file = std::fopen(("/proc/" + std::to_string(grandchild) + "/stat").c_str(), "r");
    if (file == nullptr) return;
    char state = 0;
    const int read = std::fscanf(file, "%*d %*s %c", &state);
    std::fclose(file);
    if (read == 1 && state == 'Z') return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ADD_FAILURE() << "process " << grandchild << " still runs";
}

TEST(ChildProcess, has_ended_where_it_cannot_be_started) {
  ChildProcess child({.program = "/nowhere/program"});
  ASSERT_TRUE(child.ended());
  EXPECT_EQ(child.ended()->description(), "cannot be started: No such file or directory");
}

TEST(ChildProcess, gets_no_more_memory_than_its_limit) {
  // What it takes is in memory, whether or not the system refuses to give it.
  ChildProcess child(by_shell("read go; a=xxxxxxxxxxxxxxxx; while :; do a=$a$a; done"),
                     {.memory_bytes = std::int64_t{256} << 20});
  child.send("go");
  EXPECT_EQ(next_line(child), std::nullopt);
  ASSERT_TRUE(child.ended());
  EXPECT_FALSE(child.ended()->succeeded());
}

TEST(ChildProcess, writes_no_file_larger_than_its_limit) {
  const TemporaryFolder folder;
  ChildProcess child(
      {.program = "sh",
       .arguments = {"-c", "read go; trap '' XFSZ; head -c 1000000 /dev/zero > large; echo $?"},
       .folder = folder.path()},
      {.file_bytes = 1000});
  child.send("go");
  EXPECT_NE(next_line(child), "0");
  EXPECT_LE(std::filesystem::file_size(folder.path() / "large"), 1000U);
}

TEST(ChildProcess, is_told_from_one_that_writes_no_lines) {
  ChildProcess child(by_shell("cat /dev/zero"));
  EXPECT_EQ(next_line(child), std::nullopt);
  EXPECT_TRUE(child.writes_no_lines());
  EXPECT_FALSE(child.ended());
}

}  // namespace
}  // namespace ardea
