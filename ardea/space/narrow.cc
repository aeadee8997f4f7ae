#include <algorithm>

#include "ardea/space/engine.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/overloaded.h"

/// A propagator for each kind of constraint. Each must keep every value that a solution has; none must be
/// exact, since a constraint whose variables are all fixed is evaluated by its definition.

namespace ardea::space {
namespace {

using Wide2 = __int128;

/// Products are cut off here: beyond it every value is beyond ±2^60 all the more.
constexpr Wide2 cap = static_cast<Wide2>(1) << 62;

bool is_narrow(Wide2 a) { return a == static_cast<std::int64_t>(a); }

Wide2 floor_of(Wide2 a, Wide2 b) {  // b != 0; in 64 bits where that is enough, which is five times faster
  if (is_narrow(a) && is_narrow(b)) {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    if (y == -1) return -a;
    const std::int64_t q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
  }
  const Wide2 q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

Wide2 ceil_of(Wide2 a, Wide2 b) { return -floor_of(-a, b); }

Wide2 capped_product(Wide2 a, Wide2 b) { return std::clamp(a * b, -cap, cap); }

class Narrowing {
 public:
  explicit Narrowing(Store& store) : store_(store) {}

  bool constraint(const Constraint& c) {
    const Condition* open = nullptr;
    int unknown = 0;
    for (const Condition& guard : c.when) {
      const Truth3 truth = status(store_, guard);
      if (truth == Truth3::no) return true;
      if (truth == Truth3::unknown) open = &guard, ++unknown;
    }
    if (unknown == 0) return body(c.body);
    if (unknown > 1 || truth_of_body(c.body) != Truth3::no) return true;
    return refute(*open);
  }

 private:
  std::int64_t low(const Operand& x) const {
    return x.is_variable() ? store_.low(x.variable().index) : x.number();
  }
  std::int64_t high(const Operand& x) const {
    return x.is_variable() ? store_.high(x.variable().index) : x.number();
  }
  bool fixed(const Operand& x) const { return !x.is_variable() || store_.fixed(x.variable().index); }
  bool listed(const Operand& x) const {
    return x.is_variable() && store_.layout().is_listed(x.variable().index);
  }
  bool has(const Operand& x, std::int64_t value) const {
    return x.is_variable() ? store_.contains(x.variable().index, value) : x.number() == value;
  }
  bool at_least(const Operand& x, Wide2 bound) {
    return x.is_variable() ? store_.set_low(x.variable().index, bound) : x.number() >= bound;
  }
  bool at_most(const Operand& x, Wide2 bound) {
    return x.is_variable() ? store_.set_high(x.variable().index, bound) : x.number() <= bound;
  }
  bool within(const Operand& x, Wide2 least, Wide2 most) { return at_least(x, least) && at_most(x, most); }
  bool equal(const Operand& x, Wide2 value) {
    if (!is_narrow(value)) return false;
    if (!x.is_variable()) return x.number() == value;
    return store_.assign(x.variable().index, static_cast<std::int64_t>(value));
  }
  bool without(const Operand& x, std::int64_t value) {
    return x.is_variable() ? store_.remove(x.variable().index, value) : x.number() != value;
  }
  template <class Keep>
  bool only(const Operand& x, Keep&& keep) {
    return x.is_variable() ? store_.filter(x.variable().index, keep) : keep(x.number());
  }
  const Point& values() const { return store_.state().low; }

  Truth3 truth_of_body(const Body& b) const {
    if (const auto* x = std::get_if<Linear>(&b)) return status(store_, Condition(*x));
    if (const auto* x = std::get_if<Member>(&b)) return status(store_, Condition(*x));
    if (const auto* x = std::get_if<Divides>(&b)) return status(store_, Condition(*x));
    bool all = true;
    for_each_operand(b, [&](const Operand& x) { all = all && fixed(x); });
    if (!all) return Truth3::unknown;
    return holds(b, values()) ? Truth3::yes : Truth3::no;
  }

  bool body(const Body& b) {
    // All fixed: decided. All but the result: computed.
    const Operand* result = result_of(b);
    int open = 0;
    bool result_open = false;
    for_each_operand(b, [&](const Operand& x) {
      if (fixed(x)) return;
      ++open;
      if (result && x == *result) result_open = true;
    });
    if (open == 0) return holds(b, values());
    if (open == 1 && result_open) {
      const auto value = value_of(b, values());
      return value && equal(*result, *value);
    }
    return std::visit([&](const auto& x) { return run(x); }, b);
  }

  // Σ c·x ≤ bound, where the right variable counts with its coefficient.
  struct Scan {
    Wide2 least = 0, most = 0;
  };
  Scan scan(const Linear& x, Wide2 sign) const {
    Scan sum;
    for_each_term(x, [&](std::int64_t coefficient, int v) {
      const Wide2 c = sign * coefficient;
      sum.least += c > 0 ? c * store_.low(v) : c * store_.high(v);
      sum.most += c > 0 ? c * store_.high(v) : c * store_.low(v);
    });
    return sum;
  }
  template <class Visit>
  static void for_each_term(const Linear& x, Visit&& visit) {
    for (const Scaled& term : x.terms) visit(term.coefficient, term.variable.index);
    if (x.right.is_variable()) visit(std::int64_t{-1}, x.right.variable().index);
  }
  static Wide2 bound_of(const Linear& x) {
    return (x.right.is_variable() ? Wide2{0} : Wide2{x.right.number()}) - x.constant;
  }

  bool at_most(const Linear& x, Wide2 sign, Wide2 bound) {
    const Wide2 least = scan(x, sign).least;
    if (least > bound) return false;
    bool fine = true;
    for_each_term(x, [&](std::int64_t coefficient, int v) {
      if (!fine || store_.fixed(v)) return;
      const Wide2 c = sign * coefficient;
      const Wide2 own = c > 0 ? c * store_.low(v) : c * store_.high(v);
      // The other terms' least values are from before this loop: weaker, never wrong.
      const Wide2 room = bound - (least - own);
      fine = c > 0 ? store_.set_high(v, floor_of(room, c)) : store_.set_low(v, ceil_of(room, c));
    });
    return fine;
  }

  bool differs(const Linear& x, Wide2 bound) {
    int open = -1, count = 0;
    std::int64_t coefficient = 0;
    Wide2 rest = bound;
    for_each_term(x, [&](std::int64_t c, int v) {
      if (store_.fixed(v)) {
        rest -= static_cast<Wide2>(c) * store_.low(v);
      } else {
        ++count;
        open = v;
        coefficient = c;
      }
    });
    if (count == 0) return rest != 0;
    if (count > 1 || rest % coefficient != 0 || !is_narrow(rest / coefficient)) return true;
    return store_.remove(open, static_cast<std::int64_t>(rest / coefficient));
  }

  bool related(const Linear& x, Relation relation) {
    const Wide2 bound = bound_of(x);
    switch (relation) {
      case Relation::eq: return at_most(x, 1, bound) && at_most(x, -1, -bound);
      case Relation::ne: return differs(x, bound);
      case Relation::le: return at_most(x, 1, bound);
      case Relation::lt: return at_most(x, 1, bound - 1);
      case Relation::ge: return at_most(x, -1, -bound);
      case Relation::gt: return at_most(x, -1, -bound - 1);
    }
    return true;
  }

  bool run(const Linear& x) { return related(x, x.relation); }

  bool inside(const Operand& x, const Domain& set) {
    if (set.empty()) return false;
    if (!within(x, set.min(), set.max())) return false;
    if (listed(x)) return only(x, [&](std::int64_t value) { return set.contains(value); });
    const auto least = set.at_least(low(x));
    const auto most = set.at_most(high(x));
    return least && most && within(x, *least, *most);
  }

  bool run(const Member& x) { return inside(x.variable, x.set); }

  bool run(const Divides& x) {
    const Operand& d = x.divisor;
    const Operand& n = x.number;
    if (fixed(d)) {
      const std::int64_t divisor = low(d);
      if (divisor == 0) return equal(n, 0);
      const std::int64_t size = divisor < 0 ? -divisor : divisor;
      if (!within(n, ceil_of(low(n), size) * size, floor_of(high(n), size) * size)) return false;
      return !listed(n) || only(n, [&](std::int64_t value) { return value % size == 0; });
    }
    if (fixed(n)) {
      const std::int64_t number = low(n);
      if (number == 0) return true;
      const std::int64_t size = number < 0 ? -number : number;
      if (!within(d, -size, size) || !without(d, 0)) return false;
      return !listed(d) || only(d, [&](std::int64_t value) { return value != 0 && number % value == 0; });
    }
    if (!listed(d) || !listed(n) || d == n) return true;
    const int dv = d.variable().index, nv = n.variable().index;
    if (store_.count(dv) * store_.count(nv) > 256) return true;
    const auto fits = [](std::int64_t divisor, std::int64_t number) {
      return divisor == 0 ? number == 0 : number % divisor == 0;
    };
    return only(n,
                [&](std::int64_t number) {
                  bool any = false;
                  store_.for_each(dv, [&](std::int64_t divisor) { any = any || fits(divisor, number); });
                  return any;
                }) &&
           only(d, [&](std::int64_t divisor) {
             bool any = false;
             store_.for_each(nv, [&](std::int64_t number) { any = any || fits(divisor, number); });
             return any;
           });
  }

  bool run(const Product& x) {
    bool positive = true;
    for (const Operand& factor : x.factors) positive = positive && low(factor) >= 0;
    return positive ? product_of_counts(x) : signed_product(x);
  }

  /// Factors that are not negative, as sizes are.
  bool product_of_counts(const Product& x) {
    const Operand& r = x.result;
    Wide2 least = 1, most = 1, known = 1;
    const Operand* open[2] = {nullptr, nullptr};
    int unknown = 0;
    for (const Operand& factor : x.factors) {
      least = capped_product(least, low(factor));
      most = capped_product(most, high(factor));
      if (fixed(factor)) {
        known = capped_product(known, low(factor));
      } else {
        if (unknown < 2) open[unknown] = &factor;
        ++unknown;
      }
    }
    if (!within(r, least, most)) return false;
    for (const Operand& factor : x.factors) {
      if (fixed(factor)) continue;
      Wide2 others_least = 1, others_most = 1;
      for (const Operand& other : x.factors) {
        if (&other == &factor) continue;
        others_least = capped_product(others_least, low(other));
        others_most = capped_product(others_most, high(other));
      }
      if (low(r) > 0 && (others_most == 0 || !at_least(factor, ceil_of(low(r), others_most)))) return false;
      if (others_least > 0 && !at_most(factor, floor_of(high(r), others_least))) return false;
    }
    if (known == 0) return equal(r, 0);
    if (known == cap || !is_narrow(known)) return true;
    const auto scale = static_cast<std::int64_t>(known);
    if (!fixed(r))
      return scale == 1 || !listed(r) || only(r, [&](std::int64_t value) { return value % scale == 0; });
    if (low(r) == 0) return true;
    if (low(r) % scale != 0) return false;
    const std::int64_t rest = low(r) / scale;
    for (const Operand& factor : x.factors) {
      if (fixed(factor) || !listed(factor)) continue;
      if (!only(factor, [&](std::int64_t value) { return value != 0 && rest % value == 0; })) return false;
    }
    // A loop above may have fixed one of them meanwhile: what is asked of the others stays true.
    if (unknown == 1 && !fixed(*open[0])) return equal(*open[0], rest);
    if (unknown != 2 || *open[0] == *open[1] || !listed(*open[0]) || !listed(*open[1])) return true;
    return only(*open[0], [&](std::int64_t value) { return has(*open[1], rest / value); }) &&
           only(*open[1], [&](std::int64_t value) { return has(*open[0], rest / value); });
  }

  bool signed_product(const Product& x) {
    Wide2 least = 1, most = 1;
    for (const Operand& factor : x.factors) {
      const Wide2 a = low(factor), b = high(factor);
      const auto [down, up] = std::minmax({least * a, least * b, most * a, most * b});
      least = std::clamp(down, -cap, cap);
      most = std::clamp(up, -cap, cap);
    }
    return within(x.result, least, most);
  }

  bool run(const Select& x) {
    const auto last = static_cast<std::int64_t>(x.choices.size()) - 1;
    if (!within(x.index, 0, last)) return false;
    const auto meets = [&](std::int64_t i) {
      const Operand& choice = x.choices[static_cast<std::size_t>(i)];
      return low(choice) <= high(x.result) && high(choice) >= low(x.result);
    };
    if (!only(x.index, meets)) return false;
    Wide2 least = cap, most = -cap;
    for (std::int64_t i = low(x.index); i <= high(x.index); ++i) {
      if (!has(x.index, i)) continue;
      least = std::min<Wide2>(least, low(x.choices[static_cast<std::size_t>(i)]));
      most = std::max<Wide2>(most, high(x.choices[static_cast<std::size_t>(i)]));
    }
    if (least > most || !within(x.result, least, most)) return false;
    if (!fixed(x.index)) return true;
    const Operand& choice = x.choices[static_cast<std::size_t>(low(x.index))];
    return within(choice, low(x.result), high(x.result)) && within(x.result, low(choice), high(choice));
  }

  bool run(const Extreme& x) {
    const bool largest = x.largest;
    Wide2 least = low(x.operands[0]), most = high(x.operands[0]);
    for (const Operand& operand : x.operands) {
      least = largest ? std::max<Wide2>(least, low(operand)) : std::min<Wide2>(least, low(operand));
      most = largest ? std::max<Wide2>(most, high(operand)) : std::min<Wide2>(most, high(operand));
    }
    if (!within(x.result, least, most)) return false;
    const Operand* only_one = nullptr;
    int reach = 0;
    for (const Operand& operand : x.operands) {
      if (largest ? !at_most(operand, high(x.result)) : !at_least(operand, low(x.result))) return false;
      if (largest ? high(operand) >= low(x.result) : low(operand) <= high(x.result)) {
        only_one = &operand;
        ++reach;
      }
    }
    if (reach == 0) return false;
    if (reach > 1) return true;
    return largest ? at_least(*only_one, low(x.result)) : at_most(*only_one, high(x.result));
  }

  static Wide2 divided(const Quotient& x, Wide2 a, Wide2 b) { return x.up ? ceil_of(a, b) : floor_of(a, b); }

  bool run(const Quotient& x) {
    const Operand& a = x.numerator;
    const Operand& b = x.denominator;
    const Operand& r = x.result;
    if (!without(b, 0)) return false;
    if (low(b) >= 1 && !positive_quotient(x)) return false;
    // Listed values are asked one by one where the other side is known.
    const auto fits = [&](std::int64_t n, std::int64_t d) {
      if (d == 0) return false;
      const Wide2 q = divided(x, n, d);
      return q >= low(r) && q <= high(r) && has(r, static_cast<std::int64_t>(q));
    };
    if (fixed(a) && listed(b) && !only(b, [&](std::int64_t d) { return fits(low(a), d); })) return false;
    return !fixed(b) || !listed(a) || only(a, [&](std::int64_t n) { return fits(n, low(b)); });
  }

  /// For a denominator of at least 1: floor: r·b ≤ a ≤ r·b + b − 1; ceil: (r − 1)·b + 1 ≤ a ≤ r·b. An extreme
  /// of a product with b is at the end of b that the other factor's sign names.
  bool positive_quotient(const Quotient& x) {
    const Operand& a = x.numerator;
    const Operand& b = x.denominator;
    const Operand& r = x.result;
    const auto least_times = [&](Wide2 k) { return k * (k >= 0 ? low(b) : high(b)); };
    const auto most_times = [&](Wide2 k) { return k * (k >= 0 ? high(b) : low(b)); };
    if (!within(r, divided(x, low(a), low(a) >= 0 ? high(b) : low(b)),
                divided(x, high(a), high(a) >= 0 ? low(b) : high(b))))
      return false;
    const Wide2 rl = low(r), rh = high(r);
    if (x.up ? !within(a, least_times(rl - 1) + 1, most_times(rh))
             : !within(a, least_times(rl), most_times(rh + 1) - 1))
      return false;
    if (low(a) < 0 || rl < 0) return true;
    if (x.up) {
      if (low(a) > 0 && rh > 0 && !at_least(b, ceil_of(low(a), rh))) return false;
      return rl <= 1 || at_most(b, floor_of(static_cast<Wide2>(high(a)) - 1, rl - 1));
    }
    if (!at_least(b, floor_of(low(a), rh + 1) + 1)) return false;
    return rl == 0 || at_most(b, floor_of(high(a), rl));
  }

  bool run(const Truth& x) {
    const Truth3 truth = status(store_, x.condition);
    if (truth != Truth3::unknown) return equal(x.result, truth == Truth3::yes ? 1 : 0);
    if (!within(x.result, 0, 1)) return false;
    if (!fixed(x.result)) return true;
    return low(x.result) == 1 ? body(as_body(x.condition)) : refute(x.condition);
  }

  /// The condition must not hold.
  bool refute(const Condition& condition) {
    return std::visit(overloaded{[&](const Linear& x) { return related(x, negated(x.relation)); },
                                 [&](const Member& x) { return inside(x.variable, x.set.complement()); },
                                 [&](const Divides& x) { return refute(x); }},
                      condition);
  }

  bool refute(const Divides& x) {
    const auto fits = [](std::int64_t divisor, std::int64_t number) {
      return divisor == 0 ? number == 0 : number % divisor == 0;
    };
    if (fixed(x.divisor) && fixed(x.number)) return !fits(low(x.divisor), low(x.number));
    if (fixed(x.divisor) && listed(x.number))
      return only(x.number, [&](std::int64_t number) { return !fits(low(x.divisor), number); });
    if (fixed(x.number) && listed(x.divisor))
      return only(x.divisor, [&](std::int64_t divisor) { return !fits(divisor, low(x.number)); });
    return true;
  }

  Store& store_;
};

}  // namespace

bool narrow(Store& store, const Constraint& constraint) { return Narrowing(store).constraint(constraint); }

}  // namespace ardea::space
