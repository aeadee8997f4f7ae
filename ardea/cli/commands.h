#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ardea/cli/program.h"

/// The commands of the program `ardea`, as functions of plain options: main/main.cc reads the command line,
/// these do the work. Each returns the exit code, writes its answer to standard output, and throws Error for
/// bad input (exit code 2).

namespace ardea::cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_disagrees =
    1;  ///< `run --check` found a wrong answer, or one without a finite tolerance
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_internal_error = 70;
inline constexpr int exit_interrupted = 130;  ///< as shells say it; what was done before is answered

struct ShowOptions {
  ProgramOptions program;
  std::string as = "tir";  ///< te, tir, lowered, limits, llvm, asm, c, cuda, trace, trace-json
  std::string pass = {};   ///< stop after this pass instead
  bool checks = false;     ///< lowered, with the entry point that checks its arguments
  std::string target = "host";
  bool list_passes = false;
  bool timing = false;  ///< where compiling it spends its time, instead of the program
  bool json = false;
};
int show(const ShowOptions& options);

struct RunOptions {
  ProgramOptions program;
  std::string function = {};  ///< empty: the only one, or main
  std::uint64_t seed = 0;
  bool check = false;
  std::string target = "host";  ///< or a GPU
  std::string backend = {};     ///< llvm, c, cuda, interp; empty: that of the target
  std::string save = {};        ///< folder for arrays and manifest; empty for none
  std::map<std::string, std::int64_t> sizes = {};
  std::int64_t repeat = 5;
  double min_repeat_ms = 20;
  bool json = false;
};
int run(const RunOptions& options);

struct CompileOptions {
  ProgramOptions program;
  std::string folder = {};
  std::string name = {};  ///< of the library; empty: the program's
  std::string target = "host";
  std::string prefix = "ardea_";
  std::string only = {};  ///< some of o, so, c, h; empty for all
  bool json = false;
};
int compile(const CompileOptions& options);

struct BenchOptions {
  ProgramOptions program;
  std::string set = {};  ///< a set of `workloads`, in place of a program
  std::string workloads = "bench/workloads.json";
  std::string against = {};     ///< names of peers; empty for all that are there
  std::string peers = {};       ///< the folder of the peers; empty: lib/peers beside the program's own
  std::string target = "host";  ///< or the GPU of this machine, whose peers are in lib/gpu_peers
  std::string rivals = {};      ///< other schedules of the program, with turns in the same run
  std::string library = {};     ///< a shared library with
  std::string symbol = {};      ///< a function of the program's C signature, with turns too
  std::map<std::string, std::int64_t> sizes = {};
  std::optional<int> threads = {};  ///< nothing: one; of a program as tuned, those of its record
  bool copies = false;              ///< against as many copies on one thread each, in place of peers
  std::int64_t rounds = 0;          ///< 0: as many as some seconds allow
  std::uint64_t seed = 0;
  bool json = false;
};
int bench(const BenchOptions& given);

struct SpaceOptions {
  ProgramOptions
      program;  ///< with a script its sampling steps are the choices, else what the rules leave open
  std::string target = "host";
  bool show = false;                        ///< knobs, variables and constraints
  std::int64_t samples = 0;                 ///< points, drawn by chance
  bool check = false;                       ///< make each of them a program and run it
  std::optional<std::string> explain = {};  ///< a point or a part of one, "i_0=4,i_1=3": what it breaks
  std::string csv = {};                     ///< a file for the samples
  std::string plot = {};                    ///< a file for a picture
  bool count = false;                       ///< the number of points alone
  std::optional<std::int64_t> sketch = {};  ///< this one only
  std::optional<int> within_cache = {};     ///< what nests work on fits into the cache of this level
  std::uint64_t seed = 0;
  bool json = false;
};
int space(const SpaceOptions& options);

struct TargetOptions {
  std::string name = "host";
  bool list = false;
  bool measure = false;  ///< find out what this machine can do, and keep it for this user
  bool json = false;
};
int target(const TargetOptions& options);

struct PrimitivesOptions {
  std::string name = {};  ///< empty for all
  bool json = false;
};
int primitives(const PrimitivesOptions& options);

struct InstructionsOptions {
  std::string name = {};  ///< empty for all
  std::string target = "host";
  bool json = false;
};
int instructions(const InstructionsOptions& options);

struct OpsOptions {
  std::string name = {};  ///< empty for all
  bool json = false;
};
int ops(const OpsOptions& options);

struct TuneOptions {
  ProgramOptions program;
  std::optional<std::int64_t> trials = {};
  std::optional<double> seconds = {};
  std::string method = {};  ///< empty: by the budget
  std::uint64_t seed = 1;
  std::string db = {};  ///< the database; empty: the user's own
  bool resume = false;  ///< go on from what the database has of the task
  bool replay = false;  ///< search as a recorded run did, without measuring
  bool blind = false;   ///< without the model's point and without records
  std::string target = "host";
  std::optional<int> threads = {};         ///< nothing: as many as `run` takes
  std::string csv = {};                    ///< a line a trial
  std::string suite = {};                  ///< a file of workloads that share the budget
  std::string platform = {}, config = {};  ///< Heron's -p and -c
  bool without_libraries = false;
  bool json = false;
};
/// exit_disagrees where no program was timed, exit_interrupted after an interrupt, with the best so far.
int tune(const TuneOptions& options);

struct DbOptions {
  std::string action = {};              ///< list, best, export, import, verify, merge, prune
  std::vector<std::string> files = {};  ///< what import and merge read
  std::string db = {};                  ///< the database; empty: the user's own
  std::string workload = {};            ///< best: of tasks whose workload has this in it
  std::string out = {};                 ///< export: into this file
  std::string as = "own";               ///< export: in this shape (db/foreign.h)
  std::int64_t keep = 0;                ///< prune: so many of each task
  bool json = false;
};
/// exit_disagrees where verify, import or merge found something damaged.
int db(const DbOptions& options);

struct BestOptions {
  ProgramOptions program;  ///< empty: all tasks
  std::string db = {};     ///< the database; empty: the user's own
  bool json = false;
};
int best(const BestOptions& options);

struct ReportOptions {
  std::string db = {};  ///< the database; empty: the user's own
  std::string out = "report.html";
  std::string workload = {};  ///< tasks whose workload has this in it
  bool json = false;
};
int report(const ReportOptions& options);

}  // namespace ardea::cli
