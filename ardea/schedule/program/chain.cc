#include "ardea/schedule/program/chain.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/substitute.h"
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

std::optional<Refusal> refuse_dependent_bounds(const Chain& chain) {
  for (const For* loop : chain.loops)
    for (const For* other : chain.loops)
      if (uses(loop->min, other->var) || uses(loop->extent, other->var))
        return Refusal{"bounds_depend", fmt::format("the bounds of loop {} depend on loop {}",
                                                    loop->var.name(), other->var.name())};
  return std::nullopt;
}

}  // namespace ardea::schedule
