#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ardea/db/record.h"

/// What is told of tuning: records, and what follows from them with a compiler at hand.

namespace ardea::report {

/// One task.
struct Story {
  std::string title;  ///< the workload, for people
  db::Task task;
  std::vector<db::Trial> trials;       ///< in the order in which they were made
  std::optional<db::Trial> best = {};  ///< what is used: the last duel's winner, or the fastest

  std::optional<double> operations = {};           ///< of a call, where they can be counted
  std::string rate_unit = "GFLOP/s";               ///< of 10⁹ operations a second
  std::optional<double> peak_per_s = {};           ///< operations, of these threads
  std::string peak_name = {};                      ///< "float32"
  std::optional<double> default_s = {};            ///< what runs where nothing is tuned
  std::map<std::string, double> libraries_s = {};  ///< by name; "ardea" is the winner's in the same run
  std::vector<std::string> remarks = {};           ///< of the runs, a sentence each

  std::string plain = {}, winning = {};  ///< programs, as written and as tuned
  std::string steps = {};                ///< the winning schedule
  std::string why_none = {};             ///< where there is no winning program: a sentence
};

struct Report {
  std::string source;        ///< the database
  std::string made_by = {};  ///< this program, with its version
  std::int64_t made_at = 0;  ///< seconds since 1970
  std::int64_t damaged = 0;  ///< rows that were left out
  std::vector<Story> stories = {};
};

/// Trials of one run of the tuner, in their order; the last duel's are not among them.
struct Run {
  std::string name;  ///< "cga, seed 1"
  std::vector<const db::Trial*> trials;
};
std::vector<Run> runs_of(const Story& story);

/// Timed trials, the fastest first.
std::vector<const db::Trial*> ranking(const Story& story);

/// The fastest library; nothing where none was timed.
std::optional<std::pair<std::string, double>> best_library(const Story& story);
/// The winner's own seconds beside the libraries, else by itself.
std::optional<double> own_seconds(const Story& story);

/// What a speed of so many seconds a call is written in: operations a second, where they are known.
double rate(const Story& story, double seconds);
std::string rate_text(const Story& story, double seconds);
/// "5.31 ms".
std::string time_text(double seconds);

}  // namespace ardea::report
