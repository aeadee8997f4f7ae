#include "tests/schedule/check_schedule.h"

#include <nlohmann/json.hpp>

#include "ardea/arith/verify.h"
#include "ardea/build/build.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "tests/random/random_program.h"
#include "tests/schedule/random_chain.h"

namespace ardea::schedule {

namespace {

using Arguments = std::vector<interp::Argument>;

Function program_of(std::uint64_t seed, Random& random) {
  if (seed % 2 == 0) return random_chain(random);
  random_programs::RandomProgramOptions options;
  options.floats = random_programs::FloatUse::smooth;
  options.transformed_loops = seed % 3 == 0;
  options.most_stages = 3;
  options.largest_extent = 7;
  return random_programs::random_program(random, options);
}

void compare(const Function& original, const Arguments& before, const Arguments& after, const char* how) {
  for (const measure::Comparison& c :
       measure::check(original, before, after, measure::Reference::interpreter).arguments)
    require(c.mismatches == 0, "{}: {} at {} is {} instead of {}", how, c.argument, c.index, c.got,
            c.expected);
}

void run(const Function& program, const Arguments& arguments) {
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  build::compile(program, target::host()).call(values);
}

}  // namespace

void check(const Function& original, const Schedule& schedule, std::uint64_t seed) {
  const Function& program = schedule.program();
  arith::require_valid(program, "verify");
  for (const std::string& steps : {print(schedule.trace()), to_json(schedule.trace()).dump()}) {
    Schedule again(original);
    again.replay(parse_steps(steps, "trace"));
    require(print(again.program()) == print(program), "the trace replays to another program");
  }
  Random random(seed);
  std::map<std::string, std::int64_t> sizes;
  for (const Var& v : shape_variables(original)) sizes[v.name()] = random.integer(1, 9);
  const Arguments before = measure::make_arguments(original, {.seed = seed, .sizes = sizes});
  const Arguments interpreted = measure::copy_arguments(before), compiled = measure::copy_arguments(before);
  interp::run(program, interpreted);
  compare(original, before, interpreted, "interpreted");
  run(program, compiled);
  compare(original, before, compiled, "compiled");
}

std::string schedule_failure(std::uint64_t seed, StepCounts& counts) {
  Random random(seed);
  const Function original = program_of(seed, random);
  Schedule schedule(original);
  try {
    take_random_steps(schedule, random, 8, counts);
    check(original, schedule, seed);
    return "";
  } catch (const std::exception& e) {
    return fmt::format("seed {}: {}\n{}{}{}", seed, e.what(), print(original), print(schedule.trace()),
                       print(schedule.program()));
  }
}

std::string count_table(const StepCounts& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{:<18} applied {:6} refused {:6}\n", name, count.applied, count.refused);
  return text;
}

}  // namespace ardea::schedule
