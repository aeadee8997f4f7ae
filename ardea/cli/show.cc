#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/describe.h"
#include "ardea/cli/output.h"
#include "ardea/cli/records.h"
#include "ardea/cli/timing.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/target/target.h"
#include "ardea/te/print.h"

namespace ardea::cli {

namespace {

std::string pass_list(const target::Target& target) {
  std::string text;
  for (const lower::Pass& pass : lower::pipeline(target))
    text += fmt::format("{:<26} {}\n", pass.name, pass.invariant);
  return text;
}

/// The expressions that an operator is written in.
std::string expressions(const Program& program) {
  require(program.typical() != nullptr,
          "--as te: {} is a program of blocks already; only operators are written as "
          "tensor expressions, as in: ardea show gemm 64,64,64 --as te",
          program.title);
  return te::print({program.open ? ops::build(*program.open).back() : ops::build(*program.workload).back()});
}

/// The steps that made the program, with their decisions.
const schedule::Trace& steps(const ShowOptions& options, const Program& program) {
  require(program.trace.has_value(),
          "--as {}: no rule applies to {} on {}; give its steps with --schedule FILE", options.as,
          program.title, options.target);
  return *program.trace;
}

/// What a function takes of the machine, a line each.
std::string limits_text(const Function& f, const target::Target& target) {
  std::string text = f.name + "\n";
  for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(f, target), target))
    text += fmt::format("  {:<24} {}{}\n", bound.name, print(bound.taken),
                        bound.available ? fmt::format(" of {}", *bound.available) : "");
  return text;
}

nlohmann::json limits_json(const Function& f, const target::Target& target) {
  nlohmann::json all = nlohmann::json::array();
  for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(f, target), target)) {
    nlohmann::json one = {{"name", bound.name}};
    if (const auto number = constant_int(bound.taken))
      one["taken"] = *number;
    else
      one["taken"] = print(bound.taken);
    if (bound.available) one["available"] = *bound.available;
    all.push_back(one);
  }
  return all;
}

std::string shown(const ShowOptions& options, const Program& program, const target::Target& target) {
  const Module& module = program.module;
  const auto after = [&](auto&& lowered) {
    Module out = module;
    for (Function& f : out.functions) {
      f = lowered(f);
      for (const std::string& sentence : lower::notes(f)) write_note(sentence);
    }
    return print(out);
  };
  if (!options.pass.empty())
    return after([&](const Function& f) { return lower::lower_until(f, target, options.pass); });
  if (options.as == "te") return expressions(program);
  if (options.as == "tir") return print(module);
  if (options.as == "lowered")
    return after([&](const Function& f) {
      return options.checks ? lower::lower(f, target) : lower::lower_unpacked(f, target);
    });
  const compile::Options build{.note = write_note};
  if (options.as == "llvm") return compile::llvm_ir(module, target, build);
  if (options.as == "asm") return compile::assembly(module, target, build);
  if (options.as == "c") return compile::c_source(module, target, build);
  if (options.as == "cuda") return compile::cuda_source(module, target, build);
  if (options.as == "limits") {
    std::string text;
    for (const Function& f : module.functions) text += limits_text(f, target);
    return text;
  }
  if (options.as == "trace") return print(steps(options, program));
  if (options.as == "trace-json") return to_json(steps(options, program)).dump(2);
  const std::vector<std::string> forms = {"te",  "tir", "lowered", "limits", "llvm",
                                          "asm", "c",   "cuda",    "trace",  "trace-json"};
  fail("--as {}: there is no such form, use one of {}{}", options.as, join(forms, ", "),
       did_you_mean(options.as, forms));
}

/// From the text or the operator's name to machine code, loaded where this machine can run it; for a GPU to
/// what NVIDIA's compiler is given.
int show_timing(const ShowOptions& options, const target::Target& target) {
  require(options.pass.empty() && options.as == "tir", "--timing shows no program: leave {} out",
          options.pass.empty() ? "--as " + options.as : "--pass " + options.pass);
  const TimingReport report = time_compilation([&] {
    const Program program = load_program(options.program, target);
    if (target.kind == target::Kind::cuda)
      compile::cuda_source(program.module, target);
    else if (target.name == "host")
      compile::callable(program.module, target);
    else
      compile::assembly(program.module, target);
  });
  write_out(options.json ? timing_json(report).dump(2) + "\n" : timing_table(report));
  return exit_ok;
}

}  // namespace

int show(const ShowOptions& options) {
  const target::Target target = target::find(options.target);
  if (options.list_passes) {
    write_out(pass_list(target));
    return exit_ok;
  }
  require(!options.program.program.empty(),
          "show needs a program: a file, as in `ardea show examples/gemm.tir`, or an operator with its "
          "sizes, as in "
          "`ardea show gemm 64,64,64`");
  require(options.pass.empty() || options.as == "tir",
          "--pass {} shows the program as tir: leave --as {} out", options.pass, options.as);
  require(!options.checks || options.as == "lowered",
          "--checks shows the checks of the arguments in the lowered program: give --as lowered, not --as {}",
          options.as);
  if (options.timing) return show_timing(options, target);
  // A program is shown as it is written, unless its schedule is asked for: of the steps, and of kernels, for
  // which an operator as it is written has no threads.
  ProgramOptions shown_program = options.program;
  if (shown_program.schedule.empty() && shown_program.records != ProgramOptions::Records::only &&
      !shown_program.prepacked && !options.as.starts_with("trace") && options.as != "cuda")
    shown_program.schedule = "none";
  const Program program = load_program(shown_program, target);
  const std::string text = shown(options, program, target);
  if (!options.json) {
    write_out(text.ends_with('\n') ? text : text + "\n");
    return exit_ok;
  }
  nlohmann::json functions = nlohmann::json::array();
  for (const Function& f : program.module.functions) {
    functions.push_back({{"name", f.name},
                         {"hash", fmt::format("{:016x}", structural_hash(f))},
                         {"parameters", parameters_json(f)}});
    if (options.as == "limits") functions.back()["limits"] = limits_json(f, target);
  }
  nlohmann::json answer = {{"program", program.title}, {"as", options.pass.empty() ? options.as : "tir"},
                           {"pass", options.pass},     {"target", target.name},
                           {"functions", functions},   {"text", text}};
  if (program.record) answer["record"] = record_json(*program.record);
  write_out(answer.dump(2) + "\n");
  return exit_ok;
}

}  // namespace ardea::cli
