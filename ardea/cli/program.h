#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/ops/open_sizes.h"
#include "ardea/schedule/trace.h"
#include "ardea/target/target.h"
#include "ardea/tune/best.h"

namespace ardea::cli {

/// How a command line names a program: FILE.tir, or OP SHAPE with the types and layout of the operator.
struct ProgramOptions {
  std::string program;     ///< a path, or an operator's name
  std::string shape = {};  ///< "64,64,64", "m,64,64" with a size that only a call knows; empty for a file
  std::string in = {}, acc = {}, out = {}, layout = {};
  bool transpose_b = false;
  /// A file of steps, as a script or JSON, for the program's only function; "none", the program as it is
  /// written; "recipe", what the rules choose for it; "best", what tuning found; empty: the records, where
  /// they are asked, else the rules' choice for an operator.
  std::string schedule = {};
  bool prepacked = false;  ///< weights packed by a function of their own, ahead of all calls
  /// Whether the best that tuning found is used in place of what the rules choose.
  enum class Records : std::uint8_t {
    never,
    where_there,  ///< a record, where there is one and no schedule is named
    only          ///< an Error where there is none
  } records = Records::never;
  std::string db = {};  ///< the database of records; empty: the user's own
  int threads =
      0;  ///< that the program is made for; 0: as many as this process has, or as the target's cores
  std::vector<std::string> align = {};     ///< "64" for all arrays, "A=64" for one: promises.h
  std::optional<std::uint64_t> draw = {};  ///< draw all decisions of the steps anew, from this seed
};

/// The program as another command is to be given it.
std::string command_of(const ProgramOptions& program);

struct Program {
  Module module;
  std::optional<ops::Workload> workload = {};  ///< where it is an operator with all its sizes
  std::optional<ops::OpenWorkload> open = {};  ///< where it is one some of whose sizes only a call knows
  std::string title;                           ///< the file, or the operator with its sizes
  std::optional<schedule::Trace> trace = {};   ///< where it was scheduled: the steps, with their decisions
  std::string recipe = {};                     ///< the names of the rules that took them
  std::optional<tune::Best> record = {};       ///< or where they were kept
  /// Where weights are packed ahead: their place among the parameters. The module's first function then takes
  /// what its second, NAME_pack, makes of them.
  std::optional<std::size_t> packed_parameter = {};
  /// Where it was scheduled: its first function as it was written.
  std::optional<Function> written = {};

  /// The operator with its types; nothing where it is a file's program.
  const ops::Workload* typical() const { return workload ? &*workload : open ? &open->typical : nullptr; }

  /// What `--check` compares f, one of the module's functions, with: the program before any step.
  const Function& meaning_of(const Function& f) const { return written ? *written : f; }
};

/// Error where the file cannot be read or is no valid program, where there is no such operator, or where its
/// sizes, types or layout are not its, or where a step of the schedule is refused. Recipes are for `given`,
/// with the threads of the options. Promises of alignment hold for the steps of a file and for what is given
/// back. An operator's function is called `function_name`; with `prepacked` the
/// module is named so too.
Program load_program(const ProgramOptions& options, const target::Target& given,
                     const std::string& function_name = "main");

}  // namespace ardea::cli
