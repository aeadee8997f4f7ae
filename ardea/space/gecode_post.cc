#include "ardea/space/gecode_post.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ardea::space {

namespace gc = Gecode;

namespace {

constexpr std::int64_t most_int = gc::Int::Limits::max;
/// Longer lists, and products over more primes, cost more to channel than they save.
constexpr std::uint64_t longest_channelled = 512;
constexpr std::size_t most_primes = 8;

bool fits_int(__int128 value) { return value >= -most_int && value <= most_int; }
/// The part of a set that 32 bits hold: for membership, where the rest is impossible anyway.
Domain int_part(const Domain& domain) { return domain.intersect(Domain::range(-most_int, most_int)); }

gc::IntRelType relation_of(Relation relation) {
  switch (relation) {
    case Relation::eq: return gc::IRT_EQ;
    case Relation::ne: return gc::IRT_NQ;
    case Relation::le: return gc::IRT_LQ;
    case Relation::lt: return gc::IRT_LE;
    case Relation::ge: return gc::IRT_GQ;
    case Relation::gt: return gc::IRT_GR;
  }
  return gc::IRT_EQ;
}

std::vector<int> primes_of(std::int64_t n) {
  std::vector<int> primes;
  for (int p = 2; static_cast<std::int64_t>(p) * p <= n; ++p) {
    if (n % p == 0) primes.push_back(p);
    while (n % p == 0) n /= p;
  }
  if (n > 1) primes.push_back(static_cast<int>(n));
  return primes;
}

int exponent_of(std::int64_t n, int p) {
  int exponent = 0;
  for (; n % p == 0; n /= p) ++exponent;
  return exponent;
}

}  // namespace

bool fits_int(const Domain& domain) {
  return !domain.empty() && fits_int(domain.min()) && fits_int(domain.max());
}

gc::IntSet as_int_set(const Domain& domain) {
  const std::size_t count = domain.ranges().size();
  const auto ranges = std::make_unique<int[][2]>(count);
  for (std::size_t i = 0; i < count; ++i) {
    ranges[i][0] = static_cast<int>(domain.ranges()[i].low);
    ranges[i][1] = static_cast<int>(domain.ranges()[i].high);
  }
  return gc::IntSet(ranges.get(), static_cast<int>(count));
}

class GecodePoster::Inside {
 public:
  Inside(const Engine& engine, GecodeSpace& model, const std::vector<int>& place)
      : engine_(engine), model_(model), place_(place) {}

  bool only_divides(Var v) {
    channelled_ = true;
    if (factors_of(v).empty()) return false;
    const auto& constraints = engine_.system().constraints();
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      if (static_cast<int>(c) == engine_.system()[v].definition) continue;
      const std::vector<Var>& variables = engine_.variables_of(static_cast<int>(c));
      if (std::find(variables.begin(), variables.end(), v) == variables.end()) continue;
      const auto* divides = std::get_if<Divides>(&constraints[c].body);
      if (!divides || !constraints[c].when.empty() || !primes_of_all({divides->divisor, divides->number}))
        return false;
    }
    return true;
  }

  bool post(const Constraint& constraint, bool channelled) {
    channelled_ = channelled;
    for (const Var v : variables_of(constraint))
      if (!present(v)) return false;
    if (constraint.when.empty()) return std::visit([&](const auto& x) { return post(x); }, constraint.body);
    gc::BoolVarArgs guards;
    for (const Condition& guard : constraint.when) {
      const auto truth = reified(guard);
      if (!truth) return false;
      guards << *truth;
    }
    const gc::BoolVar all(model_, 0, 1);
    gc::rel(model_, gc::BOT_AND, guards, all);
    return post_where(all, constraint.body);
  }

 private:
  bool present(Var v) const {
    return engine_.system()[v].is_knob() || place_[static_cast<std::size_t>(v.index)] >= 0;
  }
  gc::IntVar var(Var v) const {
    const int place = place_[static_cast<std::size_t>(v.index)];
    return engine_.system()[v].is_knob() ? model_.knobs[place] : model_.defined[place];
  }
  gc::IntVar var(const Operand& x) const {
    return x.is_variable() ? var(x.variable())
                           : gc::IntVar(model_, static_cast<int>(x.number()), static_cast<int>(x.number()));
  }
  static bool fits(const Operand& x) { return x.is_variable() || fits_int(x.number()); }

  // Linear ------------------------------------------------------------------------------------------------
  struct Sum {
    gc::IntArgs coefficients;
    gc::IntVarArgs variables;
    int constant = 0;
    gc::IntRelType relation = gc::IRT_EQ;
  };
  std::optional<Sum> sum_of(const Linear& x) const {
    Sum sum;
    __int128 constant = -static_cast<__int128>(x.constant);
    __int128 reach = 0;
    const auto add = [&](std::int64_t coefficient, Var v) {
      const Domain& domain = engine_.layout().domain(v.index);
      reach += static_cast<__int128>(std::abs(coefficient)) *
               std::max(std::abs(domain.min()), std::abs(domain.max()));
      sum.coefficients << static_cast<int>(coefficient);
      sum.variables << var(v);
      return fits_int(coefficient);
    };
    for (const Scaled& term : x.terms)
      if (!add(term.coefficient, term.variable)) return std::nullopt;
    if (x.right.is_variable()) {
      if (!add(-1, x.right.variable())) return std::nullopt;
    } else {
      constant += x.right.number();
    }
    if (!fits_int(constant) || reach > (static_cast<__int128>(1) << 60)) return std::nullopt;
    sum.constant = static_cast<int>(constant);
    sum.relation = relation_of(x.relation);
    return sum;
  }
  bool post(const Linear& x) {
    const auto sum = sum_of(x);
    if (!sum) return false;
    if (sum->variables.size() == 0) return false;
    gc::linear(model_, sum->coefficients, sum->variables, sum->relation, sum->constant);
    return true;
  }

  bool post(const Member& x) {
    const Domain set = int_part(x.set);
    if (set.empty())
      model_.fail();
    else
      gc::dom(model_, var(x.variable), as_int_set(set));
    return true;
  }

  // Primes ------------------------------------------------------------------------------------------------
  /// What a variable is the product of by its definition; empty where it is no product.
  std::vector<Operand> factors_of(Var v) const {
    const int definition = engine_.system()[v].definition;
    if (definition < 0) return {};
    const Body& body = engine_.system().constraints()[static_cast<std::size_t>(definition)].body;
    if (const auto* product = std::get_if<Product>(&body)) return product->factors;
    const auto* sum = std::get_if<Linear>(&body);
    if (sum && sum->terms.size() == 1 && sum->constant == 0)
      return {sum->terms[0].coefficient, sum->terms[0].variable};
    return {};
  }
  /// Adds the primes of all values, where they are few: of a product's factors, else of a short list.
  bool add_primes(const Operand& x, std::vector<int>& primes) const {
    const auto add = [&](std::int64_t value) {
      if (value < 1) return false;
      for (const int p : primes_of(value))
        if (std::find(primes.begin(), primes.end(), p) == primes.end()) primes.push_back(p);
      return primes.size() <= most_primes;
    };
    if (!x.is_variable()) return add(x.number());
    if (const std::vector<Operand> factors = factors_of(x.variable()); !factors.empty())
      return std::all_of(factors.begin(), factors.end(),
                         [&](const Operand& f) { return add_primes(f, primes); });
    const Domain& domain = engine_.layout().domain(x.variable().index);
    if (domain.size() > longest_channelled) return false;
    const std::vector<std::int64_t> values = domain.values();
    return std::all_of(values.begin(), values.end(), add);
  }
  std::optional<std::vector<int>> primes_of_all(const std::vector<Operand>& operands) const {
    if (!channelled_) return std::nullopt;
    std::vector<int> primes;
    for (const Operand& x : operands)
      if (!add_primes(x, primes)) return std::nullopt;
    return primes;
  }
  /// The exponent of a prime in a variable: of a product the sum of its factors', else joined to the variable
  /// by the place in the list of its values.
  gc::IntVar exponent(Var v, int prime) {
    const auto key = std::pair(v.index, prime);
    if (const auto known = exponents_.find(key); known != exponents_.end()) return known->second;
    const gc::IntVar result = new_exponent(v, prime);
    exponents_.emplace(key, result);
    return result;
  }
  gc::IntVar new_exponent(Var v, int prime) {
    if (const std::vector<Operand> factors = factors_of(v); !factors.empty()) {
      const gc::IntVar result(model_, 0, 64 * static_cast<int>(factors.size()));
      Sum sum;
      for (const Operand& factor : factors) add_exponent(factor, prime, 1, sum);
      sum.coefficients << -1;
      sum.variables << result;
      gc::linear(model_, sum.coefficients, sum.variables, gc::IRT_EQ, sum.constant);
      return result;
    }
    const std::vector<std::int64_t> values = engine_.layout().domain(v.index).values();
    auto at = index_.find(v.index);
    if (at == index_.end()) {
      const gc::IntVar index(model_, 0, static_cast<int>(values.size()) - 1);
      gc::IntArgs list;
      for (const std::int64_t value : values) list << static_cast<int>(value);
      gc::element(model_, list, index, var(v));
      at = index_.emplace(v.index, index).first;
    }
    gc::IntArgs list;
    int most = 0;
    for (const std::int64_t value : values) {
      list << exponent_of(value, prime);
      most = std::max(most, exponent_of(value, prime));
    }
    const gc::IntVar result(model_, 0, most);
    gc::element(model_, list, at->second, result);
    return result;
  }
  void add_exponent(const Operand& x, int prime, int sign, Sum& sum) {
    if (x.is_variable()) {
      sum.coefficients << sign;
      sum.variables << exponent(x.variable(), prime);
    } else {
      sum.constant -= sign * exponent_of(x.number(), prime);
    }
  }

  bool post(const Divides& x) {
    if (!fits(x.divisor) || !fits(x.number)) return false;
    if (const auto primes = primes_of_all({x.divisor, x.number})) {
      for (const int prime : *primes) {
        Sum sum;
        add_exponent(x.divisor, prime, 1, sum);
        add_exponent(x.number, prime, -1, sum);
        if (sum.variables.size() > 0)
          gc::linear(model_, sum.coefficients, sum.variables, gc::IRT_LQ, sum.constant);
        else if (sum.constant < 0)
          model_.fail();
      }
      return true;
    }
    const auto size = [&](const Operand& o) {
      return o.is_variable() ? std::max(std::abs(engine_.layout().domain(o.variable().index).min()),
                                        std::abs(engine_.layout().domain(o.variable().index).max()))
                             : std::abs(o.number());
    };
    const int most = static_cast<int>(std::max<std::int64_t>(size(x.number), 1));
    const gc::IntVar quotient(model_, -most, most);
    gc::mult(model_, var(x.divisor), quotient, var(x.number));
    return true;
  }

  bool post(const Product& x) { return product(x, var_if_fits(x.result)); }
  std::optional<gc::IntVar> var_if_fits(const Operand& x) const {
    return fits(x) ? std::optional(var(x)) : std::nullopt;
  }
  bool product(const Product& x, std::optional<gc::IntVar> result) {
    if (!result) return false;
    for (const Operand& factor : x.factors)
      if (!fits(factor)) return false;
    // A definition's exponents are made where they are asked for; bounds are all that it adds.
    const bool defines = x.result.is_variable() && factors_of(x.result.variable()) == x.factors;
    std::vector<Operand> all = x.factors;
    all.push_back(x.result);
    const auto primes = defines ? std::nullopt : primes_of_all(all);
    if (primes) {
      for (const int prime : *primes) {
        Sum sum;
        for (const Operand& factor : x.factors) add_exponent(factor, prime, 1, sum);
        add_exponent(x.result, prime, -1, sum);
        if (sum.variables.size() > 0)
          gc::linear(model_, sum.coefficients, sum.variables, gc::IRT_EQ, sum.constant);
        else if (sum.constant != 0)
          model_.fail();
      }
      // Exponents say all; bounds of a result that other constraints limit need the product itself.
      if (!x.result.is_variable()) return true;
    }
    return by_mult(x, *result) || primes.has_value();
  }
  /// A chain of products of two, by bounds: domain consistency is 250 times slower.
  bool by_mult(const Product& x, const gc::IntVar& result) {
    __int128 least = 1, most = 1;
    std::vector<std::pair<int, int>> partial;
    const auto bounds = [&](const Operand& o) {
      if (!o.is_variable()) return std::pair<__int128, __int128>(o.number(), o.number());
      const Domain& d = engine_.layout().domain(o.variable().index);
      return std::pair<__int128, __int128>(d.min(), d.max());
    };
    bool counts = true;
    for (const Operand& factor : x.factors) counts = counts && bounds(factor).first >= 1;
    for (const Operand& factor : x.factors) {
      const auto [a, b] = bounds(factor);
      const auto [down, up] = std::minmax({least * a, least * b, most * a, most * b});
      least = down;
      // Factors of at least 1: no part of the product is larger than all of it.
      most = counts ? std::min<__int128>(up, bounds(x.result).second) : up;
      if (least > most) {
        model_.fail();
        return true;
      }
      if (!fits_int(least) || !fits_int(most)) return false;
      partial.emplace_back(static_cast<int>(least), static_cast<int>(most));
    }
    gc::IntVar before = var(x.factors[0]);
    for (std::size_t i = 1; i < x.factors.size(); ++i) {
      const gc::IntVar after =
          i + 1 == x.factors.size() ? result : gc::IntVar(model_, partial[i].first, partial[i].second);
      gc::mult(model_, before, var(x.factors[i]), after);
      before = after;
    }
    return true;
  }

  bool post(const Select& x) {
    if (!fits(x.result) || !fits(x.index)) return false;
    gc::IntVarArgs choices;
    for (const Operand& choice : x.choices) {
      if (!fits(choice)) return false;
      choices << var(choice);
    }
    gc::element(model_, choices, var(x.index), var(x.result));
    return true;
  }

  bool post(const Extreme& x) { return extreme(x, var_if_fits(x.result)); }
  bool extreme(const Extreme& x, std::optional<gc::IntVar> result) {
    if (!result) return false;
    gc::IntVarArgs operands;
    for (const Operand& operand : x.operands) {
      if (!fits(operand)) return false;
      operands << var(operand);
    }
    if (x.largest)
      gc::max(model_, operands, *result);
    else
      gc::min(model_, operands, *result);
    return true;
  }

  /// Gecode rounds towards 0: the same as down where nothing is negative.
  bool post(const Quotient& x) {
    if (!fits(x.result) || !fits(x.numerator) || !fits(x.denominator)) return false;
    const gc::IntVar a = var(x.numerator), b = var(x.denominator);
    if (a.min() < 0 || b.min() < 1) return false;
    if (!x.up) {
      gc::div(model_, a, b, var(x.result));
      return true;
    }
    const std::int64_t most = static_cast<std::int64_t>(a.max()) + b.max() - 1;
    if (!fits_int(most)) return false;
    const gc::IntVar sum(model_, 0, static_cast<int>(most));
    gc::linear(model_, gc::IntArgs({1, 1, -1}), gc::IntVarArgs() << a << b << sum, gc::IRT_EQ, 1);
    gc::div(model_, sum, b, var(x.result));
    return true;
  }

  // Conditions --------------------------------------------------------------------------------------------
  std::optional<gc::BoolVar> reified(const Condition& condition) {
    if (const auto* linear = std::get_if<Linear>(&condition)) {
      const auto sum = sum_of(*linear);
      if (!sum || sum->variables.size() == 0) return std::nullopt;
      const gc::BoolVar truth(model_, 0, 1);
      gc::linear(model_, sum->coefficients, sum->variables, sum->relation, sum->constant, gc::Reify(truth));
      return truth;
    }
    if (const auto* member = std::get_if<Member>(&condition)) {
      const Domain set = int_part(member->set);
      if (set.empty()) return std::nullopt;
      const gc::BoolVar truth(model_, 0, 1);
      gc::dom(model_, var(member->variable), as_int_set(set), gc::Reify(truth));
      return truth;
    }
    return std::nullopt;
  }
  bool post(const Truth& x) {
    if (!fits(x.result)) return false;
    const auto truth = reified(x.condition);
    if (!truth) return false;
    gc::channel(model_, *truth, var(x.result));
    return true;
  }

  /// Where the guard holds. An operation without a value must not forbid what the guard leaves free: only
  /// operations that always have one are said.
  bool post_where(const gc::BoolVar& guard, const Body& body) {
    if (const auto* linear = std::get_if<Linear>(&body)) {
      const auto sum = sum_of(*linear);
      if (!sum || sum->variables.size() == 0) return false;
      gc::linear(model_, sum->coefficients, sum->variables, sum->relation, sum->constant,
                 gc::Reify(guard, gc::RM_IMP));
      return true;
    }
    if (const auto* member = std::get_if<Member>(&body)) {
      const Domain set = int_part(member->set);
      if (set.empty())
        gc::rel(model_, guard, gc::IRT_EQ, 0);
      else
        gc::dom(model_, var(member->variable), as_int_set(set), gc::Reify(guard, gc::RM_IMP));
      return true;
    }
    if (const auto* x = std::get_if<Extreme>(&body)) {
      if (!fits(x->result)) return false;
      const gc::IntVar value(model_, gc::Int::Limits::min, gc::Int::Limits::max);
      if (!extreme(*x, value)) return false;
      gc::rel(model_, value, gc::IRT_EQ, var(x->result), gc::Reify(guard, gc::RM_IMP));
      return true;
    }
    return false;
  }

  const Engine& engine_;
  GecodeSpace& model_;
  const std::vector<int>& place_;
  bool channelled_ = false;
  std::map<std::pair<int, int>, gc::IntVar> exponents_;
  std::map<int, gc::IntVar> index_;
};

GecodePoster::GecodePoster(const Engine& engine, GecodeSpace& space, const std::vector<int>& place)
    : inside_(std::make_unique<Inside>(engine, space, place)) {}
GecodePoster::~GecodePoster() = default;

bool GecodePoster::only_divides(Var v) { return inside_->only_divides(v); }
bool GecodePoster::post(const Constraint& constraint, bool channelled) {
  return inside_->post(constraint, channelled);
}

}  // namespace ardea::space
