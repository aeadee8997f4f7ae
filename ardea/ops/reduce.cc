#include "ardea/ops/reduce.h"

#include <algorithm>

#include "ardea/ops/shapes.h"
#include "ardea/ops/stages.h"
#include "ardea/support/error.h"
#include "ardea/te/math.h"

namespace ardea::ops {

namespace {

/// Which dimensions of x go, and how the others and the reduced ones make up its index.
class Dimensions {
 public:
  Dimensions(const std::string& call, const te::Tensor& x, const ReduceOptions& options)
      : x_(x), keep_(options.keep_dims), reduced_(x.rank(), options.axes.empty()) {
    require(x.rank() > 0, "{}: {} is a single number, there is nothing to reduce", call, x.name());
    for (const std::int64_t axis : options.axes) {
      const std::size_t position = axis_position(call, x, axis);
      require(!reduced_[position], "{}: axis {} is named twice", call, axis);
      reduced_[position] = true;
    }
  }

  std::vector<te::Dim> result() const {
    std::vector<te::Dim> dims;
    for (std::size_t d = 0; d < x_.rank(); ++d)
      if (!reduced_[d] || keep_)
        dims.emplace_back(fmt::format("i{}", d), reduced_[d] ? make_int(1) : x_.shape()[d]);
    return dims;
  }

  std::vector<te::Axis> make_axes() const {
    std::vector<te::Axis> axes;
    for (std::size_t d = 0; d < x_.rank(); ++d)
      if (reduced_[d]) axes.push_back(te::reduce_axis(x_.shape()[d], fmt::format("r{}", d)));
    return axes;
  }

  Expr element(const std::vector<Var>& result_axes, const std::vector<te::Axis>& reduced) const {
    std::vector<Expr> indices;
    auto result = result_axes.begin();
    auto next = reduced.begin();
    for (std::size_t d = 0; d < x_.rank(); ++d) {
      indices.push_back(reduced_[d] ? Expr(*next++) : Expr(*result));
      if (!reduced_[d] || keep_) ++result;
    }
    return x_.at(std::move(indices));
  }

  /// How many elements make one of the result.
  Expr elements() const {
    Expr count = make_int(1);
    for (std::size_t d = 0; d < x_.rank(); ++d)
      if (reduced_[d]) count = count * x_.shape()[d];
    return folded(count);
  }
  Expr count(DataType type) const {
    const Expr count = elements();
    const auto number = constant_int(count);
    return number ? make_const(static_cast<double>(*number), type) : te::cast(type, count);
  }

 private:
  const te::Tensor& x_;
  bool keep_;
  std::vector<bool> reduced_;
};

std::string name_or(const ReduceOptions& options, const char* name) {
  return options.name.empty() ? name : options.name;
}

}  // namespace

te::Tensor reduce_sum(const te::Tensor& x, const ReduceOptions& options) {
  const Dimensions dimensions("reduce_sum", x, options);
  const Types types = resolved("reduce_sum", Arithmetic::sums, {x.type()}, options.types);
  const std::vector<te::Axis> reduced = dimensions.make_axes();
  return accumulated(name_or(options, "sum"), dimensions.result(), types, [&](const std::vector<Var>& at) {
    return te::sum(te::cast(types.acc, dimensions.element(at, reduced)), reduced);
  });
}

te::Tensor reduce_max(const te::Tensor& x, const ReduceOptions& options) {
  const Dimensions dimensions("reduce_max", x, options);
  const Types types = resolved("reduce_max", Arithmetic::order, {x.type()}, options.types);
  const std::vector<te::Axis> reduced = dimensions.make_axes();
  return accumulated(name_or(options, "max"), dimensions.result(), types, [&](const std::vector<Var>& at) {
    return te::max(te::cast(types.acc, dimensions.element(at, reduced)), reduced);
  });
}

te::Tensor argmax(const te::Tensor& x, const ReduceOptions& options) {
  const Dimensions dimensions("argmax", x, options);
  const Types types = resolved("argmax", Arithmetic::places, {x.type()}, options.types);
  const std::vector<te::Axis> reduced = dimensions.make_axes();
  require(reduced.size() == 1,
          "argmax: it goes along {} axes of {}, but a position is a number along one; name one axis",
          reduced.size(), x.name());
  const auto count = constant_int(dimensions.elements());
  require(!count || *count <= *constant_int(te::greatest_value(types.out)),
          "argmax: {} elements of {} are more than {} counts; choose int64", count.value_or(0), x.name(),
          to_string(types.out));
  const std::string name = name_or(options, "argmax");
  const Expr none = te::cast(types.out, dimensions.elements());  // a position that no element has
  // Of the greatest element all are asked where they are: two plain reductions, which run in vectors of
  // partial results, where one of pairs would have to keep an order between them.
  const te::Tensor greatest =
      te::compute(name + "_max", dimensions.result(), [&](const std::vector<Var>& at) {
        return te::max(te::cast(types.acc, dimensions.element(at, reduced)), reduced);
      });
  const std::vector<te::Axis> again = dimensions.make_axes();
  return te::compute(name, dimensions.result(), [&](const std::vector<Var>& at) {
    const Expr element = te::cast(types.acc, dimensions.element(at, again));
    const Expr place = te::cast(types.out, Expr(again[0]));
    // Choices, not `or`: that would read the element anew, and only where it must.
    const Expr otherwise =
        types.acc.is_float() ? te::select(not_equals(element, element), place, none) : none;
    return te::min(te::select(equals(element, greatest.at({at.begin(), at.end()})), place, otherwise), again);
  });
}

te::Tensor mean(const te::Tensor& x, const ReduceOptions& options) {
  const Dimensions dimensions("mean", x, options);
  const Types types = resolved("mean", Arithmetic::real, {x.type()}, options.types);
  const std::vector<te::Axis> reduced = dimensions.make_axes();
  return accumulated(
      name_or(options, "mean"), dimensions.result(), types,
      [&](const std::vector<Var>& at) {
        return te::sum(te::cast(types.acc, dimensions.element(at, reduced)), reduced);
      },
      [&](const std::vector<Var>&, const Expr& sum) { return sum / dimensions.count(types.acc); });
}

te::Tensor var(const te::Tensor& x, const ReduceOptions& options) {
  const Types types = resolved("var", Arithmetic::real, {x.type()}, options.types);
  ReduceOptions same = options;
  same.types = {types.acc, types.acc};
  same.name = name_or(options, "var") + "_mean";
  return var_around(mean(x, same), x, options);
}

te::Tensor var_around(const te::Tensor& center, const te::Tensor& x, const ReduceOptions& options) {
  const Dimensions dimensions("var", x, options);
  const Types types = resolved("var", Arithmetic::real, {x.type()}, options.types);
  const std::vector<te::Axis> reduced = dimensions.make_axes();
  return accumulated(
      name_or(options, "var"), dimensions.result(), types,
      [&](const std::vector<Var>& at) {
        const Expr middle = te::cast(types.acc, center.at({at.begin(), at.end()}));
        const Expr distance = te::cast(types.acc, dimensions.element(at, reduced)) - middle;
        return te::sum(distance * distance, reduced);
      },
      [&](const std::vector<Var>&, const Expr& sum) { return sum / dimensions.count(types.acc); });
}

}  // namespace ardea::ops
