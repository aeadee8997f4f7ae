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

class PeriodSearch {
 public:
  PeriodSearch(const Contraction& c, const Load& repeated) : c_(c), seen_(repeated.indices) {
    if (c.condition.defined()) seen_.push_back(c.condition);
  }

  std::vector<std::int64_t> run() const {
    std::vector<std::int64_t> periods(c_.stage.iterators.size(), 1);
    for (const std::size_t i : c_.batch) {
      const std::int64_t most = std::min(longest_stride, c_.stage.extents[i] - 1);
      for (std::int64_t period = 2; period <= most && periods[i] == 1; ++period)
        if (repeats(i, period)) periods[i] = period;
    }
    return periods;
  }

 private:
  bool repeats(std::size_t iterator, std::int64_t period) const {
    const Var quotient("quotient"), remainder("remainder");
    arith::Analyzer facts;
    for (std::size_t i = 0; i < c_.stage.iterators.size(); ++i)
      if (i != iterator) facts.bind(c_.stage.iterators[i], {make_int(0), make_int(c_.stage.extents[i])});
    facts.bind(quotient, {make_int(0), make_int(ceil_div(c_.stage.extents[iterator], period))});
    facts.bind(remainder, {make_int(0), make_int(period)});
    const Var& var = c_.stage.iterators[iterator];
    const Expr value = make_cast(var.type(), quotient * period + remainder);
    return std::none_of(seen_.begin(), seen_.end(), [&](const Expr& e) {
      return uses(facts.simplify(substitute(e, var, value)), quotient);
    });
  }

  const Contraction& c_;
  std::vector<Expr> seen_;  ///< what must not change
};

std::int64_t quotients(const Contraction& c, const std::vector<std::int64_t>& periods) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < periods.size(); ++i)
    if (periods[i] > 1) count *= ceil_div(c.stage.extents[i], periods[i]);
  return count;
}

}  // namespace

std::int64_t Phases::rows(const Contraction& c) const {
  return c.extent(c.rows) * (repeats_left ? 1 : quotients(c, periods));
}

std::int64_t Phases::columns(const Contraction& c) const {
  return c.extent(c.columns) * (repeats_left ? quotients(c, periods) : 1);
}

bool Phases::are_one() const {
  return std::all_of(periods.begin(), periods.end(), [](std::int64_t period) { return period == 1; });
}

Phases phases_of(const Contraction& c) {
  auto right = PeriodSearch(c, c.right).run(), left = PeriodSearch(c, c.left).run();
  // An iterator that is cut moves one operand alone from then on: the same one for all, so that its side of
  // the products is long.
  const bool repeats_left =
      std::count(left.begin(), left.end(), 1) < std::count(right.begin(), right.end(), 1);
  return {repeats_left ? std::move(left) : std::move(right), repeats_left};
}

}  // namespace ardea::rules
