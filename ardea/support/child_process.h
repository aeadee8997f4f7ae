#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ardea/support/subprocess.h"

namespace ardea {

/// What a process may take; 0: as much as this one may.
struct ProcessLimits {
  /// Its own memory. It gets no more where the system can refuse it; it is killed where it has taken more.
  std::int64_t memory_bytes = 0;
  std::int64_t file_bytes = 0;  ///< of a file that it writes
  std::int64_t stack_bytes = 0;
};

/// A program that runs beside this one and is talked to by lines on its standard input and output: a worker,
/// which may die at any time and take its time for ever. Nothing here blocks but wait(). It leads a process
/// group, which is killed when the object goes, and leaves no core file. Use by one thread.
class ChildProcess {
 public:
  /// Where it cannot be started it has ended already. `processors`: those that it may run on; empty: as this
  /// one.
  ChildProcess(const Command& command, const ProcessLimits& limits = {},
               const std::vector<int>& processors = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  /// A line for it to read, without its end; goes out as it reads. Nothing happens where it has ended.
  void send(const std::string& line);

  /// The next whole line that it wrote, without its end.
  std::optional<std::string> take_line();

  /// How it ended; the last lines may still be there to be taken.
  const std::optional<ProcessResult>& ended() const { return ended_; }
  bool was_out_of_memory() const { return out_of_memory_; }  ///< killed for it
  /// Something without end where a line is due: more than the longest line that anybody writes.
  bool writes_no_lines() const;
  /// The last of what it wrote on standard error.
  const std::string& last_words() const { return words_; }

  /// The group, at once. `ended` says so afterwards.
  void kill();

  /// Until one of them has a line or has ended, or the seconds are over.
  static void wait(std::span<ChildProcess* const> processes, double seconds);

 private:
  bool has_news() const;
  void move_bytes();  ///< what can be read and written now
  void look_after();  ///< whether it lives, and how much memory it has
  void finish(int status);
  void close_all();

  Command command_;
  ProcessLimits limits_;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, error_ = -1;
  std::string outgoing_, incoming_, words_;
  std::optional<ProcessResult> ended_;
  bool out_of_memory_ = false;
};

}  // namespace ardea
