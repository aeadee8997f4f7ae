#include "ardea/schedule/primitives/loops/fuse.h"

#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/chain.h"
#include "ardea/schedule/program/plain_loop.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const Fuse& step, Context& context) {
  const Chain chain = ARDEA_TRY(chain_of(f, step.loops));
  if (chain.loops.size() != step.loops.size())
    return Refusal{
        "not_adjacent",
        fmt::format(
            "{} loops stand from the first to the last of the {} named; name all of them, or reorder first",
            chain.loops.size(), step.loops.size())};
  for (std::size_t i = 0; i < chain.loops.size(); ++i) {
    if (!(chain.loops[i]->var == step.loops[i].var))
      return Refusal{"not_outermost_first",
                     fmt::format("loop {} stands outside loop {}; name them outermost first",
                                 chain.loops[i]->var.name(), step.loops[i].var.name())};
    ARDEA_TRY(refuse_unless_plain(*chain.loops[i]));
  }
  ARDEA_TRY(refuse_dependent_bounds(chain));
  ARDEA_TRY(refuse_undefined_bounds(chain, context));

  std::string name;
  DataType type = chain.loops[0]->var.type();
  for (const For* loop : chain.loops) {
    name += loop->var.name() + "_";
    if (loop->var.type().bits > type.bits) type = loop->var.type();
  }
  // One negative extent makes the product run nothing, two would not: of those that may be, all but the first
  // count as 0 then.
  const arith::Analyzer around = chain.path.facts(f);
  Expr extent;
  bool may_be_negative = false;
  for (const For* loop : chain.loops) {
    Expr one = make_cast(type, loop->extent);
    if (!context.decides(around, loop->extent >= make_int(0, loop->extent.type()))) {
      if (may_be_negative) one = max(one, make_int(0, type));
      may_be_negative = true;
    }
    extent = extent.defined() ? extent * one : one;
  }
  const Var fused(name + "fused", type);
  // From the innermost outwards: the remainder is the loop's, the quotient is for the loops outside.
  Substitution values;
  Expr rest = fused;
  for (std::size_t i = chain.loops.size(); i-- > 0;) {
    const For& loop = *chain.loops[i];
    const Expr own = make_cast(type, loop.extent), count = i == 0 ? rest : floor_mod(rest, own);
    values[loop.var] =
        make_cast(loop.var.type(), is_zero(loop.min) ? count : make_cast(type, loop.min) + count);
    rest = floor_div(rest, own);
  }
  const Stmt nest = make_for(fused, make_int(0, fused.type()), extent, substitute(chain.body(), values));
  Applied applied{
      with(f, chain.path,
           simplify_bindings(nest, chain.path.facts(f, !step.preserve_unit_iters), step.preserve_unit_iters)),
      {LoopRef{fused}}};
  for (const LoopRef& loop : step.loops) applied.forwarding.push_back({loop, {LoopRef{fused}}});
  return applied;
}

}  // namespace ardea::schedule
