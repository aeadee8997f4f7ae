#include "ardea/schedule/primitives/memory/rolling_window.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/iterator_values.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;

class FindingWindow {
 public:
  FindingWindow(const Function& f, const Path& path, std::size_t loop, Context& context)
      : path_(path),
        loop_(*path[loop].as<For>()),
        block_(path.block()),
        context_(context),
        inside_(between(path, loop + 1)),
        facts_(path.upto(loop + 1).facts(f, false)) {}

  Result<RollingWindow> run() {
    ARDEA_TRY(check_iterations());
    ARDEA_TRY(find_boxes());
    ARDEA_TRY(find_moving());
    for (const auto check : {&FindingWindow::check_size, &FindingWindow::check_order,
                             &FindingWindow::check_conditions, &FindingWindow::check_reductions})
      ARDEA_TRY((this->*check)());
    ARDEA_TRY(find_dimension());
    return window_;
  }

  /// The same boxes of the reduce iterators, whole, under conditions that do not follow the loop.
  std::optional<Refusal> check_sums() {
    ARDEA_TRY(find_boxes());
    ARDEA_TRY(check_conditions());
    return check_reductions();
  }

 private:
  const std::string& loop_name() const { return loop_.var.name(); }
  const BlockIterator& moving() const { return block_.iterators[window_.iterator]; }

  Refusal not_a_window(const std::string& why) const {
    return {"not_a_window", fmt::format("what block {} computes in one iteration of loop {} is not proved to "
                                        "be a box, each element once: {}",
                                        block_.name, loop_name(), why)};
  }

  /// In a template the same dimension moves whatever the numbers are. With a loop of one iteration none does.
  std::optional<Refusal> check_iterations() {
    if (context_.structure() != Structure::of_template) return std::nullopt;
    return context_.require(facts_, as_index(loop_.extent) >= make_int(2), [&] {
      return Refusal{"window_stays",
                     fmt::format("loop {} has {} iterations; only with two or more is there a window that "
                                 "moves",
                                 loop_name(), print(loop_.extent))};
    });
  }

  /// One box for all iterators, every point of it by one iteration of the loops inside.
  std::optional<Refusal> find_boxes() {
    std::vector<Expr> conditions = inside_.conditions;
    conditions.insert(conditions.end(), inside_.bindings.begin(), inside_.bindings.end());
    for (const Expr& e : conditions)
      if (arith::reads_memory(e)) return not_a_window(print(e) + " is read from memory");
    map_ = arith::iter_map(inside_.bindings, inside_.loops, {}, facts_);
    if (!map_ || !map_->surjective || !map_->injective) {
      std::vector<std::string> bindings;
      for (const Expr& binding : inside_.bindings) bindings.push_back(print(binding));
      return not_a_window("its iterators are " + join(bindings, ", "));
    }
    for (arith::MixedRadix& binding : map_->bindings) {
      binding.base = facts_.simplify(as_index(binding.base));
      binding.extent = facts_.simplify(as_index(binding.extent));
    }
    return std::nullopt;
  }

  std::optional<Refusal> find_moving() {
    std::vector<std::size_t> moving;
    for (std::size_t k = 0; k < block_.iterators.size(); ++k) {
      const arith::MixedRadix& box = map_->bindings[k];
      if (uses(box.base, loop_.var) || uses(box.extent, loop_.var)) moving.push_back(k);
    }
    if (moving.empty())
      return Refusal{
          "window_stays",
          fmt::format("block {} computes the same in each iteration of loop {}", block_.name, loop_name()),
          {},
          [] { return std::string("add_guard lets it run in the first one only"); }};
    if (moving.size() > 1)
      return Refusal{"two_dimensions_move",
                     fmt::format("the iterators {} and {} of block {} both move with loop {}; a window moves "
                                 "along one dimension",
                                 block_.iterators[moving[0]].var.name(),
                                 block_.iterators[moving[1]].var.name(), block_.name, loop_name())};
    window_.iterator = moving[0];
    window_.first = map_->bindings[moving[0]].base;
    window_.previous = facts_.simplify(substitute(window_.first, loop_.var, loop_.var - 1));
    window_.rows = map_->bindings[moving[0]].extent;
    return std::nullopt;
  }

  std::optional<Refusal> check_size() {
    for (const LoopRef& loop : path_.loops())
      if (uses(window_.rows, loop.var))
        return Refusal{
            "window_size_varies",
            fmt::format("an iteration of loop {} needs {} values of the iterator {} of block {}, "
                        "which is not the same number in each iteration of loop {}",
                        loop_name(), print(window_.rows), moving().var.name(), block_.name, loop.var.name())};
    return std::nullopt;
  }

  /// From each iteration to the next the window moves forwards or stays, by less than its size.
  std::optional<Refusal> check_order() {
    Analyzer later = facts_;
    later.assume(loop_.var > loop_.min);
    const auto begins = [&](const char* what) {
      return fmt::format(
          "it is not proved that the windows of block {} {} from each iteration of loop {} to "
          "the next: they have {} values of {} from {} on",
          block_.name, what, loop_name(), print(window_.rows), moving().var.name(), print(window_.first));
    };
    ARDEA_TRY(context_.require(later, window_.previous <= window_.first,
                               [&] { return Refusal{"window_goes_back", begins("never go back")}; }));
    return context_.require(later, window_.first - window_.previous < window_.rows, [&] {
      return Refusal{
          "no_overlap", begins("overlap"), {}, [] {
            return std::string("where they do not, compute_at is enough: lowering keeps one window");
          }};
    });
  }

  /// Each point of the box comes from one iteration of the loops inside, which the inverse of the bindings
  /// gives: a condition on the iteration is one on the point. It must be the same one whatever iteration of
  /// the loop it is.
  std::optional<Refusal> check_conditions() {
    if (inside_.conditions.empty()) return std::nullopt;
    std::vector<Expr> values;
    Analyzer facts = facts_;
    for (const BlockIterator& iterator : block_.iterators) {
      values.push_back(iterator.var);
      facts.bind(iterator.var, iterator.domain);
    }
    const auto loops = arith::inverse(*map_, values, inside_.loops, facts);
    if (!loops) return not_a_window("its loops do not follow from its iterators");
    const Substitution iteration(loops->begin(), loops->end());
    for (const Expr& condition : inside_.conditions)
      if (uses(facts.simplify(substitute(condition, iteration)), loop_.var))
        return Refusal{
            "condition_moves",
            fmt::format("whether block {} computes an element depends on the iteration of loop {}, "
                        "not on the element alone: {}",
                        block_.name, loop_name(), print(condition))};
    return std::nullopt;
  }

  std::optional<Refusal> check_reductions() {
    for (std::size_t k = 0; k < block_.iterators.size(); ++k) {
      const BlockIterator& iterator = block_.iterators[k];
      if (iterator.kind != IteratorKind::reduce) continue;
      const arith::MixedRadix& box = map_->bindings[k];
      ARDEA_TRY(context_.require(facts_,
                                 logical_and(equals(box.base, as_index(iterator.domain.min)),
                                             equals(box.extent, as_index(iterator.domain.extent))),
                                 [&] {
                                   return Refusal{
                                       "partial_reduction",
                                       fmt::format("block {} runs {} values of its reduce iterator {} in one "
                                                   "iteration of loop {}, not all {}",
                                                   block_.name, print(box.extent), iterator.var.name(),
                                                   loop_name(), print(iterator.domain.extent))};
                                 }));
    }
    return std::nullopt;
  }

  /// The iterator that moves is, but for a constant, one index of the element, and in no other.
  std::optional<Refusal> find_dimension() {
    const BufferRegion& element = block_.writes->front();
    std::size_t found = 0;
    Expr rest;
    for (std::size_t d = 0; d < element.region.size(); ++d) {
      const Range& range = element.region[d];
      ARDEA_TRY(context_.require(facts_, equals(as_index(range.extent), make_int(1)), [&] {
        return not_a_window(fmt::format("one of its instances writes {}", print(element)));
      }));
      if (!uses(range.min, moving().var)) continue;
      ++found;
      window_.dimension = d;
      rest = facts_.simplify(as_index(range.min) - as_index(moving().var));
    }
    const bool is_row =
        found == 1 && std::none_of(block_.iterators.begin(), block_.iterators.end(),
                                   [&](const BlockIterator& it) { return uses(rest, it.var); });
    if (is_row) return std::nullopt;
    return not_a_window(
        fmt::format("{} is not an index of {} by itself", moving().var.name(), print(element)));
  }

  const Path& path_;
  const For& loop_;
  const Block& block_;
  Context& context_;
  const Between inside_;
  const Analyzer facts_;
  std::optional<arith::IterMap> map_;
  RollingWindow window_;
};

}  // namespace

Result<RollingWindow> rolling_window(const Function& f, const Path& path, std::size_t loop,
                                     Context& context) {
  return FindingWindow(f, path, loop, context).run();
}

std::optional<Refusal> refuse_other_sums(const Function& f, const Path& path, std::size_t loop,
                                         Context& context) {
  return FindingWindow(f, path, loop, context).check_sums();
}

}  // namespace ardea::schedule
