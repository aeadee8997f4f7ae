#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ardea {

/// A program to run: no shell stands between, so that no argument needs quotes.
struct Command {
  std::string program;  ///< a path, or a name that is looked for on PATH
  std::vector<std::string> arguments = {};
  std::filesystem::path folder = {};                    ///< to run in; empty: the current one
  std::map<std::string, std::string> environment = {};  ///< added to this process's own
  double time_limit_s = 0;                              ///< 0: none
  std::string file = {};                                ///< run by that name; empty: what it names

  /// As one would type it, for messages.
  std::string text() const;
};

/// How a program ended. Failing is an outcome here, not an exception: the caller knows what it means.
struct ProcessResult {
  enum class End { exited, signalled, timed_out, not_started };
  End end = End::not_started;
  int code = 0;            ///< the exit status, the signal, or the errno of a program that did not start
  std::string out, error;  ///< what it wrote, all of it

  bool succeeded() const { return end == End::exited && code == 0; }
  /// "exited with status 1", "was ended by signal 11 (Segmentation fault)", "did not end within 5 s",
  /// "cannot be started: No such file or directory".
  std::string description() const;

  double time_limit_s = 0;
};

/// What a process that is started has as its standard input, output and error; -1: nothing to read.
struct ProcessEnds {
  int in = -1, out = 1, error = 2;
};
struct StartedProcess {
  pid_t pid = -1;
  int failure = 0;  ///< the errno of a program that did not start
};
/// Starts the command as the leader of a process group of its own, so that all it starts can be ended with
/// it. The time limit is the caller's to keep.
StartedProcess start_process(const Command& command, const ProcessEnds& ends);

/// Runs the command to its end, with nothing to read on its standard input. At the time limit it and all that
/// it started (its process group) are killed. A process that it leaves running behind its end is not waited
/// for. May be called from any thread.
ProcessResult run_process(const Command& command);

}  // namespace ardea
