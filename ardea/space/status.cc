#include "ardea/space/engine.h"

/// What a condition is for all values left: true, false, or not yet decided.

namespace ardea::space {
namespace {

Truth3 status_of(const Store& store, const Linear& x) {
  __int128 least = x.constant, most = x.constant;
  const auto add = [&](__int128 c, int v) {
    least += c > 0 ? c * store.low(v) : c * store.high(v);
    most += c > 0 ? c * store.high(v) : c * store.low(v);
  };
  for (const Scaled& term : x.terms) add(term.coefficient, term.variable.index);
  if (x.right.is_variable()) {
    add(-1, x.right.variable().index);
  } else {
    least -= x.right.number();
    most -= x.right.number();
  }
  const auto decided = [](bool yes, bool no) {
    return yes ? Truth3::yes : no ? Truth3::no : Truth3::unknown;
  };
  switch (x.relation) {
    case Relation::eq: return decided(least == 0 && most == 0, least > 0 || most < 0);
    case Relation::ne: return decided(least > 0 || most < 0, least == 0 && most == 0);
    case Relation::le: return decided(most <= 0, least > 0);
    case Relation::lt: return decided(most < 0, least >= 0);
    case Relation::ge: return decided(least >= 0, most < 0);
    case Relation::gt: return decided(least > 0, most <= 0);
  }
  return Truth3::unknown;
}

/// Whether all, none or some of a variable's values left pass.
template <class Passes>
Truth3 status_of_values(const Store& store, int v, Passes&& passes) {
  bool any = false, all = true;
  store.for_each(v, [&](std::int64_t value) { passes(value) ? any = true : all = false; });
  return all ? Truth3::yes : any ? Truth3::unknown : Truth3::no;
}

Truth3 status_of(const Store& store, const Member& x) {
  const int v = x.variable.index;
  if (store.layout().is_listed(v))
    return status_of_values(store, v, [&](std::int64_t value) { return x.set.contains(value); });
  const auto least = x.set.at_least(store.low(v));
  if (!least || *least > store.high(v)) return Truth3::no;
  if (*least > store.low(v)) return Truth3::unknown;
  for (const Range& range : x.set.ranges())
    if (range.low <= store.low(v) && store.high(v) <= range.high) return Truth3::yes;
  return Truth3::unknown;
}

Truth3 status_of(const Store& store, const Divides& x) {
  const auto fixed = [&](const Operand& o) { return !o.is_variable() || store.fixed(o.variable().index); };
  const auto value = [&](const Operand& o) {
    return o.is_variable() ? store.low(o.variable().index) : o.number();
  };
  const auto listed = [&](const Operand& o) {
    return o.is_variable() && store.layout().is_listed(o.variable().index);
  };
  const auto fits = [](std::int64_t divisor, std::int64_t number) {
    return divisor == 0 ? number == 0 : number % divisor == 0;
  };
  if (fixed(x.divisor) && fixed(x.number))
    return fits(value(x.divisor), value(x.number)) ? Truth3::yes : Truth3::no;
  if (fixed(x.divisor)) {
    const std::int64_t divisor = value(x.divisor);
    if (divisor == 1 || divisor == -1) return Truth3::yes;
    if (listed(x.number))
      return status_of_values(store, x.number.variable().index,
                              [&](std::int64_t number) { return fits(divisor, number); });
  } else if (fixed(x.number)) {
    const std::int64_t number = value(x.number);
    if (number == 0) return Truth3::yes;
    if (listed(x.divisor))
      return status_of_values(store, x.divisor.variable().index,
                              [&](std::int64_t divisor) { return fits(divisor, number); });
  }
  return Truth3::unknown;
}

}  // namespace

Truth3 status(const Store& store, const Condition& condition) {
  return std::visit([&](const auto& x) { return status_of(store, x); }, condition);
}

}  // namespace ardea::space
