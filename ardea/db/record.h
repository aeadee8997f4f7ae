#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ardea/support/trial_outcome.h"

/// What one trial of tuning found, and of what: the rows of the database, and the lines that databases
/// exchange.

namespace ardea::db {

/// Trials of equal tasks have comparable times. Two programs of one hash are told apart by their text.
struct Task {
  std::string workload;     ///< for people: "gemm 1024,1024,1024"
  std::string program;      ///< as written, in text form
  std::string target_name;  ///< for people
  std::string target;       ///< the machine's record, as JSON
  std::int64_t threads = 1;
  std::string compiler;  ///< what made the code, with its version
  std::string protocol;  ///< how times are taken, with its version

  friend bool operator==(const Task&, const Task&) = default;
};

struct Trial {
  std::int64_t number = 0;  ///< of its run, from 1 on
  std::string run;          ///< the same for all trials of one run of the tuner
  std::int64_t batch = 0;   ///< of its run, from 1 on: what was asked for at once; 0: not known
  std::string method;       ///< which strategy asked for it, or `duel`
  std::uint64_t seed = 0;
  std::string sketch;                         ///< its ways, in words
  std::map<std::string, std::int64_t> knobs;  ///< the point
  std::string trace;                          ///< the schedule, as JSON: what is replayed
  TrialOutcome outcome = TrialOutcome::timed;
  std::optional<CallTime> time;  ///< of a timed one
  std::string message;           ///< of a failure: one sentence
  std::int64_t taken_at = 0;     ///< seconds since 1970
  double elapsed_s = 0;          ///< since its run began, when the outcome was known
  /// What a model expected before it was measured: ln(1 / seconds) up to a constant, the same for all of its
  /// batch. Nothing where no model was asked.
  std::optional<double> predicted = {};
  std::optional<double> clock_mhz = {};  ///< of a GPU, when it was timed

  friend bool operator==(const Trial&, const Trial&) = default;
};

/// The method of a trial that was the winner of a run: timed in turns with the run's other good ones, so that
/// no lucky moment made it the fastest.
inline constexpr std::string_view duel = "duel";

/// What a run found of a task besides trials: what libraries take, what the machine can do, who won at last.
struct Note {
  std::string run;   ///< as of its trials
  std::string name;  ///< what it is of: "libraries"
  std::string text;  ///< JSON
  std::int64_t taken_at = 0;

  friend bool operator==(const Note&, const Note&) = default;
};

/// Of text; the same on every machine (64-bit FNV-1a).
std::uint64_t checksum(std::string_view text);

/// JSON on one line, with keys in order: equal values have equal texts.
std::string to_text(const Task& task);
std::string to_text(const Trial& trial);
std::string to_text(const Note& note);
/// Error, with what is wrong, where the text is not of that kind.
Task task_of(std::string_view text);
Trial trial_of(std::string_view text);
Note note_of(std::string_view text);

/// What lines of exchange begin with; other versions are kept as they are.
inline constexpr std::int64_t line_version = 1;

/// A trial or a note, and its task, on one line, with a checksum.
std::string to_line(const Task& task, const Trial& trial);
std::string to_line(const Task& task, const Note& note);

/// A line that was read. Neither: it is sound, but of a version that is not known here.
struct Line {
  Task task;
  std::optional<Trial> trial = {};
  std::optional<Note> note = {};
};
/// Error where it is damaged: no JSON, or another checksum than its own.
Line line_of(std::string_view text);

}  // namespace ardea::db
