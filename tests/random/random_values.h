#pragma once

#include <vector>

#include "tests/random/program_state.h"

namespace ardea::random_programs {

/// An expression with what is known about its value.
struct Value {
  Expr expr;
  double magnitude = 1;  ///< floats: no larger than this, as far as that is controlled
  bool fresh = true;     ///< a float that carries no more than a few roundings
};

/// The same index for every lane, or one for each: what vector code indexes with.
struct Lanes {
  int count = 1;
  Expr mask = {};  ///< a bool vector; lanes where it is false are not touched
};

/// Writes random expressions over what a scope offers. Everything that it reads lies inside its tensor.
class ValueWriter {
 public:
  ValueWriter(ProgramState& state, Scope scope, Lanes lanes = {})
      : state_(state), random_(state.random()), scope_(std::move(scope)), lanes_(std::move(lanes)) {}

  /// A value of `type` (a scalar type that can be computed with; the expression has the scope's lanes).
  Value value(DataType type, int depth);
  /// A value of any element type, to be stored in a tensor of that type.
  Value stored(DataType type, int depth);
  Expr condition(int depth) { return value(boolean, depth).expr; }

  /// The element of the tensor that the scope's indices point at, dimension by dimension.
  Value load(const Tensor& tensor);
  /// A tensor that may be read here, made for the purpose where there is none.
  Tensor readable_tensor(DataType wanted);
  /// An index into `axis`: one of the scope's, as it is or bent, else a constant or one wrapped to fit.
  Expr index_into(const Axis& axis);
  /// An index of the axis (a number, or lanes of them) turned round, or moved and then held or mirrored at
  /// the end that it leaves: what the borders of an image do. Near a border many of them are one element.
  Expr bent(const Expr& v, const Axis& axis);

  /// x as `type` by one cast, made safe where floats must stay smooth.
  Value converted(const Value& x, DataType type);
  /// x kept between -limit and limit.
  Value clamped(const Value& x, double limit);

  /// A value that loads may use as a leaf from now on, of a let or of the tensor that is updated.
  void offer(Value value) { offered_.push_back(std::move(value)); }

 private:
  Value leaf(DataType type);
  Value constant(DataType type);
  Value from_index(DataType type);
  Value guarded_neighbour(DataType type);
  Value boolean_value(int depth);
  Value integer_value(DataType type, int depth);
  Value integer_division(DataType type, int depth);
  Value float_value(DataType type, int depth);
  Value float_function(DataType type, int depth);
  Value rounding_function(DataType type, int depth);
  Value quotient(DataType type, int depth);
  Value either(DataType type, int depth);
  Value let(DataType type, int depth);
  Value shuffled(DataType type, int depth);
  Value through_another_type(DataType type, int depth);

  bool may_feed(DataType from, DataType to) const;
  bool vector() const { return lanes_.count > 1; }
  DataType in_lanes(DataType type) const { return type.with_lanes(lanes_.count); }
  /// Keeps floats from growing without bound.
  Value tamed(Value x);

  ProgramState& state_;
  Random& random_;
  Scope scope_;
  Lanes lanes_;
  std::vector<Value> offered_;
};

}  // namespace ardea::random_programs
