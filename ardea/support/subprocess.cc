#include "ardea/support/subprocess.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "ardea/support/drain.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

using Clock = std::chrono::steady_clock;

/// Both ends are closed in programs that are started, but for the one that is handed over.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    ensure(pipe2(ends.data(), O_CLOEXEC) == 0, "run_process: no pipe: {}", std::strerror(errno));
    read_ = ends[0], write_ = ends[1];
    fcntl(read_, F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    close_write();
    close(read_);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return read_; }
  int write_end() const { return write_; }
  void close_write() {
    if (write_ >= 0) close(std::exchange(write_, -1));
  }

 private:
  int read_ = -1, write_ = -1;
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// What the process had to say about its end, without waiting for it.
std::optional<int> ended(pid_t child) {
  int status = 0;
  pid_t answer = 0;
  do answer = waitpid(child, &status, WNOHANG);
  while (answer < 0 && errno == EINTR);
  ensure(answer >= 0, "run_process: waitpid: {}", std::strerror(errno));
  return answer == child ? std::optional(status) : std::nullopt;
}

/// Reads until the process has ended; nothing where the time was up first.
std::optional<int> read_to_end(pid_t child, const Pipe& out, const Pipe& error, Clock::time_point deadline,
                               ProcessResult& result) {
  // Short naps: the end of a process that has closed its output is seen by asking only.
  constexpr int nap_ms = 5;
  bool out_open = true, error_open = true;
  for (;;) {
    std::array<pollfd, 2> waiting = {pollfd{out_open ? out.read_end() : -1, POLLIN, 0},
                                     pollfd{error_open ? error.read_end() : -1, POLLIN, 0}};
    poll(waiting.data(), waiting.size(), nap_ms);
    const std::optional<int> status = ended(child);  // asked before the last reading, so that none is lost
    if (out_open) out_open = drain(out.read_end(), result.out);
    if (error_open) error_open = drain(error.read_end(), result.error);
    if (status) return status;
    if (Clock::now() >= deadline) return std::nullopt;
  }
}

}  // namespace

std::string Command::text() const {
  const auto word = [](const std::string& text) {
    const bool plain = !text.empty() && text.find_first_of(" \t\n\"'\\$&|;<>()*?") == std::string::npos;
    return plain ? text : in_quotes(text);
  };
  std::string line = word(program);
  for (const std::string& argument : arguments) line += " " + word(argument);
  return line;
}

std::string ProcessResult::description() const {
  switch (end) {
    case End::exited: return fmt::format("exited with status {}", code);
    case End::signalled: return fmt::format("was ended by signal {} ({})", code, strsignal(code));
    case End::timed_out: return fmt::format("did not end within {} s", time_limit_s);
    case End::not_started: return fmt::format("cannot be started: {}", std::strerror(code));
  }
  return {};
}

StartedProcess start_process(const Command& command, const ProcessEnds& ends) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (ends.in < 0)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&actions, ends.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.error, STDERR_FILENO);
  if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, ordinary;
  sigemptyset(&none);
  sigemptyset(&ordinary);
  sigaddset(&ordinary, SIGPIPE);
  sigaddset(&ordinary, SIGINT);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ordinary);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> settings = merged_environment(command.environment);
  StartedProcess started;
  const std::string& file = command.file.empty() ? command.program : command.file;
  started.failure = posix_spawnp(&started.pid, file.c_str(), &actions, &attributes, pointers(words).data(),
                                 pointers(settings).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

ProcessResult run_process(const Command& command) {
  ProcessResult result;
  result.time_limit_s = command.time_limit_s;
  Pipe out, error;
  const StartedProcess started = start_process(command, {.out = out.write_end(), .error = error.write_end()});
  result.code = started.failure;
  if (result.code != 0) return result;
  const pid_t child = started.pid;
  out.close_write();
  error.close_write();
  const auto deadline = command.time_limit_s > 0
                            ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(command.time_limit_s))
                            : Clock::time_point::max();
  const std::optional<int> status = read_to_end(child, out, error, deadline, result);
  if (!status) {
    kill(-child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    result.end = ProcessResult::End::timed_out;
  } else if (WIFEXITED(*status)) {
    result.end = ProcessResult::End::exited;
    result.code = WEXITSTATUS(*status);
  } else {
    result.end = ProcessResult::End::signalled;
    result.code = WTERMSIG(*status);
  }
  return result;
}

}  // namespace ardea
