#include "ardea/schedule/program/chain.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Result<Chain> chain_of(const Function& f, const std::vector<LoopRef>& loops) {
  if (loops.empty()) return Refusal{"no_loops", "there are no loops; name at least one"};
  Path outermost;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (std::count(loops.begin(), loops.end(), loops[i]) > 1)
      return Refusal{"loop_named_twice", fmt::format("loop {} is named twice", loops[i].var.name())};
    Path path = ARDEA_TRY(refer(f, loops[i]));
    if (outermost.empty() || path.size() < outermost.size()) outermost = std::move(path);
  }
  Chain chain{outermost, {}, outermost.facts(f)};
  std::size_t left = loops.size();
  for (Stmt s = outermost.back(); left > 0; s = chain.loops.back()->body) {
    const auto* loop = s.as<For>();
    if (loop == nullptr) {
      std::string missing;
      for (const LoopRef& wanted : loops) {
        const bool seen = std::any_of(chain.loops.begin(), chain.loops.end(),
                                      [&](const For* l) { return l->var == wanted.var; });
        if (!seen && missing.empty()) missing = wanted.var.name();
      }
      return Refusal{"not_a_chain",
                     fmt::format("something other than a loop stands inside loop {}, before loop {} comes",
                                 chain.loops.back()->var.name(), missing)};
    }
    chain.loops.push_back(loop);
    left -= static_cast<std::size_t>(std::count(loops.begin(), loops.end(), LoopRef{loop->var}));
  }
  return chain;
}

namespace {

/// What the bounds of the loop divide by, numbers aside.
std::vector<Expr> divisors_in_bounds(const For& loop) {
  std::vector<Expr> found;
  for (const Expr* bound : {&loop.min, &loop.extent})
    visit_exprs(*bound, [&](const Expr& e) {
      if (!is_integer_division(e)) return;
      const Expr& divisor = e.as<Binary>()->right;
      if (constant_int(divisor).value_or(0) == 0) found.push_back(divisor);
    });
  return found;
}

std::optional<Refusal> refuse_division_by_zero(const For& loop, const arith::Analyzer& facts,
                                               Context& context) {
  for (const Expr& divisor : divisors_in_bounds(loop))
    ARDEA_TRY(context.require(facts, not_equals(divisor, make_int(0, divisor.type())), [&] {
      return Refusal{"bounds_depend",
                     fmt::format("the bounds of loop {} depend on loops around it: they divide by {}, which "
                                 "must differ from 0 where these do not run",
                                 loop.var.name(), print(divisor))};
    }));
  return std::nullopt;
}

bool has_divisors(const Chain& chain) {
  return std::any_of(chain.loops.begin(), chain.loops.end(),
                     [](const For* loop) { return !divisors_in_bounds(*loop).empty(); });
}

}  // namespace

std::optional<Refusal> refuse_undefined_bounds(const Chain& chain, const std::vector<std::size_t>& order,
                                               Context& context) {
  if (!has_divisors(chain)) return std::nullopt;
  arith::Analyzer facts = chain.facts;
  for (auto place = order.begin(); place != order.end(); ++place) {
    const For& loop = *chain.loops[*place];
    // Behind all the loops that were around it, it is as defined as it was.
    const auto still_around = static_cast<std::size_t>(
        std::count_if(order.begin(), place, [&](std::size_t other) { return other < *place; }));
    if (still_around < *place) ARDEA_TRY(refuse_division_by_zero(loop, facts, context));
    facts.bind(loop.var, {loop.min, loop.extent});
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_undefined_bounds(const Chain& chain, Context& context) {
  // The outermost one's stand there already.
  for (std::size_t i = 1; i < chain.loops.size(); ++i)
    ARDEA_TRY(refuse_division_by_zero(*chain.loops[i], chain.facts, context));
  return std::nullopt;
}

std::optional<Refusal> refuse_dependent_bounds(const Chain& chain) {
  for (const For* loop : chain.loops)
    for (const For* other : chain.loops)
      if (uses(loop->min, other->var) || uses(loop->extent, other->var))
        return Refusal{"bounds_depend", fmt::format("the bounds of loop {} depend on loop {}",
                                                    loop->var.name(), other->var.name())};
  return std::nullopt;
}

}  // namespace ardea::schedule
