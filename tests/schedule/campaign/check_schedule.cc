#include "tests/schedule/campaign/check_schedule.h"

#include <fmt/core.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/arith/verify.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "tests/random/dependent_nests.h"
#include "tests/random/random_program.h"
#include "tests/schedule/campaign/operator_chain.h"
#include "tests/schedule/campaign/prefix_program.h"
#include "tests/schedule/campaign/product_program.h"
#include "tests/schedule/campaign/row_chain.h"
#include "tests/schedule/campaign/window_chain.h"

namespace ardea::schedule {

namespace {

using Arguments = std::vector<interp::Argument>;

const target::Target& host() {
  static const target::Target machine = target::host();  // reading it takes longer than most programs
  return machine;
}

/// Every third program: its loops depend on one another.
bool has_dependent_loops(std::uint64_t seed) { return seed % 3 == 1; }

Function program_of(std::uint64_t seed, Random& random) {
  if (has_dependent_loops(seed)) return random_programs::dependent_nests(random);
  if (seed % 4 == 1) return operator_chain(random);
  if (seed % 4 == 2) return window_chain(random);
  if (seed % 8 == 3) return row_chain(random);
  if (seed % 8 == 7 || seed % 16 == 12 || seed % 32 == 4) return product_program(random);
  if (seed % 32 == 20 || seed % 32 == 0) return prefix_program(random);
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

/// What schedules count on: memory that each iteration of a loop has for itself is allocated inside it.
void check_privacy(const Function& program) {
  const Function placed = lower::lower_until(program, host(), "place_allocations");
  OwnMemory memory(program);
  for (const Path& path : memory.loops())
    for (const Buffer& own : memory.of(path)) {
      const LoopRef reference{path.loop().var};
      bool found = false;
      visit_stmts(path_to(placed, reference)->back(), [&](const Stmt& inner) {
        const auto* allocate = inner.as<Allocate>();
        found = found || (allocate != nullptr && allocate->data == own->data);
      });
      require(found, "{} is each iteration's own in loop {}, but not allocated in it", own->name,
              path.loop().var.name());
    }
}

void run(const Function& program, const Arguments& arguments, std::uint64_t seed) {
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  // What Ardea writes is the same at every level; LLVM's own work on it is looked at in every eighth program.
  compile::Options options;
  if (seed % 8 != 0) options.optimization_level = 0;
  compile::callable(program, host(), options).call(values);
}

int loops_of_kind(const Function& f, ForKind kind) {
  int found = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    found += loop != nullptr && loop->kind == kind ? 1 : 0;
  });
  return found;
}

int loops_with(const Function& f, const std::string& annotation) {
  int found = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    found += loop != nullptr && integer_attribute(loop->annotations, annotation, 0) != 0 ? 1 : 0;
  });
  return found;
}

/// What `vectorize` and `parallel` proved to be independent, and steps after them may have made harder to
/// see, lowering proves, too, or says that it does not.
void require_marks_stay(const Function& program) {
  const Function before = lower::lower_until(program, host(), "inject_software_pipeline");
  const Function after = lower::lower_until(program, host(), "independent_iterations");
  for (const auto& [kind, refused] : {std::pair(ForKind::vectorized, lower::lanes_refused_key),
                                      std::pair(ForKind::parallel, lower::threads_refused_key)})
    require(loops_of_kind(before, kind) == loops_of_kind(after, kind) + loops_with(after, refused),
            "{} of {} loops marked for lanes or threads are serial after independent_iterations",
            loops_of_kind(before, kind) - loops_of_kind(after, kind), loops_of_kind(before, kind));
}

}  // namespace

bool is_compiled(const Function& program, std::uint64_t seed, double share) {
  // Not the draws that the program was made of: its first one often says whether its sizes are symbolic, and
  // only such programs would be compiled.
  Random draws = Random(seed).split();
  for (int chances = loops_of_kind(program, ForKind::vectorized) > 0 ? 3 : 1; chances > 0; --chances)
    if (draws.chance(share)) return true;
  return false;
}

void check(const Function& original, const Schedule& schedule, std::uint64_t seed, bool compiled) {
  const Function& program = schedule.program();
  arith::require_valid(program, "verify");
  check_privacy(program);
  const std::string steps = seed % 2 == 0 ? print(schedule.trace()) : to_json(schedule.trace()).dump();
  Schedule again(original);
  again.replay(parse_steps(steps, "trace"));
  require(print(again.program()) == print(program), "the trace replays to another program");
  const Arguments before = campaign_arguments(original, seed);
  const Arguments interpreted = measure::copy_arguments(before);
  interp::run(program, interpreted);
  compare(original, before, interpreted, "interpreted");
  if (!compiled) return;
  const Arguments computed = measure::copy_arguments(before);
  run(program, computed, seed);
  compare(original, before, computed, "compiled");
}

std::string schedule_failure(std::uint64_t seed, const CampaignOptions& options, StepCounts& counts) {
  Random random(seed);
  Function original;
  std::string steps;
  try {
    original = program_of(seed, random);
    Schedule schedule(original);
    try {
      const bool dependent = has_dependent_loops(seed);
      StepJudge judge(original, seed);
      take_random_steps(schedule, random, dependent ? 12 : 17, dependent, judge, counts);
      const bool compiled = is_compiled(schedule.program(), seed, options.compiled);
      check(original, schedule, seed, compiled);
      const bool marks_are_ours = seed % 3 != 0;  // others come with the program
      if (marks_are_ours)
        if (const auto race = judge.race(schedule.program())) throw InternalError(*race);
      if (marks_are_ours && compiled) require_marks_stay(schedule.program());
      if (options.show)
        fmt::print("seed {}\n{}{}{}\n", seed, print(original), print(schedule.trace()),
                   print(schedule.program()));
      return "";
    } catch (const std::exception&) {
      steps = print(schedule.trace()) + print(schedule.program());
      throw;
    }
  } catch (const std::exception& e) {
    return fmt::format("seed {}: {}\n{}{}", seed, e.what(), original.body.defined() ? print(original) : "",
                       steps);
  }
}

std::string count_table(const StepCounts& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{:<22} applied {:7} refused {:7}", name, count.applied, count.refused);
    if (count.on_dependent > 0) text += fmt::format("  on dependent loops {:7}", count.on_dependent);
    text += "\n";
  }
  return text;
}

std::string refusal_table(const StepCounts& counts) {
  struct Row {
    std::string name;
    RefusalCount count;
  };
  std::vector<Row> rows;
  for (const auto& [name, count] : counts)
    for (const auto& [code, refusals] : count.refusals)
      rows.push_back({fmt::format("{}: {}", name, code), refusals});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.count.legal, a.count.refused) > std::pair(b.count.legal, b.count.refused);
  });
  std::string text =
      "refusals by reason; of those judged by their accesses or, where not proved, by a run, how many were "
      "legal\n";
  for (const auto& [name, count] : rows) {
    text += fmt::format("{:<56} {:7}", name, count.refused);
    if (count.judged > 0) text += fmt::format("  judged {:7} legal {:7}", count.judged, count.legal);
    text += "\n";
  }
  return text;
}

}  // namespace ardea::schedule
