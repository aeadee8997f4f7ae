#include <fmt/core.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ardea/cli/backends.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/describe.h"
#include "ardea/cli/output.h"
#include "ardea/cli/rates.h"
#include "ardea/cli/records.h"
#include "ardea/cli/save.h"
#include "ardea/ir/equal.h"
#include "ardea/measure/check.h"
#include "ardea/measure/gpu_timing.h"
#include "ardea/measure/inputs.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace {

const Function& chosen_function(const Module& module, const RunOptions& options) {
  require(!options.program.prepacked || options.function.empty(),
          "--function {}: with --prepacked what takes the packed weights is run; leave it out",
          options.function);
  std::vector<std::string> names;
  for (const Function& f : module.functions) names.push_back(f.name);
  if (options.function.empty()) {
    if (module.functions.size() == 1) return module.functions[0];
    if (const Function* main = module.find("main")) return *main;
    fail("{}: it has the functions {}; choose one with --function", options.program.program,
         join(names, ", "));
  }
  if (const Function* f = module.find(options.function)) return *f;
  fail("{}: it has no function {}, only {}{}", options.program.program, options.function, join(names, ", "),
       did_you_mean(options.function, names));
}

runtime::Timing timed(const Runnable& program, const std::vector<interp::Argument>& arguments,
                      const RunOptions& options) {
  if (program.on_gpu) {
    const measure::GpuTimer evaluate{.repeat = options.repeat};
    return evaluate(*program.on_gpu, values_of(arguments));
  }
  if (program.function) {
    const runtime::TimeEvaluator evaluate{.repeat = options.repeat, .min_repeat_ms = options.min_repeat_ms};
    return evaluate(program.function, values_of(arguments));
  }
  const double start = runtime::steady_seconds();  // once is enough to know how slow the interpreter is
  program.run(arguments);
  return runtime::summarize({runtime::steady_seconds() - start}, 1);
}

std::string argument_line(const Function& f, const std::vector<interp::Argument>& arguments) {
  const std::vector<std::string> roles = role_names(f);
  std::string text = f.name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    const Parameter& p = f.parameters[i];
    text += (p.buffer.defined() ? p.buffer->name : p.var.name()) + ": ";
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, runtime::Array>)
            text += value.description() + (roles[i] == "input" ? "" : " " + roles[i]);
          else
            text += fmt::format("{}", value);
        },
        arguments[i]);
  }
  return text + ")";
}

std::string comparison_line(const measure::Comparison& c, const std::string& reference) {
  if (c.mismatches > 0)
    return fmt::format(
        "check: {} DISAGREES with the {} in {} of {} elements; first at {}: {} instead of {}, tolerance "
        "{:.3g}\n",
        c.argument, reference, c.mismatches, c.elements, c.index, c.got, c.expected, c.tolerance);
  if (c.unbounded > 0)
    return fmt::format(
        "check: {}: {} of {} elements overflow or depend on rounding, so that no tolerance is finite; not "
        "checked\n",
        c.argument, c.unbounded, c.elements);
  if (c.largest_error == 0)
    return fmt::format("check: {} equals the {} in all {} elements\n", c.argument, reference, c.elements);
  return fmt::format(
      "check: {} agrees with the {} in all {} elements; largest error {:.3g}, at most {:.3g} of the "
      "tolerance\n",
      c.argument, reference, c.elements, c.largest_error, c.largest_ratio);
}

nlohmann::json check_json(const measure::CheckReport& report) {
  nlohmann::json arguments = nlohmann::json::array();
  for (const measure::Comparison& c : report.arguments)
    arguments.push_back({{"argument", c.argument},
                         {"elements", c.elements},
                         {"mismatches", c.mismatches},
                         {"unbounded", c.unbounded},
                         {"largest_error", c.largest_error},
                         {"largest_error_over_tolerance", c.largest_ratio}});
  return {{"agrees", report.agrees()}, {"reference", report.reference}, {"arguments", arguments}};
}

}  // namespace

int run(const RunOptions& options) {
  require(options.repeat > 0, "--repeat {}: must be at least 1", options.repeat);
  // Before anything asks for the pool.
  if (options.program.threads > 0)
    setenv("ARDEA_NUM_THREADS", std::to_string(options.program.threads).c_str(), 1);
  const target::Target machine = target::find(options.target);
  require(machine.kind != target::Kind::cpu || options.target == "host",
          "run --target {}: a CPU's programs run on the one that is here; leave it out, or name a GPU",
          options.target);
  const std::string backend = options.backend.empty() ? backend_of(machine) : options.backend;
  const Program given = load_program(options.program, machine);
  if (given.record && machine.kind == target::Kind::cpu)
    setenv("ARDEA_NUM_THREADS", std::to_string(given.record->task.task.threads).c_str(), 1);
  const Function& f = chosen_function(given.module, options);
  const Runnable program = on_backend(f, backend, machine);
  const Function& meant = given.meaning_of(f);
  const std::vector<interp::Argument> arguments = measure::make_arguments(
      given.packed_parameter ? meant : f, {.seed = options.seed, .sizes = options.sizes});
  // A slip of the keyboard must not run on a size that nobody named.
  if (!options.program.shape.empty())
    for (const auto& [size, value] : measure::extents_of(meant, arguments))
      require(options.sizes.contains(size.name()),
              "run {} {}: {} is a name, the size that a call gives; say which with --size {}=64, or write a "
              "number in "
              "its place",
              options.program.program, options.program.shape, size.name(), size.name());
  const auto weights = packed_weights(given, backend, machine);
  const std::vector<interp::Argument> before =
      weights ? measure::with_packed(*weights, arguments) : arguments;
  const std::vector<interp::Argument> after = measure::copy_arguments(before);
  runtime::ThreadPool& pool = runtime::ThreadPool::shared();
  pool.take_most_used();
  program.run(after);
  const int threads = pool.take_most_used();
  std::optional<measure::CheckReport> report;
  if (options.check) report = measure::check(meant, arguments, after);
  const runtime::Timing timing = timed(program, measure::copy_arguments(before), options);
  const std::optional<Rates> rates = program.on_gpu ? rates_on_gpu(given, f, machine, before, timing.median_s)
                                                    : rates_of(given, f, before, timing.median_s, threads);

  nlohmann::json answer = {{"program", given.title},
                           {"function", f.name},
                           {"hash", fmt::format("{:016x}", structural_hash(f))},
                           {"backend", backend},
                           {"target", machine.name},
                           {"seed", options.seed}};
  if (!options.save.empty()) save_run(options.save, f, before, after, answer);
  answer["parameters"] = parameters_json(f);
  answer["median_s"] = timing.median_s;
  answer["min_s"] = timing.min_s;
  answer["repeats"] = timing.samples.size();
  answer["calls_per_repeat"] = timing.number;
  answer["compile_s"] = program.compile_s;
  answer["prepacked"] = weights.has_value();
  if (given.record) answer["record"] = record_json(*given.record);
  if (given.workload) answer["workload"] = ops::to_string(*given.workload);
  if (rates) answer["rates"] = rate_json(*rates);
  if (report) answer["check"] = check_json(*report);
  if (options.json) {
    write_out(answer.dump(2) + "\n");
  } else {
    std::string text = argument_line(f, before) + "\n";
    text += fmt::format("{}: median {}, least {} ({} x {} calls)", backend, time_text(timing.median_s),
                        time_text(timing.min_s), timing.samples.size(), timing.number);
    if (program.compile_s > 0) text += fmt::format("; compiled in {}", time_text(program.compile_s));
    if (weights) text += fmt::format("; weights {} by {}", measure::prepacked_label, weights->program.name);
    text += "\n";
    if (rates) text += rate_line(*rates);
    if (report)
      for (const measure::Comparison& c : report->arguments) text += comparison_line(c, report->reference);
    if (!options.save.empty()) text += "saved to " + options.save + "\n";
    write_out(text);
  }
  return report && !report->agrees() ? exit_disagrees : exit_ok;
}

}  // namespace ardea::cli
