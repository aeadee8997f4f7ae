#include "ardea/ops/reduce.h"

#include <algorithm>

#include "ardea/ops/shapes.h"
#include "ardea/ops/stages.h"
#include "ardea/support/ceil_div.h"
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

  std::size_t reduced() const {
    return static_cast<std::size_t>(std::count(reduced_.begin(), reduced_.end(), true));
  }
  bool reduces_last() const { return reduced_.back(); }

  Expr element(const std::vector<Var>& result_axes, const std::vector<te::Axis>& reduced) const {
    return element_at(result_axes, {reduced.begin(), reduced.end()});
  }
  /// The positions along the dimensions that go.
  Expr element_at(const std::vector<Var>& result_axes, const std::vector<Expr>& reduced) const {
    std::vector<Expr> indices;
    auto result = result_axes.begin();
    auto next = reduced.begin();
    for (std::size_t d = 0; d < x_.rank(); ++d) {
      indices.push_back(reduced_[d] ? *next++ : Expr(*result));
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

/// Where the greatest of many elements is asked for, the greatest of each part is found first: then only one
/// part is gone through a second time. Long enough that the parts are few, short enough that one is nothing.
constexpr std::int64_t elements_of_a_part = 64;
/// In fewer, the second time costs less than what the parts take.
constexpr std::int64_t fewest_parts = 3;

/// Where the greatest elements along the one dimension that goes are. Of the greatest element all are asked
/// where they are: plain reductions, which run in vectors of partial results, where one of pairs would have
/// to keep an order between them.
class Places {
 public:
  Places(const Dimensions& dimensions, const Types& types, std::string name)
      : dimensions_(dimensions), types_(types), name_(std::move(name)) {}

  te::Tensor of_all(const Expr& count) const {
    const std::vector<te::Axis> reduced = dimensions_.make_axes();
    const te::Tensor greatest =
        te::compute(name_ + "_max", dimensions_.result(),
                    [&](const std::vector<Var>& at) { return te::max(element(at, reduced[0]), reduced); });
    const std::vector<te::Axis> again = dimensions_.make_axes();
    return te::compute(name_, dimensions_.result(), [&](const std::vector<Var>& at) {
      return first_of(element(at, again[0]), greatest.at({at.begin(), at.end()}), place(again[0]), count,
                      again);
    });
  }

  /// The last part ends with the row, and may begin within the one before: it is the first with the greatest
  /// element only where that does not have it.
  te::Tensor of_the_first_part(std::int64_t count) const {
    const std::int64_t parts = ceil_div(count, elements_of_a_part), last = count - elements_of_a_part;
    const te::Axis inside = te::reduce_axis(elements_of_a_part, "r");
    std::vector<te::Dim> with_part = dimensions_.result();
    with_part.emplace_back("part", make_int(parts));
    const te::Tensor greatest_of_part =
        te::compute(name_ + "_part_max", with_part, [&](const std::vector<Var>& at) {
          const Expr start = folded(min(Expr(at.back()) * elements_of_a_part, last));
          return te::max(element({at.begin(), at.end() - 1}, start + inside), {inside});
        });
    const auto of_part = [&](const std::vector<Var>& at, const te::Axis& part) {
      std::vector<Expr> indices(at.begin(), at.end());
      indices.push_back(part);
      return greatest_of_part.at(indices);
    };
    const te::Axis part = te::reduce_axis(parts, "part"), part_again = te::reduce_axis(parts, "part");
    const te::Tensor greatest =
        te::compute(name_ + "_max", dimensions_.result(),
                    [&](const std::vector<Var>& at) { return te::max(of_part(at, part), {part}); });
    const te::Tensor first_part =
        te::compute(name_ + "_part", dimensions_.result(), [&](const std::vector<Var>& at) {
          return first_of(of_part(at, part_again), greatest.at({at.begin(), at.end()}), place(part_again),
                          parts, {part_again});
        });
    const te::Axis again = te::reduce_axis(elements_of_a_part, "r");
    return te::compute(name_, dimensions_.result(), [&](const std::vector<Var>& at) {
      const std::vector<Expr> row(at.begin(), at.end());
      // In range whatever the part is, so that nobody has to ask. As an index and as a position, of its own
      // type: where that is narrow, there is no wider one among the lanes.
      const auto start = [&](DataType type) {
        const auto number = [&](std::int64_t value) { return make_int(value, type); };
        return max(min(te::cast(type, first_part.at(row)) * number(elements_of_a_part), number(last)),
                   number(0));
      };
      return first_of(element(at, start(int64) + again), greatest.at(row), start(types_.out) + place(again),
                      count, {again});
    });
  }

 private:
  Expr element(const std::vector<Var>& at, const Expr& position) const {
    return te::cast(types_.acc, dimensions_.element_at(at, {position}));
  }

  Expr place(const Expr& position) const { return te::cast(types_.out, position); }

  /// The least of the positions whose value is the greatest, or is NaN; `none` where there is no such.
  te::Reduction first_of(const Expr& value, const Expr& greatest, const Expr& position, const Expr& none,
                         const std::vector<te::Axis>& axes) const {
    // Choices, not `or`: that would read the element anew, and only where it must.
    const Expr otherwise =
        types_.acc.is_float() ? te::select(not_equals(value, value), position, place(none)) : place(none);
    return te::min(te::select(equals(value, greatest), position, otherwise), axes);
  }

  const Dimensions& dimensions_;
  Types types_;
  std::string name_;
};

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
  require(dimensions.reduced() == 1,
          "argmax: it goes along {} axes of {}, but a position is a number along one; name one axis",
          dimensions.reduced(), x.name());
  const auto count = constant_int(dimensions.elements());
  require(!count || *count <= *constant_int(te::greatest_value(types.out)),
          "argmax: {} elements of {} are more than {} counts; choose int64", count.value_or(0), x.name(),
          to_string(types.out));
  const Places places(dimensions, types, name_or(options, "argmax"));
  return count && dimensions.reduces_last() && *count >= fewest_parts * elements_of_a_part
             ? places.of_the_first_part(*count)
             : places.of_all(dimensions.elements());
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
