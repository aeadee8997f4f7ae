#include "ardea/schedule/primitives/loops/merge.h"

#include <algorithm>
#include <ranges>

#include "ardea/arith/dependence.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/chain.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

/// One of the nests: its loops from the sequence down to the named one.
struct Nest {
  Path path;  ///< to the named loop
  std::size_t position = 0;
  std::vector<const For*> loops = {};

  const std::string& name() const { return loops.back()->var.name(); }
};

/// "loop m (block D)", for what stands in the way.
std::string described(const Stmt& s) {
  std::vector<std::string> blocks;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* block = part.as<Block>()) blocks.push_back(block->name);
  });
  const std::string inside = blocks.empty() ? "" : " (" + join(blocks, ", ") + ")";
  if (const auto* loop = s.as<For>()) return "loop " + loop->var.name() + inside;
  return s.is<Block>() ? "block " + blocks[0] : "a statement" + inside;
}

/// The nests under common loops, `depth` of them.
struct Together {
  std::vector<arith::LoopRange> loops;
  std::vector<Stmt> bodies;
};

Together together(const std::vector<Nest>& nests, std::size_t depth) {
  Together result;
  for (std::size_t i = 0; i < depth; ++i) {
    const For& loop = *nests[0].loops[i];
    result.loops.emplace_back(Var(loop.var.name() + "_m", loop.var.type()), Range{loop.min, loop.extent});
  }
  for (const Nest& nest : nests) {
    Substitution values;
    for (std::size_t i = 0; i < depth; ++i)
      values[nest.loops[i]->var] = make_cast(nest.loops[i]->var.type(), result.loops[i].first);
    result.bodies.push_back(substitute(nest.loops[depth - 1]->body, values));
  }
  return result;
}

/// A conflict that would run the wrong way round, and the nests that have it.
struct Broken {
  std::size_t earlier, later;
  arith::Conflict conflict;
};

std::optional<Broken> first_broken(const Together& merged, const arith::Analyzer& facts) {
  for (std::size_t i = 0; i < merged.bodies.size(); ++i)
    for (std::size_t j = i + 1; j < merged.bodies.size(); ++j)
      for (arith::Conflict& conflict :
           conflicts_between(merged.bodies[i], merged.bodies[j], merged.loops, facts))
        if (runs_backwards(conflict)) return Broken{i, j, std::move(conflict)};
  return std::nullopt;
}

/// How far the nests could be merged, for those that ask for too much.
std::string legal_depth(const std::vector<Nest>& nests, const arith::Analyzer& facts) {
  for (std::size_t depth = nests[0].loops.size() - 1; depth > 0; --depth) {
    if (first_broken(together(nests, depth), facts)) continue;
    std::vector<std::string> names;
    for (const Nest& nest : nests) names.push_back(nest.loops[depth - 1]->var.name());
    return "they can be merged down to the loops " + join(names, ", ");
  }
  return "";
}

/// One merge: finding the nests, the checks, the new nest.
class Merging {
 public:
  Merging(const Function& f, const Merge& step) : f_(f), step_(step) {}

  Outcome run(Context& context) {
    ARDEA_TRY(find_nests());
    ARDEA_TRY(check_shapes(context));
    merged_ = together(nests_, first().loops.size());
    ARDEA_TRY(check_order(context));
    return result();
  }

 private:
  std::optional<Refusal> find_nests() {
    if (step_.loops.empty()) return Refusal{"no_loops", "there are no loops; name one of each nest"};
    if (step_.loops.size() < 2)
      return Refusal{"one_loop", "one loop cannot be merged; name one of each nest, at least two"};
    for (const LoopRef& loop : step_.loops) {
      if (std::count(step_.loops.begin(), step_.loops.end(), loop) > 1)
        return Refusal{"loop_named_twice", fmt::format("loop {} is named twice", loop.var.name())};
      Path found = ARDEA_TRY(refer(f_, loop));
      nests_.push_back({std::move(found)});
    }
    const auto is_shared = [&](std::size_t i) {
      return std::all_of(nests_.begin(), nests_.end(), [&](const Nest& nest) {
        return i < nest.path.size() && nest.path[i] == nests_[0].path[i];
      });
    };
    while (is_shared(depth_)) ++depth_;
    const auto* sequence = depth_ == 0 ? nullptr : nests_[0].path[depth_ - 1].as<Seq>();
    for (Nest& nest : nests_) {
      const std::string& name = nest.path.loop().var.name();
      if (sequence == nullptr || nest.path.size() <= depth_)
        return Refusal{"not_siblings", fmt::format("the nest of loop {} does not stand beside the others in "
                                                   "one sequence",
                                                   name)};
      const auto at = std::find(sequence->statements.begin(), sequence->statements.end(), nest.path[depth_]);
      nest.position = static_cast<std::size_t>(at - sequence->statements.begin());
      for (std::size_t i = depth_; i < nest.path.size(); ++i) {
        nest.loops.push_back(nest.path[i].as<For>());
        if (nest.loops.back() == nullptr)
          return Refusal{"nests_differ",
                         fmt::format("something other than a loop stands around loop {}", name)};
      }
    }
    return in_sequence(*sequence);
  }

  std::optional<Refusal> in_sequence(const Seq& sequence) {
    std::sort(nests_.begin(), nests_.end(),
              [](const Nest& a, const Nest& b) { return a.position < b.position; });
    for (std::size_t i = 1; i < nests_.size(); ++i) {
      const std::size_t before = nests_[i - 1].position, here = nests_[i].position;
      if (before == here)
        return Refusal{"not_siblings", fmt::format("loops {} and {} stand in one nest already",
                                                   nests_[i - 1].name(), nests_[i].name())};
      if (before + 1 < here)
        return Refusal{
            "not_adjacent",
            fmt::format("{} stands between loop {} and loop {}", described(sequence.statements[before + 1]),
                        nests_[i - 1].name(), nests_[i].name()),
            {},
            [] { return std::string("merge it, too, or move it away first"); }};
    }
    sequence_ = &sequence;
    return std::nullopt;
  }

  const Nest& first() const { return nests_[0]; }

  std::optional<Refusal> check_shapes(Context& context) {
    facts_ = first().path.upto(depth_).facts(f_);
    for (const Nest& nest : nests_) {
      if (nest.loops.size() != first().loops.size())
        return Refusal{
            "nests_differ",
            fmt::format("loop {} has {} loops around it in its nest, loop {} has {}", first().name(),
                        first().loops.size() - 1, nest.name(), nest.loops.size() - 1)};
      for (const For* loop : nest.loops) ARDEA_TRY(refuse_unless_plain(*loop));
      ARDEA_TRY(refuse_dependent_bounds({nest.path, nest.loops, facts_}));
      for (std::size_t i = 0; i < nest.loops.size(); ++i)
        ARDEA_TRY(check_bounds(*first().loops[i], *nest.loops[i], context));
    }
    return std::nullopt;
  }

  std::optional<Refusal> check_bounds(const For& a, const For& b, Context& context) const {
    const auto text = [](const For& loop) {
      return fmt::format("loop {} counts from {}, {} times", loop.var.name(), print(loop.min),
                         print(loop.extent));
    };
    const auto differ = [&] { return Refusal{"bounds_differ", text(a) + ", and " + text(b)}; };
    const auto agree = [](const Expr& x, const Expr& y) {
      return equals(make_cast(int64, x), make_cast(int64, y));
    };
    ARDEA_TRY(context.require(facts_, agree(a.min, b.min), differ));
    return context.require(facts_, agree(a.extent, b.extent), differ);
  }

  std::optional<Refusal> check_order(Context& context) const {
    std::vector<std::string> callers;
    for (std::size_t i = 0; i < nests_.size(); ++i)
      if (arith::has_effects(merged_.bodies[i])) callers.push_back(nests_[i].name());
    if (callers.size() > 1)
      return Refusal{"both_call_out", fmt::format("the nests of loop {} and of loop {} both call out, and "
                                                  "their calls would change places",
                                                  callers[0], callers[1])};
    const auto broken = first_broken(merged_, facts_);
    if (!broken) return std::nullopt;
    return context.judge(
        Refusal{"merge_breaks_dependence",
                fmt::format("an iteration of loop {} that touches {} may then come before one of loop {} "
                            "that touches {}",
                            nests_[broken->later].name(), print(broken->conflict.second),
                            nests_[broken->earlier].name(), print(broken->conflict.first)),
                {},
                [nests = nests_, facts = facts_] { return legal_depth(nests, facts); }});
  }

  Outcome result() const {
    Stmt nest = make_seq(merged_.bodies);
    for (const auto& [var, range] : std::views::reverse(merged_.loops))
      nest = make_for(var, range.min, range.extent, nest);
    std::vector<Stmt> statements;
    for (std::size_t i = 0; i < sequence_->statements.size(); ++i) {
      if (i == first().position) statements.push_back(nest);
      if (i < first().position || i > nests_.back().position) statements.push_back(sequence_->statements[i]);
    }
    const Path around = first().path.upto(depth_ - 1);
    Applied applied{with(f_, around, make_seq(statements)), {LoopRef{merged_.loops.back().first}}};
    for (const Nest& old : nests_)
      for (std::size_t i = 0; i < merged_.loops.size(); ++i)
        applied.forwarding.push_back({LoopRef{old.loops[i]->var}, {LoopRef{merged_.loops[i].first}}});
    return applied;
  }

  const Function& f_;
  const Merge& step_;
  std::vector<Nest> nests_;  ///< in program order
  std::size_t depth_ = 0;    ///< how many statements the paths share
  const Seq* sequence_ = nullptr;
  arith::Analyzer facts_;
  Together merged_;
};

}  // namespace

Outcome apply(const Function& f, const Merge& step, Context& context) {
  return Merging(f, step).run(context);
}

}  // namespace ardea::schedule
