#include <gtest/gtest.h>

#include <map>

#include "ardea/ir/print.h"
#include "ardea/support/random.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "ardea/te/print.h"
#include "tests/te/both_ways.h"

/// Random graphs of computes, against their meaning by definition: the value of an element is its expression
/// at its indices, worked out element by element, with no program in between.

namespace ardea::te {
namespace {

using Values = std::map<const ExprNode*, std::int64_t>;
using runtime::Array;

/// int32 arithmetic that wraps, as the graphs below use it.
class GraphDefinition {
 public:
  explicit GraphDefinition(std::map<const BufferNode*, Array> inputs) : inputs_(std::move(inputs)) {}

  std::int64_t element(const Tensor& tensor, const std::vector<std::int64_t>& index) {
    if (const auto input = inputs_.find(tensor.buffer().get()); input != inputs_.end()) {
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < index.size(); ++d)
        flat = flat * *constant_int(tensor.shape()[d]) + index[d];
      return input->second.get_int(flat);
    }
    const auto [at, is_new] = known_.try_emplace({tensor.buffer().get(), index}, 0);
    if (!is_new) return at->second;
    const auto& compute = *tensor.operation()->as<Compute>();
    Values values;
    for (std::size_t d = 0; d < index.size(); ++d) values[compute.axes[d].var.get()] = index[d];
    const std::int64_t value = body(compute, tensor.output(), values);
    return known_[{tensor.buffer().get(), index}] = value;
  }

 private:
  static std::int64_t wrapped(std::int64_t x) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
  }

  std::int64_t body(const Compute& compute, std::size_t output, Values& values) {
    if (const auto* expressions = std::get_if<std::vector<Expr>>(&compute.body))
      return at((*expressions)[output], values);
    const auto& reduction = std::get<Reduction>(compute.body);
    const bool sums = reduction.reducer->name == "sum";
    std::int64_t result = sums ? 0 : reduction.reducer->name == "max" ? INT32_MIN : INT32_MAX;
    fold(reduction, 0, values, [&] {
      const std::int64_t value = at(reduction.values[output], values);
      result = sums                               ? wrapped(result + value)
               : reduction.reducer->name == "max" ? std::max(result, value)
                                                  : std::min(result, value);
    });
    return result;
  }

  void fold(const Reduction& reduction, std::size_t axis, Values& values,
            const std::function<void()>& visit) {
    if (axis == reduction.axes.size()) {
      if (!reduction.where.defined() || at(reduction.where, values) != 0) visit();
      return;
    }
    const Axis& a = reduction.axes[axis];
    const std::int64_t low = *constant_int(a.range.min), high = low + *constant_int(a.range.extent);
    for (std::int64_t i = low; i < high; ++i) {
      values[a.var.get()] = i;
      fold(reduction, axis + 1, values, visit);
    }
  }

  std::int64_t at(const Expr& e, const Values& values) {
    if (const auto constant = constant_int(e)) return *constant;
    if (e.is<VarNode>()) return values.at(e.get());
    if (const auto* cast = e.as<Cast>()) return wrapped(at(cast->value, values));
    if (const auto* load = e.as<Load>()) {
      std::vector<std::int64_t> index;
      for (const Expr& i : load->indices) index.push_back(at(i, values));
      return element(tensor_of(load->buffer), index);
    }
    if (const auto* call = e.as<Call>())  // if_then_else
      return at(call->arguments[at(call->arguments[0], values) != 0 ? 1 : 2], values);
    const auto& node = *e.as<Binary>();
    const std::int64_t a = at(node.left, values), b = at(node.right, values);
    switch (node.op) {
      case BinaryOp::add: return e.type() == int32 ? wrapped(a + b) : a + b;
      case BinaryOp::sub: return e.type() == int32 ? wrapped(a - b) : a - b;
      case BinaryOp::mul: return e.type() == int32 ? wrapped(a * b) : a * b;
      case BinaryOp::min: return std::min(a, b);
      case BinaryOp::max: return std::max(a, b);
      case BinaryOp::lt: return a < b ? 1 : 0;
      case BinaryOp::ge: return a >= b ? 1 : 0;
      case BinaryOp::logical_and: return a != 0 && b != 0 ? 1 : 0;
      case BinaryOp::floor_mod: return ((a % b) + b) % b;
      default: throw std::logic_error("an operator that no graph uses");
    }
  }

  std::map<const BufferNode*, Array> inputs_;
  std::map<std::pair<const BufferNode*, std::vector<std::int64_t>>, std::int64_t> known_;
};

class Graph {
 public:
  explicit Graph(std::uint64_t seed) : random_(seed) {
    for (std::int64_t i = random_.integer(1, 2); i > 0; --i)
      tensors_.push_back(placeholder("X" + std::to_string(tensors_.size()), shape(), int32));
    inputs_ = tensors_.size();
    for (std::int64_t i = random_.integer(1, 4); i > 0; --i) add_stage();
  }

  std::size_t inputs() const { return inputs_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    for (std::int64_t d = random_.integer(1, 3); d > 0; --d) extents.push_back(random_.integer(1, 7));
    return extents;
  }

  /// An index into [0, extent) from whatever is at hand: folded into the range, or an axis that fits.
  Expr index(const std::vector<Expr>& axes, const Expr& extent) {
    Expr e = axes.empty() ? make_int(0) : random_.pick(axes);
    if (random_.integer(0, 2) == 0) {
      e = e * random_.integer(1, 3);
      e = e + random_.integer(0, 4);
    }
    return floor_mod(e, extent);
  }

  Expr element(const std::vector<Expr>& axes) {
    const Tensor& from = random_.pick(tensors_);
    std::vector<Expr> indices, shifted;
    Expr inside = make_bool(true);
    for (const Expr& extent : from.shape()) {
      indices.push_back(index(axes, extent));
      shifted.push_back(indices.back() - 1);
      inside = logical_and(inside, shifted.back() >= make_int(0));
    }
    if (random_.integer(0, 3) > 0) return from.at(indices);
    return if_then_else(inside, from.at(shifted), make_int(5, int32));  // as padding is written
  }

  Expr value(const std::vector<Expr>& axes) {
    Expr e = element(axes);
    for (std::int64_t i = random_.integer(0, 2); i > 0; --i) {
      const Expr other = random_.integer(0, 3) == 0 ? cast(int32, index(axes, make_int(9))) : element(axes);
      switch (random_.integer(0, 4)) {
        case 0: e = e + other; break;
        case 1: e = e - other; break;
        case 2: e = e * other; break;
        case 3: e = ardea::min(e, other); break;
        default: e = ardea::max(e, other);
      }
    }
    return e;
  }

  void add_stage() {
    const std::vector<std::int64_t> extents = shape();
    const std::int64_t kind = random_.integer(0, 3);
    std::vector<Axis> reduced;
    for (std::int64_t i = random_.integer(1, 2); i > 0 && kind > 0; --i) {
      const std::int64_t low = random_.integer(0, 2);
      reduced.push_back(reduce_axis(low, low + random_.integer(1, 5), "k" + std::to_string(i)));
    }
    const auto body = [&](const std::vector<Var>& axes) -> Body {
      std::vector<Expr> all(axes.begin(), axes.end());
      if (kind == 0) return value(all);
      all.insert(all.end(), reduced.begin(), reduced.end());
      Expr where;
      if (random_.integer(0, 3) == 0) where = index(all, make_int(5)) < make_int(4);
      if (kind == 1) return sum(value(all), reduced, where);
      if (kind == 2) return te::max(value(all), reduced, where);
      return std::vector<Reduction>{sum(value(all), reduced, where), sum(value(all), reduced, where)};
    };
    const Shape result(extents);
    for (const Tensor& t : compute_all("T" + std::to_string(tensors_.size()), dims(result.extents()), body))
      tensors_.push_back(t);
  }

  Random random_;
  std::vector<Tensor> tensors_;
  std::size_t inputs_ = 0;
};

TEST(RandomGraphs, compute_what_their_expressions_define) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph graph(seed);
    const std::vector<Tensor>& tensors = graph.tensors();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print({tensors.back()}));
    // Every other graph keeps its intermediate results to itself.
    std::vector<Argument> arguments(tensors.begin(), tensors.end());
    if (seed % 2 == 0) {
      arguments.assign(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(graph.inputs()));
      arguments.emplace_back(tensors.back());
    }
    const std::vector<Array> arrays = test::run_both_ways(create_prim_func(arguments), seed);
    std::map<const BufferNode*, Array> inputs;
    for (std::size_t i = 0; i < graph.inputs(); ++i) inputs[tensors[i].buffer().get()] = arrays[i];
    GraphDefinition definition(inputs);
    for (std::size_t i = graph.inputs(); i < arguments.size(); ++i)
      test::expect_elements(
          arrays[i],
          [&](const std::vector<std::int64_t>& at) {
            return static_cast<double>(definition.element(std::get<Tensor>(arguments[i]), at));
          },
          0);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ardea::te
