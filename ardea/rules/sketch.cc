#include "ardea/rules/sketch.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/limits_of.h"
#include "ardea/rules/constraint_name.h"
#include "ardea/rules/expressed.h"
#include "ardea/rules/footprints.h"
#include "ardea/space/builder.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"

namespace ardea::rules {

namespace {

using schedule::Knob;
using schedule::Posted;

/// Sizes that only a call knows: what the expression has beside the knobs.
std::vector<Var> sizes_of_a_call(const Expr& e, const Sketch& sketch) {
  std::vector<Var> sizes = free_variables(e);
  std::erase_if(sizes, [&](const Var& var) {
    return std::any_of(sketch.knobs.begin(), sketch.knobs.end(),
                       [&](const Knob& knob) { return knob.var == var; });
  });
  return sizes;
}

/// The most that is taken at any call, in terms of the knobs; undefined where that has no end.
Expr most_taken(const Expr& taken, const Sketch& sketch) {
  const std::vector<Var> sizes = sizes_of_a_call(taken, sketch);
  if (sizes.empty()) return taken;
  const Expr most = arith::facts_of(sketch.symbolic).bounds(taken, sizes).high;
  return most.defined() && sizes_of_a_call(most, sketch).empty() ? most : Expr();
}

/// Conditions as constraints of a system, each of a name of its own.
class Poster {
 public:
  Poster(space::System& system, Expressed expressed) : builder_(system), expressed_(std::move(expressed)) {}

  /// The names: a conjunction is as many constraints as it has parts.
  std::vector<std::string> post(const std::string& name, const Expr& condition, const std::string& reason) {
    std::vector<std::string> names;
    for (const Expr& part : arith::conjuncts(condition)) {
      names.push_back(names_.own(name));
      builder_.require(names.back(), expressed_.formula(part), reason);
    }
    return names;
  }

 private:
  space::Builder builder_;
  Expressed expressed_;
  ConstraintNames names_;
};

/// What the program takes of the machine, where that depends on the variables.
void post_limits(Poster& poster, const Sketch& sketch, const target::Target& target) {
  for (const limits::Bound& bound : sketch.taken) {
    if (!bound.available || !bound.taken.defined()) continue;
    const Expr most = most_taken(bound.taken, sketch);
    // A call with large arrays needs large ones inside, whatever is chosen: memory is its caller's affair.
    if (!most.defined() && bound.name == "bytes in global") continue;
    require(most.defined(),
            "{}: it takes {} {}, which grows with the size at the call, and the target {} has {}; put them "
            "inside of a tile of a known size",
            sketch.program.name, print(bound.taken), bound.name, target.name, *bound.available);
    const std::string fact = fmt::format("the program takes {} {}, the target {} has {}", print(most),
                                         bound.name, target.name, *bound.available);
    if (const auto number = constant_int(most)) {
      require(*number <= *bound.available, "{}: {}; make its tiles smaller", sketch.program.name, fact);
      continue;
    }
    poster.post(bound.name, most <= make_int(*bound.available), fact);
  }
}

/// What its nests work on fits into the cache of that level.
void post_footprints(Poster& poster, const Sketch& sketch, const target::Target& target, int level) {
  const auto cache = std::find_if(target.caches.begin(), target.caches.end(),
                                  [&](const target::Cache& c) { return c.level == level; });
  require(cache != target.caches.end(), "{}: within cache {}: the target {} has no such cache",
          sketch.program.name, level, target.name);
  std::unordered_set<Var> said;  // blocks of one nest share its loops
  for (const SoftVariable& variable : footprints_of(sketch, target)) {
    const auto& [block, of_level, loop, bytes] = variable.footprint;
    if (of_level != level || !said.insert(loop).second) continue;
    const Expr most = bytes.defined() ? most_taken(bytes, sketch) : bytes;
    require(most.defined(), "{}: within cache {}: nothing bounds what an iteration of {} touches around {}",
            sketch.program.name, level, loop.name(), block);
    const std::string fact =
        fmt::format("an iteration of {} touches {} bytes around {}, cache {} of {} has {}", loop.name(),
                    print(most), block, level, target.name, cache->bytes);
    if (const auto number = constant_int(most)) {
      require(*number <= cache->bytes, "{}: {}", sketch.program.name, fact);
      continue;
    }
    poster.post(variable.name, most <= make_int(cache->bytes), fact);
  }
}

/// What was made, with the constraints that its context and the rules posted.
Sketch sketch_of(const Function& program, const target::Target& target, const schedule::Schedule& made,
                 const std::vector<Posted>& kept, const SketchOptions& options) {
  const auto& context = dynamic_cast<const schedule::Posting&>(made.context());
  Sketch sketch{program, made.trace(), made.program(), context.knobs(), {}, context.deferred()};
  std::unordered_map<Var, space::Var> variables;
  for (const Knob& knob : sketch.knobs)
    variables.emplace(knob.var, sketch.system.knob(knob.var.name(), space::Domain::of(knob.values)));
  Poster poster(sketch.system, Expressed(std::move(variables)));
  for (const Posted& posted : context.posted())
    poster.post(constraint_name(posted), posted.condition, posted.fact);
  for (const Posted& posted : kept)
    for (std::string& name : poster.post(posted.code, posted.condition, posted.fact))
      sketch.kept.push_back(std::move(name));
  sketch.taken = limits::bounds_of(lower::limits_of(sketch.symbolic, target), target);
  post_limits(poster, sketch, target);
  if (options.within_cache) post_footprints(poster, sketch, target, *options.within_cache);
  return sketch;
}

}  // namespace

Sketch make_sketch(const Function& program, const target::Target& target,
                   const std::function<void(schedule::Schedule&)>& steps, const SketchOptions& options) {
  schedule::Schedule made(program, std::make_unique<schedule::Posting>());
  steps(made);
  return sketch_of(program, target, made, {}, options);
}

Sketch make_sketch(const Function& program, const Derivation& derived, const SketchOptions& options) {
  Sketch sketch = sketch_of(program, derived.target(), derived.steps(), derived.kept(), options);
  sketch.ways = derived.ways();
  std::vector<std::int64_t> numbers;
  for (const Knob& knob : sketch.knobs) {
    const auto known = derived.model().find(knob.var.name());
    if (known == derived.model().end()) return sketch;
    numbers.push_back(known->second);
  }
  const auto point = space::complete_knobs(sketch.system, numbers);
  if (point && space::is_solution(sketch.system, *point)) sketch.model = point;
  return sketch;
}

}  // namespace ardea::rules
