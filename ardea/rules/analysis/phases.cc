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

}  // namespace

std::vector<std::int64_t> periods_of(const Contraction& c) {
  const auto right = PeriodSearch(c, c.right).run(), left = PeriodSearch(c, c.left).run();
  // An iterator that is cut moves one operand alone from then on: the same one, so that rows are many.
  return std::count(left.begin(), left.end(), 1) < std::count(right.begin(), right.end(), 1) ? left : right;
}

}  // namespace ardea::rules
