#include "ardea/te/reduce.h"

#include <limits>

#include "ardea/support/error.h"

namespace ardea::te {

namespace {

using Tuple = std::vector<Expr>;

void check_tuple(const std::string& name, const char* part, const Tuple& got, const Tuple& values) {
  require(got.size() == values.size(), "{}: its {} gives {} values where {} are reduced", name, part,
          got.size(), values.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    require(got[i].type() == values[i].type(), "{}: its {} gives {} for value {}, which is {}; cast it", name,
            part, to_string(got[i].type()), i + 1, to_string(values[i].type()));
}

void check_axes(const std::string& name, const std::vector<Axis>& axes) {
  require(!axes.empty(), "{}: there is no axis to reduce over; make one with reduce_axis", name);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    require(axes[i].kind == IteratorKind::reduce, "{}: {} is no reduce axis; make one with reduce_axis", name,
            axes[i].name());
    for (std::size_t j = 0; j < i; ++j)
      require(!(axes[i].var == axes[j].var), "{}: axis {} is named twice", name, axes[i].name());
  }
}

std::int64_t largest_integer(DataType type) {
  if (type.is_bool()) return 1;
  const int value_bits = type.is_int() ? type.bits - 1 : type.bits;
  if (value_bits >= 64) return -1;  // the bits of the largest uint64
  return static_cast<std::int64_t>((std::uint64_t{1} << value_bits) - 1);
}

/// The tuple with the better value; of equal ones the smaller index, so that the order does not matter.
Reducer extreme_with_index(const std::string& name, bool greatest) {
  return {name,
          [greatest](const Tuple& a, const Tuple& b) -> Tuple {
            const Expr better = greatest ? a[1] > b[1] : a[1] < b[1];
            const Expr first = logical_or(better, logical_and(equals(a[1], b[1]), a[0] < b[0]));
            return {make_select(first, a[0], b[0]), make_select(first, a[1], b[1])};
          },
          [greatest](const std::vector<DataType>& types) -> Tuple {
            return {greatest_value(types[0]), greatest ? least_value(types[1]) : greatest_value(types[1])};
          }};
}

Reduction with_index(const Reducer& reducer, const char* name, Expr index, Expr value, std::vector<Axis> axes,
                     Expr where) {
  require(index.type().is_integer() && index.type().is_scalar(), "{}: the index is {}, must be an integer",
          name, to_string(index.type()));
  return reducer({std::move(index), std::move(value)}, std::move(axes), std::move(where));
}

}  // namespace

Expr least_value(DataType type) {
  if (type.is_float()) return make_float(-std::numeric_limits<double>::infinity(), type);
  if (!type.is_int()) return make_int(0, type);
  return make_int(-largest_integer(type) - 1, type);
}

Expr greatest_value(DataType type) {
  if (type.is_float()) return make_float(std::numeric_limits<double>::infinity(), type);
  return make_int(largest_integer(type), type);
}

Reducer::Reducer(std::string name, decltype(ReducerNode::combine) combine,
                 decltype(ReducerNode::identity) identity)
    : node_(std::make_shared<const ReducerNode>(
          ReducerNode{std::move(name), std::move(combine), std::move(identity)})) {}

Reducer::Reducer(std::string name, const std::function<Expr(const Expr&, const Expr&)>& combine,
                 const std::function<Expr(DataType)>& identity)
    : Reducer(
          std::move(name),
          [combine](const Tuple& a, const Tuple& b) -> Tuple { return {combine(a[0], b[0])}; },
          [identity](const std::vector<DataType>& types) -> Tuple { return {identity(types[0])}; }) {}

Reduction Reducer::operator()(std::vector<Expr> values, std::vector<Axis> axes, Expr where) const {
  const std::string& name = node_->name;
  require(!values.empty(), "{}: there is no value to reduce", name);
  check_axes(name, axes);
  require(!where.defined() || where.type() == boolean, "{}: the condition is {}, must be a bool", name,
          where.defined() ? to_string(where.type()) : "");
  std::vector<DataType> types;
  for (const Expr& value : values) {
    require(value.defined(), "{}: a value to reduce is an empty expression", name);
    types.push_back(value.type());
  }
  check_tuple(name, "identity", node_->identity(types), values);
  check_tuple(name, "combiner", node_->combine(values, values), values);
  return {node_, std::move(values), std::move(axes), std::move(where)};
}

Reduction Reducer::operator()(Expr value, std::vector<Axis> axes, Expr where) const {
  return (*this)(std::vector<Expr>{std::move(value)}, std::move(axes), std::move(where));
}

Reduction sum(Expr value, std::vector<Axis> axes, Expr where) {
  static const Reducer reducer(
      "sum", [](const Expr& a, const Expr& b) { return a + b; },
      [](DataType type) { return make_const(0, type); });
  return reducer(std::move(value), std::move(axes), std::move(where));
}

Reduction prod(Expr value, std::vector<Axis> axes, Expr where) {
  static const Reducer reducer(
      "prod", [](const Expr& a, const Expr& b) { return a * b; },
      [](DataType type) { return make_const(1, type); });
  return reducer(std::move(value), std::move(axes), std::move(where));
}

Reduction min(Expr value, std::vector<Axis> axes, Expr where) {
  static const Reducer reducer(
      "min", [](const Expr& a, const Expr& b) { return ardea::min(a, b); },
      [](DataType type) { return greatest_value(type); });
  return reducer(std::move(value), std::move(axes), std::move(where));
}

Reduction max(Expr value, std::vector<Axis> axes, Expr where) {
  static const Reducer reducer(
      "max", [](const Expr& a, const Expr& b) { return ardea::max(a, b); },
      [](DataType type) { return least_value(type); });
  return reducer(std::move(value), std::move(axes), std::move(where));
}

Reduction min(Expr value, std::initializer_list<Axis> axes, Expr where) {
  return min(std::move(value), std::vector<Axis>(axes), std::move(where));
}

Reduction max(Expr value, std::initializer_list<Axis> axes, Expr where) {
  return max(std::move(value), std::vector<Axis>(axes), std::move(where));
}

Reduction argmin(Expr index, Expr value, std::vector<Axis> axes, Expr where) {
  static const Reducer reducer = extreme_with_index("argmin", false);
  return with_index(reducer, "argmin", std::move(index), std::move(value), std::move(axes), std::move(where));
}

Reduction argmax(Expr index, Expr value, std::vector<Axis> axes, Expr where) {
  static const Reducer reducer = extreme_with_index("argmax", true);
  return with_index(reducer, "argmax", std::move(index), std::move(value), std::move(axes), std::move(where));
}

}  // namespace ardea::te
