#include "ardea/rules/program_space.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "ardea/rules/witnesses.h"
#include "ardea/space/explain.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "ardea/support/timings.h"

namespace ardea::rules {

namespace {

/// The answers up to a question, and another one there.
std::vector<std::size_t> other_way(const std::vector<Way>& ways, std::size_t at, std::size_t answer) {
  std::vector<std::size_t> prefix;
  for (std::size_t i = 0; i < at; ++i) prefix.push_back(ways[i].taken);
  prefix.push_back(answer);
  return prefix;
}

/// So that every space is made, or not, in a time that somebody waits for.
constexpr std::size_t most_ways = 1024;
/// Where each stage of a chain has its own ways, they multiply: of rules, the ways that leave the model's
/// least often are followed.
constexpr std::size_t most_sketches_of_rules = 32;

class Ways {
 public:
  Ways(const Function& program, const target::Target& target, const std::function<void(Derivation&)>& steps,
       const SketchOptions& options, std::size_t most_sketches)
      : steps_(steps), options_(options), most_sketches_(most_sketches), space_{program, target, {}, {}} {}

  ProgramSpace run() && {
    struct Open {
      std::vector<std::size_t> prefix;
      schedule::Schedule::History past;  ///< of the one that it leaves
    };
    std::vector<Open> open = {{}};
    // The model's way is the first; then those that leave it once, late before early; then twice, …
    for (std::size_t next = 0; next < open.size(); ++next) {
      if (space_.sketches.size() == most_sketches_) {
        space_.not_followed = open.size() - next;
        break;
      }
      const Open from = std::exchange(open[next], {});
      const std::vector<std::size_t>& prefix = from.prefix;
      Derivation d(space_.program, space_.target, prefix, from.past);
      follow(d);
      const std::vector<Way>& ways = d.ways();
      for (std::size_t at = ways.size(); at-- > prefix.size();)
        for (std::size_t answer = 0; answer < ways[at].answers.size(); ++answer)
          if (answer != ways[at].taken) open.push_back({other_way(ways, at, answer), d.steps().history()});
      require(open.size() <= most_ways,
              "{}: its choices make more than {} ways, each a space of its own; offer fewer",
              space_.program.name, most_ways);
    }
    if (space_.sketches.empty())
      fail("{} has no space on {}: {}", space_.program.name, space_.target.name, why_none());
    return std::move(space_);
  }

 private:
  std::string why_none() const {
    const std::vector<LeftOut>& out = space_.left_out;
    if (out.size() == 1) return out[0].reason;
    return fmt::format("none of {} ways is left. The first, {}: {}", out.size(), to_string(out[0].ways),
                       out[0].reason);
  }

  Sketch sketch_of(Derivation& d) const {
    {
      const TimedSection timed("space", "steps");
      steps_(d);
    }
    const TimedSection timed("space", "constraints");
    return make_sketch(space_.program, d, options_);
  }

  void follow(Derivation& d) {
    try {
      Sketch sketch = sketch_of(d);
      if (const auto conflict = space::why_unsatisfiable(sketch.system)) {
        std::string reason = space::in_words(sketch.system, *conflict);
        reason.pop_back();  // the end of its last line
        space_.left_out.push_back({d.ways(), std::move(reason)});
        return;
      }
      space_.sketches.push_back(solved(std::move(sketch)));
    } catch (const Error& refused) {
      space_.left_out.push_back({d.ways(), refused.what()});
    }
  }

  const std::function<void(Derivation&)>& steps_;
  const SketchOptions& options_;
  std::size_t most_sketches_;
  ProgramSpace space_;
};

}  // namespace

space::Count ProgramSpace::count(std::uint64_t seed) const {
  space::Count all{0, 0, 0};
  for (const SolvedSketch& solved : sketches) {
    const space::Count one = solved.solver->count(seed);
    all.value += one.value;
    all.error = std::hypot(all.error, one.error);
    all.exact = all.exact && one.exact ? std::optional(*all.exact + *one.exact) : std::nullopt;
  }
  return all;
}

Drawn ProgramSpace::sample(std::size_t count, std::uint64_t seed) const {
  Random random(seed);
  std::vector<std::size_t> of_each(sketches.size(), 0), order;
  for (std::size_t i = 0; i < count; ++i) {
    order.push_back(static_cast<std::size_t>(random.integer(0, std::ssize(sketches) - 1)));
    ++of_each[order.back()];
  }
  Drawn all;
  std::vector<std::vector<space::Point>> points;
  for (std::size_t i = 0; i < sketches.size(); ++i) {
    if (of_each[i] == 0) {
      points.emplace_back();
      continue;
    }
    space::Samples drawn = sketches[i].solver->sample(of_each[i], seed + i);
    points.push_back(std::move(drawn.points));
    if (!drawn.alarm.empty()) all.alarms.push_back(fmt::format("sketch {}: {}", i, drawn.alarm));
  }
  std::vector<std::size_t> used(sketches.size(), 0);
  for (const std::size_t sketch : order)
    if (const std::size_t at = used[sketch]++; at < points[sketch].size())
      all.choices.push_back({sketch, points[sketch][at]});
  return all;
}

schedule::Schedule ProgramSpace::materialise(const rules::Choice& choice) const {
  return rules::materialise(sketches.at(choice.sketch).sketch, choice.point);
}

SolvedSketch solved(Sketch sketch) {
  // A space has dozens of sketches, and somebody waits for all of them. Trees that succeed take fewer steps;
  // where sums join all stages of a chain, none that anybody waits for would do, and walks serve.
  constexpr std::uint64_t steps_of_a_tree = 1'000'000;
  std::unique_ptr<space::Solver> solver;
  {
    const TimedSection timed("space", "solver");
    solver = std::make_unique<space::Solver>(sketch.system,
                                             space::SolverOptions{.tree = {.work = steps_of_a_tree}});
  }
  const TimedSection timed("space", "witnesses");
  // What was proved for all numbers needs no judgement: then two are tried, for what no proof speaks of.
  judge_at(sketch, sketch.deferred.empty() ? witnesses(*solver, 2) : witnesses(*solver));
  return {std::move(sketch), std::move(solver)};
}

ProgramSpace program_space(const Function& program, const target::Target& target,
                           const std::function<void(Derivation&)>& steps, const SketchOptions& options) {
  return Ways(program, target, steps, options, most_ways).run();
}

ProgramSpace program_space(const Function& program, const target::Target& target, const RuleSet& rules,
                           const SketchOptions& options) {
  const std::function<void(Derivation&)> steps = [&](Derivation& d) { derive(d, rules); };
  return Ways(program, target, steps, options, most_sketches_of_rules).run();
}

std::optional<ModelSchedule> model_schedule(const Function& program, const target::Target& target,
                                            const RuleSet& rules, Wishes wishes) {
  Derivation d(program, target, wishes);
  derive(d, rules);
  if (d.rules().empty()) return std::nullopt;
  return ModelSchedule{d.steps(), d.rules(), d.has_packed_ahead()};
}

}  // namespace ardea::rules
