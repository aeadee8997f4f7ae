#include "ardea/support/subprocess.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ardea {
namespace {

using End = ProcessResult::End;

ProcessResult shell(const std::string& script, double time_limit_s = 60) {
  return run_process({.program = "sh", .arguments = {"-c", script}, .time_limit_s = time_limit_s});
}

TEST(Subprocess, gives_back_the_status_and_both_streams) {
  const ProcessResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.error, "err\n");
  EXPECT_EQ(result.description(), "exited with status 3");
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(shell("true").succeeded());
}

TEST(Subprocess, hands_arguments_over_as_they_are) {
  const ProcessResult result =
      run_process({.program = "printf", .arguments = {"%s|", "a b", "", "$HOME", "\"q\"", "*"}});
  EXPECT_EQ(result.out, "a b||$HOME|\"q\"|*|");
}

/// Whether the programs that are started here are of another machine than this one.
bool is_emulated() {
#ifdef __x86_64__
  return shell("uname -m").out != "x86_64\n";
#else
  return shell("uname -m").out != "aarch64\n";
#endif
}

TEST(Subprocess, a_missing_program_is_an_outcome) {
  if (is_emulated())
    GTEST_SKIP() << "an emulator's children share no memory with it, by which posix_spawn is told";
  const ProcessResult result = run_process({.program = "no-such-program-anywhere"});
  EXPECT_EQ(result.end, End::not_started);
  EXPECT_EQ(result.code, ENOENT);
  EXPECT_EQ(result.description(), "cannot be started: No such file or directory");
  const ProcessResult forbidden = run_process({.program = "/etc/passwd"});
  EXPECT_EQ(forbidden.end, End::not_started);
  EXPECT_EQ(forbidden.code, EACCES);
}

TEST(Subprocess, a_signal_is_told_from_a_status) {
  const ProcessResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.end, End::signalled);
  EXPECT_EQ(result.code, SIGSEGV);
  EXPECT_NE(result.description().find("signal 11"), std::string::npos) << result.description();
}

TEST(Subprocess, reads_more_than_pipes_hold_from_both_streams) {
  const ProcessResult result = shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2; printf end");
  EXPECT_EQ(result.out.size(), 3000003u);
  EXPECT_EQ(result.error.size(), 2000000u);
  EXPECT_TRUE(result.out.ends_with("end"));
}

TEST(Subprocess, kills_all_that_was_started_at_the_time_limit) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("ardea_child_" + std::to_string(getpid()));
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result =
      shell("sleep 300 & echo $! > '" + file.string() + "'; echo began; sleep 300", 0.3);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(result.end, End::timed_out);
  EXPECT_EQ(result.out, "began\n");
  EXPECT_EQ(result.description(), "did not end within 0.3 s");
  pid_t grandchild = 0;
  std::ifstream(file) >> grandchild;
  std::filesystem::remove(file);
  ASSERT_GT(grandchild, 1);
  // Whoever inherits it takes it off the table a moment later; until then it is dead in /proc.
  const auto runs = [&] {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string line;
    return std::getline(stat, line) && line.find(") Z ") == std::string::npos;
  };
  for (int i = 0; i < 500 && runs(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(runs());
}

TEST(Subprocess, does_not_wait_for_what_is_left_behind) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result = shell("sleep 20 & echo done");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

TEST(Subprocess, runs_in_the_folder_and_environment_given) {
  const ProcessResult result = run_process({.program = "sh",
                                            .arguments = {"-c", "pwd; echo $ARDEA_TEST_WORD; cat"},
                                            .folder = "/usr",
                                            .environment = {{"ARDEA_TEST_WORD", "heron"}}});
  EXPECT_EQ(result.out, "/usr\nheron\n");
  if (!is_emulated()) {
    EXPECT_EQ(run_process({.program = "true", .folder = "/no/such/folder"}).end, End::not_started);
  }
}

TEST(Subprocess, shows_a_command_as_one_would_type_it) {
  EXPECT_EQ((Command{.program = "cc", .arguments = {"-o", "a b", ""}}.text()), "cc -o \"a b\" \"\"");
}

}  // namespace
}  // namespace ardea
