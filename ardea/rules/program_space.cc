#include "ardea/rules/program_space.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ardea/rules/witnesses.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/schedule/separate_packing.h"
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

std::unique_ptr<space::Solver> solver_of(const Sketch& sketch) {
  // A space has dozens of sketches, and somebody waits for all of them. Trees that succeed take fewer steps;
  // where sums join all stages of a chain, none that anybody waits for would do, and walks serve.
  constexpr std::uint64_t steps_of_a_tree = 1'000'000;
  const TimedSection timed("space", "solver");
  return std::make_unique<space::Solver>(sketch.system,
                                         space::SolverOptions{.tree = {.work = steps_of_a_tree}});
}

class Ways {
 public:
  Ways(const Function& program, const target::Target& target, const std::function<void(Derivation&)>& steps,
       const SpaceOptions& options, std::size_t most_sketches)
      : steps_(steps),
        options_(options),
        threads_(options.threads > 0 ? options.threads : runtime::ThreadPool::shared().thread_count()),
        most_sketches_(most_sketches),
        space_{program, target, {}, {}} {}

  ProgramSpace run() && {
    std::vector<Open> open = {{}};
    // The model's way is the first; then those that leave it once, late before early; then twice, …
    for (std::size_t next = 0; next < open.size();) {
      if (space_.sketches.size() == most_sketches_) {
        space_.not_followed = open.size() - next;
        break;
      }
      // Each gives a sketch or none: so many are followed in any case, whoever follows them first.
      const std::size_t together = std::min(open.size() - next, most_sketches_ - space_.sketches.size());
      std::vector<Followed> followed(together);
      space::for_each_slot(threads_, together, [&](int, std::size_t i) {
        followed[i] = follow(std::exchange(open[next + i], {}));
      });
      next += together;
      for (Followed& one : followed) add(std::move(one), open);
    }
    if (space_.sketches.empty())
      fail("{} has no space on {}: {}", space_.program.name, space_.target.name, why_none());
    return std::move(space_);
  }

 private:
  struct Open {
    std::vector<std::size_t> prefix;
    schedule::Schedule::History past;  ///< of the one that it leaves
    std::vector<Replayed> tried;       ///< of the same
  };
  struct Followed {
    std::optional<SolvedSketch> sketch;  ///< or
    std::optional<LeftOut> left_out;
    std::vector<Open> others;  ///< that leave it after its own prefix
  };

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
    Sketch sketch = make_sketch(space_.program, d, options_.sketch);
    if (options_.wishes.weights_ahead) {
      require(d.has_packed_ahead(), "it packs no weights ahead");
      schedule::without_packing(sketch.symbolic, schedule::weights_of(space_.program));
    }
    return sketch;
  }

  /// Nothing here is changed by it: several run at once.
  Followed follow(const Open& from) const {
    Followed followed;
    std::vector<Replayed> tried;
    Derivation d(space_.program, space_.target, from.prefix, from.past, options_.wishes);
    try {
      Sketch sketch = sketch_of(d);
      if (const auto conflict = space::why_unsatisfiable(sketch.system)) {
        std::string reason = space::in_words(sketch.system, *conflict);
        reason.pop_back();  // the end of its last line
        followed.left_out = {d.ways(), std::move(reason)};
      } else {
        std::unique_ptr<space::Solver> solver = solver_of(sketch);
        if (options_.tries_what_is_proved || !sketch.deferred.empty()) {
          const TimedSection timed("space", "witnesses");
          tried = judge(sketch, *solver, from.tried);
        }
        followed.sketch = {std::move(sketch), std::move(solver)};
      }
    } catch (const Error& refused) {
      followed.left_out = {d.ways(), refused.what()};
    }
    const std::vector<Way>& ways = d.ways();
    for (std::size_t at = ways.size(); at-- > from.prefix.size();)
      for (std::size_t answer = 0; answer < ways[at].answers.size(); ++answer)
        if (answer != ways[at].taken)
          followed.others.push_back({other_way(ways, at, answer), d.steps().history(), tried});
    return followed;
  }

  void add(Followed followed, std::vector<Open>& open) {
    if (followed.sketch) space_.sketches.push_back(*std::move(followed.sketch));
    if (followed.left_out) space_.left_out.push_back(*std::move(followed.left_out));
    std::move(followed.others.begin(), followed.others.end(), std::back_inserter(open));
    require(open.size() <= most_ways,
            "{}: its choices make more than {} ways, each a space of its own; offer fewer",
            space_.program.name, most_ways);
  }

  const std::function<void(Derivation&)>& steps_;
  const SpaceOptions& options_;
  int threads_;
  std::size_t most_sketches_;
  ProgramSpace space_;
};

}  // namespace

std::vector<space::Count> ProgramSpace::counts(std::uint64_t seed) const {
  std::vector<space::Count> all;
  for (const SolvedSketch& solved : sketches) all.push_back(solved.solver->count(seed));
  return all;
}

space::Count sum_of(const std::vector<space::Count>& counts) {
  space::Count all{0, 0, 0};
  for (const space::Count& one : counts) {
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
  std::unique_ptr<space::Solver> solver = solver_of(sketch);
  judge(sketch, *solver);
  return {std::move(sketch), std::move(solver)};
}

ProgramSpace program_space(const Function& program, const target::Target& target,
                           const std::function<void(Derivation&)>& steps, const SpaceOptions& options) {
  return Ways(program, target, steps, options, most_ways).run();
}

ProgramSpace program_space(const Function& program, const target::Target& target, const RuleSet& rules,
                           const SpaceOptions& options) {
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
