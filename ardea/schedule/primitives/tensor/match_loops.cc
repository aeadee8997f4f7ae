#include "ardea/schedule/primitives/tensor/match_loops.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/print.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

std::string counted(const std::vector<For>& loops) {
  std::vector<std::string> parts;
  for (const For& loop : loops) parts.push_back(fmt::format("{} of {}", loop.var.name(), print(loop.extent)));
  return parts.empty() ? "no loop" : join(parts, ", ");
}

/// The search for the loops of one way to pair the accesses of instruction and nest.
class LoopMatching {
 public:
  LoopMatching(const intrin::Instruction& instruction, const StoreNest& formal, const StoreNest& actual,
               const AccessPairs& pairs, const Analyzer& facts, std::size_t& progress)
      : instruction_(instruction),
        formal_(formal),
        actual_(actual),
        pairs_(pairs),
        facts_(facts),
        progress_(progress) {}

  Result<MatchedLoops> run() {
    progress_ = 0;
    ARDEA_TRY(find_places());
    used_.assign(actual_.loops.size(), false);
    for (std::size_t v = 0; v < used_.size(); ++v)
      used_[v] = is_one(facts_.simplify(actual_.loops[v].extent));
    if (!assign(0, 1)) return no_assignment();
    return std::move(found_);
  }

 private:
  std::optional<Refusal> find_places() {
    const Analyzer none;
    for (const AccessPair& pair : pairs_) {
      const auto formal = affine_place(pair.formal, pair.formal_indices, formal_.loops, none);
      const auto actual = affine_place(pair.actual, pair.actual_indices, actual_.loops, facts_);
      ensure(formal.has_value(), "{}: its access of {} is not affine", instruction_.name, pair.formal->name);
      if (!actual)
        return Refusal{"layout_differs",
                       fmt::format("{} is at {} of {}, which the loops do not reach by constant steps",
                                   pair.formal->name, print(make_load(pair.actual, pair.actual_indices)),
                                   pair.actual->name)};
      found_.formal_places.push_back(*formal);
      actual_places_.push_back(*actual);
    }
    for (std::size_t a = 0; a < pairs_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (!(pairs_[a].formal == pairs_[b].formal)) continue;
        if (!facts_.proves(equals(actual_places_[a].start, actual_places_[b].start)))
          return Refusal{"computes_something_else",
                         fmt::format("{} is one element in the instruction, but {} and {} in the nest",
                                     pairs_[a].formal->name,
                                     print(make_load(pairs_[b].actual, pairs_[b].actual_indices)),
                                     print(make_load(pairs_[a].actual, pairs_[a].actual_indices)))};
      }
    return std::nullopt;
  }

  static std::optional<std::int64_t> constant_extent(const For& loop, const Analyzer& facts) {
    return constant_int(facts.simplify(loop.extent));
  }

  /// Loops of the nest for the instruction's loop w, of which the fastest `done` values have theirs already.
  bool assign(std::size_t w, std::int64_t done) {
    if (w == formal_.loops.size())
      return std::all_of(used_.begin(), used_.end(), [](bool used) { return used; });
    progress_ = std::max(progress_, w);
    const std::int64_t wanted = *constant_int(formal_.loops[w].extent);
    if (done == wanted) return assign(w + 1, 1);
    for (std::size_t v = 0; v < used_.size(); ++v) {
      const auto extent = constant_extent(actual_.loops[v], facts_);
      if (used_[v] || !extent || wanted % (done * *extent) != 0) continue;
      const auto before = found_.integers;
      if (steps_agree(w, v, done)) {
        used_[v] = true;
        if (assign(w, done * *extent)) return true;
        used_[v] = false;
      }
      found_.integers = before;
    }
    return false;
  }

  /// Whether loop v moves each access as `times` iterations of the instruction's loop w do; strides that are
  /// parameters become what they must be.
  bool steps_agree(std::size_t w, std::size_t v, std::int64_t times) {
    for (std::size_t a = 0; a < pairs_.size(); ++a) {
      Expr wanted = found_.formal_places[a].steps[w];
      const Expr& step = actual_places_[a].steps[v];
      if (const auto stride = parameter_times(wanted)) {
        const auto& [parameter, factor] = *stride;
        const auto known = found_.integers.find(parameter.name());
        const Expr value = known != found_.integers.end()
                               ? known->second
                               : facts_.simplify(floor_div(step, make_int(factor * times, step.type())));
        found_.integers.emplace(parameter.name(), value);
        wanted = value * factor;
      }
      if (!facts_.proves(equals(wanted * times, step))) return false;
    }
    return true;
  }

  /// A step that is a parameter, or so many times one.
  static std::optional<std::pair<Var, std::int64_t>> parameter_times(const Expr& step) {
    if (step.is<VarNode>()) return std::pair(Var(step), std::int64_t{1});
    const auto* product = step.as<Binary>();
    if (product == nullptr || product->op != BinaryOp::mul || !product->left.is<VarNode>())
      return std::nullopt;
    const auto factor = constant_int(product->right);
    return factor && *factor > 0 ? std::optional(std::pair(Var(product->left), *factor)) : std::nullopt;
  }

  std::string steps_of(const std::vector<AffinePlace>& places, std::size_t loop, bool formal) const {
    std::vector<std::string> parts;
    std::vector<Buffer> seen;
    for (std::size_t a = 0; a < pairs_.size(); ++a) {
      if (std::find(seen.begin(), seen.end(), pairs_[a].formal) != seen.end()) continue;
      seen.push_back(pairs_[a].formal);
      parts.push_back(fmt::format("{} by {}", (formal ? pairs_[a].formal : pairs_[a].actual)->name,
                                  print(places[a].steps[loop])));
    }
    return join(parts, ", ");
  }

  Refusal no_assignment() const {
    std::int64_t wanted = 1, found = 1;
    bool known = true;
    for (const For& loop : formal_.loops) wanted *= *constant_int(loop.extent);
    for (const For& loop : actual_.loops) {
      const auto extent = constant_extent(loop, facts_);
      known = known && extent.has_value();
      found *= extent.value_or(1);
    }
    if (!known || wanted != found)
      return {
          "extents_differ",
          fmt::format("the nest runs {}, the instruction {}", counted(actual_.loops), counted(formal_.loops)),
          {},
          [] {
            return std::string("split the loops by what the instruction runs, and reorder the rest outwards");
          }};
    const std::size_t w = std::min(progress_, formal_.loops.size() - 1);
    std::vector<std::string> mine;
    for (std::size_t v = 0; v < actual_.loops.size(); ++v)
      if (!is_one(actual_.loops[v].extent))
        mine.push_back(fmt::format("{} of {} moves {}", actual_.loops[v].var.name(),
                                   print(actual_.loops[v].extent), steps_of(actual_places_, v, false)));
    return {"layout_differs",
            fmt::format("{} of {} moves {} elements in the instruction, but in the nest {}",
                        formal_.loops[w].var.name(), print(formal_.loops[w].extent),
                        steps_of(found_.formal_places, w, true), join(mine, "; ")),
            {},
            [this_layout = layouts()] {
              return "pack the operands by transform_layout, or copy them by cache_read and cache_write, so "
                     "that " +
                     this_layout;
            }};
  }

  /// "A lies as [4], B as [16, 4]"
  std::string layouts() const {
    std::vector<std::string> parts;
    for (const ardea::Parameter& parameter : instruction_.meaning.parameters) {
      if (!parameter.buffer.defined()) continue;
      std::vector<std::string> extents;
      for (const Expr& extent : parameter.buffer->shape) extents.push_back(print(extent));
      parts.push_back(fmt::format("{} lies as [{}]", parameter.buffer->name, join(extents, ", ")));
    }
    return join(parts, ", ");
  }

  const intrin::Instruction& instruction_;
  const StoreNest &formal_, &actual_;
  const AccessPairs& pairs_;
  const Analyzer& facts_;
  std::size_t& progress_;
  MatchedLoops found_;
  std::vector<AffinePlace> actual_places_;  ///< one a pair
  std::vector<bool> used_;                  ///< one a loop of the nest
};

}  // namespace

Result<MatchedLoops> match_loops(const intrin::Instruction& instruction, const StoreNest& formal,
                                 const StoreNest& actual, const AccessPairs& pairs, const Analyzer& facts,
                                 std::size_t& progress) {
  return LoopMatching(instruction, formal, actual, pairs, facts, progress).run();
}

}  // namespace ardea::schedule
