#include "ardea/rules/analysis/phases.h"

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// Longer ones are no stride that anybody takes, and each is asked for.
constexpr std::int64_t longest_stride = 16;

/// What one operand and the condition see of an iterator.
class SeenParts {
 public:
  SeenParts(const Contraction& c, const Load& operand) : c_(c), seen_(operand.indices) {
    if (c.condition.defined()) seen_.push_back(c.condition);
  }

  /// The shortest stride of which they see the remainder alone; 1 where there is none.
  std::int64_t stride(std::size_t iterator) const {
    const std::int64_t most = std::min(longest_stride, c_.stage.extents[iterator] - 1);
    for (std::int64_t period = 2; period <= most; ++period)
      if (!sees(iterator, period, true)) return period;
    return 1;
  }

  /// The longest group of which they see the quotient alone; 1 where there is none.
  std::int64_t group(std::size_t iterator) const {
    const std::int64_t extent = c_.stage.extents[iterator];
    for (std::int64_t groups = 2; groups * 2 <= extent; ++groups)
      if (extent % groups == 0 && !sees(iterator, extent / groups, false)) return extent / groups;
    return 1;
  }

 private:
  bool sees(std::size_t iterator, std::int64_t period, bool is_quotient) const {
    const Var quotient("quotient"), remainder("remainder");
    arith::Analyzer facts;
    for (std::size_t i = 0; i < c_.stage.iterators.size(); ++i)
      if (i != iterator) facts.bind(c_.stage.iterators[i], {make_int(0), make_int(c_.stage.extents[i])});
    facts.bind(quotient, {make_int(0), make_int(ceil_div(c_.stage.extents[iterator], period))});
    facts.bind(remainder, {make_int(0), make_int(period)});
    const Var& var = c_.stage.iterators[iterator];
    const Expr value = make_cast(var.type(), quotient * period + remainder);
    return std::any_of(seen_.begin(), seen_.end(), [&](const Expr& e) {
      return uses(facts.simplify(substitute(e, var, value)), is_quotient ? quotient : remainder);
    });
  }

  const Contraction& c_;
  std::vector<Expr> seen_;
};

}  // namespace

bool Phases::are_one() const {
  return std::all_of(periods.begin(), periods.end(), [](std::int64_t period) { return period == 1; });
}

Phases phases_of(const Contraction& c) {
  const SeenParts left(c, c.left), right(c, c.right);
  const auto strides = [&](const SeenParts& operand) {
    std::vector<std::int64_t> periods(c.stage.iterators.size(), 1);
    for (const std::size_t i : c.batch) periods[i] = operand.stride(i);
    return periods;
  };
  Phases found{strides(right), c.extent(c.rows), c.extent(c.columns)};
  // The rest of an iterator moves one operand alone: the same one for all, so that its side is long.
  auto of_left = strides(left);
  const bool is_left = std::count(of_left.begin(), of_left.end(), 1) <
                       std::count(found.periods.begin(), found.periods.end(), 1);
  if (is_left) found.periods = std::move(of_left);
  for (const std::size_t i : c.batch) {
    std::int64_t& period = found.periods[i];
    if (period > 1) {
      (is_left ? found.columns : found.rows) *= ceil_div(c.stage.extents[i], period);
    } else if ((period = left.group(i)) > 1) {
      found.columns *= period;
    } else if ((period = right.group(i)) > 1) {
      found.rows *= period;
    }
  }
  return found;
}

}  // namespace ardea::rules
