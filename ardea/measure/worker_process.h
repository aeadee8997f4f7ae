#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ardea/support/child_process.h"

namespace ardea::measure {

/// How a worker process is started, and the task that it is told first.
struct WorkerStart {
  Command command;
  ProcessLimits limits = {};
  std::vector<int> processors = {};
  std::string hello;  ///< a line
  double start_limit_s = 60;
};

/// What came of a request.
struct WorkerReply {
  enum class Kind {
    answered,
    timed_out,
    out_of_memory,  ///< killed, because it had taken too much
    died,
    rubbish,  ///< what it wrote is no answer
  };
  Kind kind = Kind::answered;
  std::string answer = {};       ///< JSON, an object with the request's id
  std::string sentence = {};     ///< of all others: how it ended, to follow after a subject
  bool is_from_outside = false;  ///< died of a signal that others send: it may be worth another try
};

/// A worker: a process as long as it behaves, and another one after that. One request at a time.
class WorkerProcess {
 public:
  explicit WorkerProcess(WorkerStart start) : start_(std::move(start)) {}

  /// A JSON object with an "id" as a line; at most so many seconds from when the worker is ready. Starts a
  /// process where there is none.
  void ask(const std::string& request, std::int64_t id, double limit_s);
  bool is_busy() const { return asked_.has_value(); }
  /// Gives the request up, and the process.
  void abandon();
  /// Beyond the limit, where there is one, from the next process on.
  void allow_memory(std::int64_t bytes) {
    if (start_.limits.memory_bytes > 0) start_.limits.memory_bytes += bytes;
  }
  /// Ends the process of a worker that will not be asked again soon.
  void retire() { process_.reset(); }
  /// Starts a process that will be needed.
  void warm_up();

  /// After ChildProcess::wait on process(). Nothing as long as it works. A process that does not become ready
  /// is replaced twice; then Error. Error, too, with its sentence, where it refuses the task.
  std::optional<WorkerReply> reply();
  ChildProcess* process() const { return process_.get(); }
  /// Until it will have to be killed.
  double seconds_left() const;
  int starts() const { return starts_; }

 private:
  struct Asked {
    std::string request;
    std::int64_t id = 0;
    double limit_s = 0;
  };
  std::optional<WorkerReply> ended();
  std::optional<WorkerReply> overdue();
  std::optional<WorkerReply> take(const std::string& line);
  WorkerReply broken(WorkerReply::Kind kind, std::string sentence);
  /// No process became ready.
  void try_again(const std::string& sentence);
  std::string last_word() const;

  WorkerStart start_;
  std::unique_ptr<ChildProcess> process_;
  std::optional<Asked> asked_;
  bool is_ready_ = false;
  double deadline_ = 0;
  int failed_starts_ = 0, starts_ = 0;
};

}  // namespace ardea::measure
