#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ardea/ir/expr.h"

/// Formulas over a few inputs that are made once and computed for many: a list of operations on doubles, each
/// different one once. What programs count stays exact up to 2^53.

namespace ardea::cost {

class Formulas {
 public:
  enum class Op : std::uint8_t {
    number,
    input,
    add,
    subtract,
    multiply,
    divide,
    floor_div,  ///< 0 where the divisor is, as all divisions
    floor_mod,
    trunc_div,
    trunc_mod,
    min,
    max,
    less,  ///< 1 or 0
    equal,
    select,  ///< b where a is not 0, else c
    ceil,
    log2,
  };
  /// A place in the list.
  using Value = std::int32_t;
  static constexpr Value unknown = -1;

  Value number(double value);
  Value input(std::size_t index);
  /// Numbers fold, and what is unknown stays so.
  Value apply(Op op, Value a, Value b = 0, Value c = 0);

  Value add(Value a, Value b) { return apply(Op::add, a, b); }
  Value subtract(Value a, Value b) { return apply(Op::subtract, a, b); }
  Value multiply(Value a, Value b) { return apply(Op::multiply, a, b); }
  Value divide(Value a, Value b) { return apply(Op::divide, a, b); }
  Value ceil_div(Value a, Value b) { return apply(Op::ceil, divide(a, b)); }
  Value min(Value a, Value b) { return apply(Op::min, a, b); }
  Value max(Value a, Value b) { return apply(Op::max, a, b); }
  Value less(Value a, Value b) { return apply(Op::less, a, b); }
  Value equal(Value a, Value b) { return apply(Op::equal, a, b); }
  Value negation(Value a) { return subtract(number(1), a); }  ///< of a truth
  Value more_than_one(Value a) { return less(number(1), a); }
  Value select(Value condition, Value a, Value b) { return apply(Op::select, condition, a, b); }
  Value magnitude(Value a) { return max(a, subtract(number(0), a)); }

  /// An integer or a truth of a program where variables have these values; unknown where it reads memory or
  /// names another variable.
  using Environment = std::unordered_map<Var, Value>;
  Value of(const Expr& e, const Environment& variables);

  std::optional<double> constant(Value value) const;

  /// From now on only these are computed, and what they need.
  void keep(const std::vector<Value>& outputs);
  /// The outputs that are kept, in their order; `work` is memory to compute in.
  void compute(std::span<const double> inputs, std::vector<double>& work, std::span<double> outputs) const;
  /// By output: the inputs behind it.
  std::vector<std::vector<std::size_t>> inputs_behind() const;
  std::size_t size() const { return steps_.size(); }

 private:
  struct Step {
    Op op = Op::number;
    Value a = 0, b = 0, c = 0;
    double number = 0;
  };
  Value place(const Step& step);
  Value of(const Expr& e, const Environment& variables, std::unordered_map<Expr, Value>& done);

  std::vector<Step> steps_;
  std::map<std::tuple<Op, Value, Value, Value, double>, Value> known_;
  std::vector<Value> outputs_;
};

}  // namespace ardea::cost
