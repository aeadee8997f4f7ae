#include "ardea/support/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "ardea/support/drain.h"
#include "ardea/support/error.h"

namespace ardea {

namespace {

/// How often living processes are looked after: what they take of memory is seen only by asking.
constexpr double tick_s = 0.02;
constexpr std::size_t longest_line = std::size_t{16} << 20U;
constexpr std::size_t most_words = 4096;

/// Where the address space itself is used for bookkeeping, limiting it leaves no program alive.
constexpr bool address_space_counts =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#else
    true;
#endif

struct OwnEnds {
  int read = -1, write = -1;
  OwnEnds() {
    std::array<int, 2> ends{};
    ensure(pipe2(ends.data(), O_CLOEXEC) == 0, "ChildProcess: no pipe: {}", std::strerror(errno));
    read = ends[0], write = ends[1];
  }
  ~OwnEnds() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }
  OwnEnds(const OwnEnds&) = delete;
  OwnEnds& operator=(const OwnEnds&) = delete;
  static int taken(int& end) {
    fcntl(end, F_SETFL, O_NONBLOCK);
    return std::exchange(end, -1);
  }
};

void close_end(int& end) {
  if (end >= 0) close(std::exchange(end, -1));
}

/// While it lives the calling thread, and what it starts, runs on these processors only.
class On {
 public:
  explicit On(const std::vector<int>& processors) {
    if (processors.empty() || sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const int processor : processors) CPU_SET(processor, &wanted);
    changed_ = sched_setaffinity(0, sizeof(wanted), &wanted) == 0;
  }
  ~On() {
    if (changed_) sched_setaffinity(0, sizeof(before_), &before_);
  }
  On(const On&) = delete;
  On& operator=(const On&) = delete;

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

void limit(pid_t pid, __rlimit_resource what, std::int64_t most) {
  rlimit now{};
  if (prlimit(pid, what, nullptr, &now) != 0) return;
  const auto wanted = static_cast<rlim_t>(most);
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, now.rlim_max);
  prlimit(pid, what, &now, nullptr);
}

/// Bytes that are in memory and its own; shared pages, such as files that are mapped, are everybody's.
std::int64_t memory_of(pid_t pid) {
  std::FILE* file = std::fopen(fmt::format("/proc/{}/statm", pid).c_str(), "re");
  if (file == nullptr) return 0;
  long long all = 0, resident = 0, shared = 0;
  const int read = std::fscanf(file, "%lld %lld %lld", &all, &resident, &shared);
  std::fclose(file);
  return read == 3 ? (resident - shared) * sysconf(_SC_PAGESIZE) : 0;
}

/// Writes to a process that has ended must not end this one.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &before_);
  }
  ~WithoutPipeSignal() {
    if (!was_pending_) {
      sigset_t pipe;
      sigemptyset(&pipe);
      sigaddset(&pipe, SIGPIPE);
      const timespec at_once{};
      while (sigtimedwait(&pipe, nullptr, &at_once) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t before_{};
  bool was_pending_ = false;
};

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ChildProcess::ChildProcess(const Command& command, const ProcessLimits& limits,
                           const std::vector<int>& processors)
    : command_(command), limits_(limits) {
  OwnEnds in, out, error;
  {
    const On pinned(processors);
    StartedProcess started = start_process(command, {.in = in.read, .out = out.write, .error = error.write});
    if (started.failure != 0) {
      ended_.emplace();
      ended_->code = started.failure;
      return;
    }
    pid_ = started.pid;
  }
  in_ = OwnEnds::taken(in.write);
  out_ = OwnEnds::taken(out.read);
  error_ = OwnEnds::taken(error.read);
  limit(pid_, RLIMIT_CORE, 0);
  if (limits.memory_bytes > 0 && address_space_counts) limit(pid_, RLIMIT_AS, limits.memory_bytes);
  if (limits.file_bytes > 0) limit(pid_, RLIMIT_FSIZE, limits.file_bytes);
  if (limits.stack_bytes > 0) limit(pid_, RLIMIT_STACK, limits.stack_bytes);
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::send(const std::string& line) {
  if (ended_) return;
  outgoing_ += line;
  outgoing_ += '\n';
  move_bytes();
}

std::optional<std::string> ChildProcess::take_line() {
  const std::size_t end = incoming_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = incoming_.substr(0, end);
  incoming_.erase(0, end + 1);
  return line;
}

bool ChildProcess::writes_no_lines() const {
  return incoming_.size() > longest_line && incoming_.find('\n') == std::string::npos;
}

bool ChildProcess::has_news() const {
  return ended_ || incoming_.find('\n') != std::string::npos || incoming_.size() > longest_line;
}

void ChildProcess::close_all() {
  close_end(in_);
  close_end(out_);
  close_end(error_);
}

void ChildProcess::finish(int status) {
  move_bytes();
  close_all();
  ProcessResult result;
  result.end = WIFEXITED(status) ? ProcessResult::End::exited : ProcessResult::End::signalled;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  ended_ = std::move(result);
}

void ChildProcess::kill() {
  if (ended_) return;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  finish(status);
}

void ChildProcess::look_after() {
  if (ended_) return;
  // Not reaped yet, so that the number of its group is still its own: what it started goes with it.
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) < 0)
    ensure(errno == EINTR, "ChildProcess: waitid: {}", std::strerror(errno));
  if (info.si_pid == pid_) return kill();
  if (limits_.memory_bytes > 0 && memory_of(pid_) > limits_.memory_bytes) {
    out_of_memory_ = true;
    kill();
  }
}

void ChildProcess::move_bytes() {
  if (in_ >= 0 && !outgoing_.empty()) {
    const WithoutPipeSignal quiet;
    while (!outgoing_.empty()) {
      const ssize_t count = write(in_, outgoing_.data(), outgoing_.size());
      if (count > 0) {
        outgoing_.erase(0, static_cast<std::size_t>(count));
      } else if (errno == EPIPE) {
        outgoing_.clear();
        close_end(in_);
        break;
      } else if (errno != EINTR) {
        break;
      }
    }
  }
  if (out_ >= 0 && !drain(out_, incoming_, longest_line)) close_end(out_);
  if (error_ >= 0) {
    const bool open = drain(error_, words_, std::size_t{1} << 20U);
    if (words_.size() > most_words) words_.erase(0, words_.size() - most_words);
    if (!open) close_end(error_);
  }
}

void ChildProcess::wait(std::span<ChildProcess* const> processes, double seconds) {
  const double end = now_s() + seconds;
  double last_look = 0;
  for (;;) {
    for (ChildProcess* process : processes) process->move_bytes();
    bool closed = false;
    for (const ChildProcess* process : processes) closed |= !process->ended_ && process->out_ < 0;
    if (closed || now_s() - last_look >= tick_s) {
      for (ChildProcess* process : processes) process->look_after();
      last_look = now_s();
    }
    for (const ChildProcess* process : processes)
      if (process->has_news()) return;
    const double left = std::min(end - now_s(), closed ? tick_s / 10 : tick_s);
    if (left <= 0) return;
    std::vector<pollfd> waiting;
    for (const ChildProcess* process : processes) {
      if (process->out_ >= 0) waiting.push_back({process->out_, POLLIN, 0});
      if (process->error_ >= 0) waiting.push_back({process->error_, POLLIN, 0});
      if (process->in_ >= 0 && !process->outgoing_.empty()) waiting.push_back({process->in_, POLLOUT, 0});
    }
    poll(waiting.data(), waiting.size(), std::max(1, static_cast<int>(1e3 * left)));
  }
}

}  // namespace ardea
