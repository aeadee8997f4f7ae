#include "tests/random/loop_nests.h"

#include <algorithm>

namespace ardea::random_programs {

namespace {

using LoopValues = std::vector<Var>;  // by the number of the loop
using OfLoops = std::function<Expr(const LoopValues&)>;

struct Loop {
  Expr min, extent;
  IteratorKind feeds = IteratorKind::spatial;  ///< the kind of the iterators that it feeds, if one kind
  bool mixed = false;                          ///< feeds iterators of two kinds
  ForKind kind = ForKind::serial;
  std::string thread = {};
};

struct Plan {
  std::vector<Loop> loops;
  std::vector<OfLoops> bindings;  ///< one an iterator
  std::vector<OfLoops> guards;
};

class Planner {
 public:
  Planner(ProgramState& state, const std::vector<IteratorSpec>& iterators)
      : state_(state), random_(state.random()), iterators_(iterators) {}

  Plan plan() {
    plan_.bindings.resize(iterators_.size());
    for (std::size_t i = 0; i < iterators_.size(); ++i) {
      const double draw = state_.options().transformed_loops ? random_.real() : 1;
      const bool pair = i + 1 < iterators_.size();
      if (draw < 0.12 && pair)
        fuse(i), ++i;
      else if (draw < 0.32)
        split(i);
      else if (draw < 0.38)
        split_twice(i);
      else if (draw < 0.45)
        shift(i);
      else
        plain(i);
    }
    if (state_.options().transformed_loops) {
      if (random_.chance(0.08)) add({state_.index(0), state_.index(1)});  // a loop that nothing is bound to
      choose_kinds();
    }
    return std::move(plan_);
  }

 private:
  std::size_t add(Loop loop) {
    plan_.loops.push_back(std::move(loop));
    return plan_.loops.size() - 1;
  }
  std::size_t add_over(const Expr& extent, IteratorKind feeds) {
    return add({state_.index(0), extent, feeds});
  }

  void plain(std::size_t i) {
    const std::size_t l = add_over(iterators_[i].axis.extent, iterators_[i].kind);
    plan_.bindings[i] = [l](const LoopValues& v) { return v[l]; };
  }

  void shift(std::size_t i) {
    const std::int64_t start = random_.integer(-3, 5);
    const std::size_t l = add({state_.index(start), iterators_[i].axis.extent, iterators_[i].kind});
    plan_.bindings[i] = [l, start](const LoopValues& v) { return v[l] - start; };
  }

  /// ⌈extent / factor⌉
  Expr parts(const Axis& axis, std::int64_t factor) {
    if (axis.size) return state_.index((*axis.size + factor - 1) / factor);
    return floor_div(axis.extent + (factor - 1), factor);
  }

  void guard(std::size_t i, std::int64_t covered) {
    const Axis& axis = iterators_[i].axis;
    if (axis.size && *axis.size % covered == 0) return;
    plan_.guards.emplace_back([extent = axis.extent, binding = plan_.bindings[i]](const LoopValues& v) {
      return binding(v) < extent;
    });
  }

  void split(std::size_t i) {
    const std::int64_t factor = random_.integer(1, 5);
    const std::size_t outer = add_over(parts(iterators_[i].axis, factor), iterators_[i].kind);
    const std::size_t inner = add_over(state_.index(factor), iterators_[i].kind);
    plan_.bindings[i] = [=](const LoopValues& v) { return v[outer] * factor + v[inner]; };
    guard(i, factor);
  }

  void split_twice(std::size_t i) {
    const std::int64_t a = random_.integer(1, 3), b = random_.integer(2, 3);
    const std::size_t outer = add_over(parts(iterators_[i].axis, a * b), iterators_[i].kind);
    const std::size_t middle = add_over(state_.index(a), iterators_[i].kind);
    const std::size_t inner = add_over(state_.index(b), iterators_[i].kind);
    plan_.bindings[i] = [=](const LoopValues& v) { return v[outer] * (a * b) + v[middle] * b + v[inner]; };
    guard(i, a * b);
  }

  void fuse(std::size_t i) {
    const IteratorSpec &first = iterators_[i], &second = iterators_[i + 1];
    const Expr inner = second.axis.extent;
    const Expr extent = first.axis.size && second.axis.size
                            ? state_.index(*first.axis.size * *second.axis.size)
                            : first.axis.extent * inner;
    const std::size_t l = add_over(extent, first.kind);
    plan_.loops[l].mixed = first.kind != second.kind;
    plan_.bindings[i] = [=](const LoopValues& v) { return floor_div(v[l], inner); };
    plan_.bindings[i + 1] = [=](const LoopValues& v) { return floor_mod(v[l], inner); };
  }

  void choose_kinds() {
    static const std::vector<std::string> threads = {"threadIdx.x", "threadIdx.y", "blockIdx.x",
                                                     "blockIdx.y"};
    std::vector<std::string> free = threads;  // a thread is bound once in a nest
    bool virtual_free = true;
    for (Loop& loop : plan_.loops) {
      const bool fixed = constant_int(loop.extent).has_value();
      const double draw = random_.real();
      if (draw < 0.12 && loop.feeds == IteratorKind::spatial && !loop.mixed) {
        loop.kind = ForKind::parallel;
      } else if (draw < 0.20 && fixed) {
        loop.kind = ForKind::vectorized;
      } else if (draw < 0.28 && fixed) {
        loop.kind = ForKind::unrolled;
      } else if (draw < 0.33 && loop.feeds == IteratorKind::spatial && !loop.mixed && !free.empty() &&
                 constant_int(loop.min) == 0) {
        loop.kind = ForKind::thread_binding;
        loop.thread = free.back();
        free.pop_back();
      } else if (draw < 0.38 && fixed && virtual_free && loop.feeds == IteratorKind::spatial &&
                 constant_int(loop.min) == 0) {
        loop.kind = ForKind::virtual_thread;
        loop.thread = "vthread.x";
        virtual_free = false;
      }
    }
  }

  ProgramState& state_;
  Random& random_;
  const std::vector<IteratorSpec>& iterators_;
  Plan plan_;
};

/// A random order in which loops that feed ordered iterators keep theirs.
std::vector<std::size_t> loop_order(ProgramState& state, const std::vector<Loop>& loops) {
  std::vector<std::size_t> order(loops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!state.options().transformed_loops || !state.random().chance(0.35)) return order;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(state.random().integer(0, static_cast<std::int64_t>(i) - 1))]);
  const auto is_ordered = [&](std::size_t l) {
    return loops[l].mixed || loops[l].feeds == IteratorKind::ordered;
  };
  std::vector<std::size_t> ordered;
  std::copy_if(order.begin(), order.end(), std::back_inserter(ordered), is_ordered);
  std::sort(ordered.begin(), ordered.end());
  auto next = ordered.begin();
  for (std::size_t& l : order)
    if (is_ordered(l)) l = *next++;
  return order;
}

}  // namespace

void block_in_loops(ProgramState& state, const std::string& name, const std::vector<IteratorSpec>& iterators,
                    const BlockBody& body) {
  const Plan plan = Planner(state, iterators).plan();
  const std::vector<std::size_t> order = loop_order(state, plan.loops);
  LoopValues values(plan.loops.size());
  FunctionBuilder& f = state.builder();
  const auto write_block = [&] {
    f.block(name, [&](BlockBuilder& block) {
      std::vector<Var> vars;
      for (std::size_t i = 0; i < iterators.size(); ++i)
        vars.push_back(block.iterator(iterators[i].name, {state.index(0), iterators[i].axis.extent},
                                      iterators[i].kind, plan.bindings[i](values)));
      Expr predicate;
      for (const OfLoops& guard : plan.guards)
        predicate = predicate.defined() ? logical_and(predicate, guard(values)) : guard(values);
      if (predicate.defined()) block.where(predicate);
      body(block, vars);
    });
  };
  const std::function<void(std::size_t)> nest = [&](std::size_t depth) {
    if (depth == order.size()) return write_block();
    const Loop& loop = plan.loops[order[depth]];
    f.loop(
        "i" + std::to_string(order[depth]), loop.min, loop.extent,
        [&](const Var& var) {
          values[order[depth]] = var;
          nest(depth + 1);
        },
        loop.kind, loop.thread);
  };
  nest(0);
}

std::vector<IteratorSpec> spatial_iterators(const std::vector<Axis>& axes) {
  std::vector<IteratorSpec> iterators;
  for (std::size_t i = 0; i < axes.size(); ++i) iterators.push_back({"v" + std::to_string(i), axes[i]});
  return iterators;
}

Scope scope_of(const std::vector<IteratorSpec>& iterators, const std::vector<Var>& vars) {
  Scope scope;
  for (std::size_t i = 0; i < iterators.size(); ++i) scope.indices.push_back({vars[i], iterators[i].axis});
  return scope;
}

}  // namespace ardea::random_programs
