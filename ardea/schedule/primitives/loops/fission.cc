#include "ardea/schedule/primitives/loops/fission.h"

#include <algorithm>

#include "ardea/arith/dependence.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

namespace {

/// A statement in two parts that run one after the other.
struct Parts {
  Stmt before;  ///< may be empty
  Stmt after;
  std::vector<Reference> loops = {};  ///< around the block in `after`, outermost first
};

/// The sequence with the part `at` in two.
Parts divide(const Seq& sequence, const Stmt& at, Parts inner) {
  std::vector<Stmt> before, after;
  bool passed = false;
  for (const Stmt& part : sequence.statements) {
    if (part == at) {
      passed = true;
      if (inner.before.defined()) before.push_back(inner.before);
      after.push_back(inner.after);
    } else {
      (passed ? after : before).push_back(part);
    }
  }
  return {before.empty() ? Stmt() : make_seq(before), make_seq(after), std::move(inner.loops)};
}

For over(For loop, Stmt body) {
  loop.body = std::move(body);
  return loop;
}

std::optional<Refusal> refuse_to_divide(const For& loop, const Parts& inner, const arith::Analyzer& facts,
                                        Context& context) {
  ARDEA_TRY(refuse_unless_plain(loop));
  if (arith::has_effects(inner.before) && arith::has_effects(inner.after))
    return Refusal{"both_call_out",
                   fmt::format("both parts of loop {} call out, and their calls would change "
                               "places",
                               loop.var.name())};
  const std::vector<arith::LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
  for (const arith::Conflict& conflict : conflicts_between(inner.before, inner.after, range, facts))
    if (runs_backwards(conflict))
      ARDEA_TRY(context.judge(
          Refusal{"fission_breaks_dependence",
                  fmt::format("an iteration of loop {} touches {} in the later part, and one after it {} in "
                              "the earlier part",
                              loop.var.name(), print(conflict.second), print(conflict.first))}));
  return std::nullopt;
}

/// The loop in two: the second part gets a loop of its own, unless it has it all.
Parts divide(const For& loop, Parts inner) {
  if (!inner.before.defined()) {
    inner.after = over(loop, inner.after);
    inner.loops.insert(inner.loops.begin(), LoopRef{loop.var});
    return inner;
  }
  For second = loop;
  second.var = Var(loop.var.name(), loop.var.type());
  inner.before = over(loop, inner.before);
  inner.after = over(second, substitute(inner.after, loop.var, second.var));
  inner.loops.insert(inner.loops.begin(), LoopRef{second.var});
  return inner;
}

}  // namespace

Outcome apply(const Function& f, const Fission& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  ARDEA_TRY(refer(f, step.loop));
  const std::string& name = path.block().name;
  const std::vector<LoopRef> around = path.loops();
  if (std::find(around.begin(), around.end(), step.loop) == around.end())
    return Refusal{"loop_not_around_block",
                   fmt::format("loop {} does not stand around block {}", step.loop.var.name(), name)};

  Parts parts{{}, path.back()};
  std::size_t at = path.size() - 1;
  while (true) {
    const Stmt& inner = path[at--];
    if (const auto* sequence = path[at].as<Seq>()) {
      parts = divide(*sequence, inner, std::move(parts));
      continue;
    }
    const auto* loop = path[at].as<For>();
    if (loop == nullptr)
      return Refusal{
          "not_only_loops",
          fmt::format("something other than loops and sequences stands between loop {} and block {}",
                      step.loop.var.name(), name)};
    const Path outside = path.upto(at);
    if (parts.before.defined()) ARDEA_TRY(refuse_to_divide(*loop, parts, outside.facts(f), context));
    parts = divide(*loop, std::move(parts));
    if (!(loop->var == step.loop.var)) continue;
    if (!parts.before.defined())
      return Refusal{"nothing_before",
                     fmt::format("nothing stands before block {} under loop {}", name, loop->var.name())};
    return Applied{with(f, outside, make_seq({parts.before, parts.after})), std::move(parts.loops)};
  }
}

}  // namespace ardea::schedule
