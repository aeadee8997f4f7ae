#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ardea/te/axis.h"

/// Reductions: values combined over axes. A Reduction is no expression: it is the whole body of a compute, so
/// that `sum(x, {k}) + 1`, which has no meaning as one stage, does not compile.

namespace ardea::te {

/// A commutative, associative way to combine tuples of values (most often of one value).
struct ReducerNode {
  std::string name;
  /// The tuple that stands for both.
  std::function<std::vector<Expr>(const std::vector<Expr>& left, const std::vector<Expr>& right)> combine;
  /// The tuple that changes nothing, for values of these types.
  std::function<std::vector<Expr>(const std::vector<DataType>& types)> identity;
};

struct Reduction {
  std::shared_ptr<const ReducerNode> reducer;
  std::vector<Expr> values;
  std::vector<Axis> axes;
  Expr where = {};  ///< only these points count; empty means all
};

// `sum(x, {k}) + 1` is two stages: compute the sum, then a tensor of what follows from it.
template <class T>
Expr operator+(const Reduction&, const T&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator+(const T&, const Reduction&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator-(const Reduction&, const T&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator-(const T&, const Reduction&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator*(const Reduction&, const T&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator*(const T&, const Reduction&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator/(const Reduction&, const T&) = delete;  // a reduction is all of a compute: write a second one
template <class T>
Expr operator/(const T&, const Reduction&) = delete;  // a reduction is all of a compute: write a second one

/// A reducer to call as sum is called.
class Reducer {
 public:
  /// `combine` and `identity` as in ReducerNode. That they are commutative and associative is the caller's
  /// promise.
  Reducer(std::string name, decltype(ReducerNode::combine) combine, decltype(ReducerNode::identity) identity);
  /// Of one value.
  Reducer(std::string name, const std::function<Expr(const Expr&, const Expr&)>& combine,
          const std::function<Expr(DataType)>& identity);

  /// Error where an axis is none to reduce over, is named twice, or the reducer gives tuples of another
  /// length or type.
  Reduction operator()(std::vector<Expr> values, std::vector<Axis> axes, Expr where = {}) const;
  Reduction operator()(Expr value, std::vector<Axis> axes, Expr where = {}) const;

 private:
  std::shared_ptr<const ReducerNode> node_;
};

Reduction sum(Expr value, std::vector<Axis> axes, Expr where = {});
Reduction prod(Expr value, std::vector<Axis> axes, Expr where = {});
/// NaN where any value is NaN.
Reduction min(Expr value, std::vector<Axis> axes, Expr where = {});
Reduction max(Expr value, std::vector<Axis> axes, Expr where = {});
/// `max(x, {k})`: without these, {k} could as well be the other operand of ardea::max.
Reduction min(Expr value, std::initializer_list<Axis> axes, Expr where = {});
Reduction max(Expr value, std::initializer_list<Axis> axes, Expr where = {});
/// Two results: where the extreme is, and what it is. Of equal values the smaller index wins; with a NaN
/// among the values the answer is unspecified. Nothing to reduce gives the index type's largest value.
Reduction argmin(Expr index, Expr value, std::vector<Axis> axes, Expr where = {});
Reduction argmax(Expr index, Expr value, std::vector<Axis> axes, Expr where = {});

/// The least and the greatest value of a type: infinities for floats.
Expr least_value(DataType type);
Expr greatest_value(DataType type);

}  // namespace ardea::te
