#include "tests/schedule/campaign/operator_chain.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ardea/arith/regions.h"
#include "ardea/ir/builder.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/literals.h"

namespace ardea::schedule {

namespace {

class OperatorChain {
 public:
  explicit OperatorChain(Random& random) : random_(random), f_("chain") {}

  Function write() {
    type_ = random_.pick(std::vector<DataType>{float32, float32, float32, float64, float16, int32});
    narrows_ = random_.chance(0.25);
    std::vector<Expr> shape;
    const Var n("n");
    for (std::int64_t d = random_.integer(1, 3); d > 0; --d) {
      const bool symbolic = random_.chance(0.15);
      shape.push_back(symbolic ? Expr(n) : make_int(random_.pick(std::vector<std::int64_t>{1, 2, 3, 5, 7})));
    }
    made_.push_back(f_.parameter("X", shape, type_));
    weight_ = f_.parameter("W", shape, type_);
    const std::int64_t stages = random_.integer(2, 5);
    for (std::int64_t i = 0; i < stages; ++i) stage(i + 1 == stages);
    return arith::complete_regions(f_.build());
  }

 private:
  using Indices = std::vector<Expr>;

  const Buffer& last() const { return made_.back(); }

  Buffer result(const std::vector<Expr>& shape, bool is_last, DataType type) {
    const std::string name = "T" + std::to_string(made_.size());
    return is_last || random_.chance(0.08) ? f_.parameter(name, shape, type) : f_.allocate(name, shape, type);
  }

  void stage(bool is_last) {
    const double draw = random_.real();
    if (draw < 0.44)
      element_wise(is_last);
    else if (draw < 0.52)
      moved(is_last, true);
    else if (draw < 0.60)
      moved(is_last, false);
    else if (draw < 0.66)
      broadcast(is_last);
    else if (draw < 0.78 && !is_last)
      overwrite_argument();
    else if (draw < 0.82)
      best(is_last);
    else
      sum(is_last);
  }

  /// Loops over the shape, then a block that gives `value` at the iterators.
  void spatial(const Buffer& to, const Indices& shape, const std::function<Expr(const Indices&)>& value,
               const std::function<Indices(const Indices&)>& place = {}) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < shape.size(); ++d) names.push_back("i" + std::to_string(d));
    f_.grid(names, shape, [&](const std::vector<Var>& loops) {
      f_.block(to->name, [&](BlockBuilder& block) {
        Indices at;
        for (std::size_t d = 0; d < shape.size(); ++d)
          at.push_back(block.spatial("v" + std::to_string(d), shape[d], loops[d]));
        const Indices where = place ? place(at) : at;
        if (random_.chance(0.1)) {
          f_.let("x", value(at), [&](const Var& x) { f_.store(to, where, x + x * make_const(2, type_)); });
        } else {
          f_.store(to, where, value(at));
        }
      });
    });
    made_.push_back(to);
  }

  Expr mixed(const Expr& x, const Expr& y) {
    const double draw = random_.real();
    const auto number = [&](double v) { return make_const(type_.is_float() ? v : 2, type_); };
    if (draw < 0.3) return x * number(0.5) + y;
    if (draw < 0.5) return max(x, y * number(0.25));
    if (draw < 0.6 && type_.is_float()) return make_call("tanh", {x}) - y;
    if (draw < 0.7) return make_select(equals(y, y), x, y) + x;
    return x - y * number(0.125);
  }

  Expr taken(const Expr& element) const {
    return narrows_ ? make_cast(type_, make_cast(type_.is_float() ? float16 : int8, element)) : element;
  }

  Expr weight_at(const Indices& at) {
    if (at.size() != weight_->shape.size() || !same_shape(last(), weight_) || random_.chance(0.3))
      return make_const(1, type_);
    return make_load(weight_, at);
  }

  static bool same_shape(const Buffer& a, const Buffer& b) {
    if (a->shape.size() != b->shape.size()) return false;
    for (std::size_t d = 0; d < a->shape.size(); ++d)
      if (!(a->shape[d] == b->shape[d]) &&
          (!constant_int(a->shape[d]) || constant_int(a->shape[d]) != constant_int(b->shape[d])))
        return false;
    return true;
  }

  /// In any order of the dimensions, some of them backwards, beside an older stage of that shape.
  void element_wise(bool is_last) {
    const Buffer from = last(), older = random_.pick(made_);
    std::vector<std::size_t> order(from->shape.size());
    std::iota(order.begin(), order.end(), 0);
    if (random_.chance(0.3)) std::reverse(order.begin(), order.end());
    const bool backwards = random_.chance(0.2), two = same_shape(from, older) && random_.chance(0.3);
    std::vector<Expr> shape;
    for (const std::size_t d : order) shape.push_back(from->shape[d]);
    const Buffer to = result(shape, is_last, type_);
    const bool by_source = random_.chance(0.5);  // the iterators follow the source, or the result
    const auto permuted = [&](const Indices& at, bool forwards) {
      Indices out(at.size());
      for (std::size_t d = 0; d < at.size(); ++d) out[forwards ? d : order[d]] = at[forwards ? order[d] : d];
      if (backwards) {
        const std::vector<Expr>& extents = forwards ? to->shape : from->shape;
        out[0] = extents[0] - 1 - out[0];
      }
      return out;
    };
    const auto value = [&](const Indices& source) {
      const Expr x = taken(make_load(from, source));
      const Expr y = two ? make_load(older, source) : weight_at(source);
      return mixed(x, y);
    };
    if (by_source)
      spatial(to, from->shape, value, [&](const Indices& at) { return permuted(at, true); });
    else
      spatial(to, shape, [&](const Indices& at) { return value(permuted(at, false)); });
  }

  /// With a margin of zeros, or without the first element of a dimension.
  void moved(bool is_last, bool padded) {
    const Buffer from = last();
    std::vector<Expr> shape = from->shape;
    const auto size = constant_int(shape[0]);
    if (!size || (!padded && *size < 2)) return element_wise(is_last);
    shape[0] = make_int(*size + (padded ? 2 : -1));
    const bool window = !padded && random_.chance(0.4);
    const Buffer to = result(shape, is_last, type_);
    spatial(to, shape, [&](const Indices& at) -> Expr {
      Indices source = at;
      source[0] = padded ? at[0] - 1 : at[0] + 1;
      const Expr x = taken(make_load(from, source));
      if (window) return x + taken(make_load(from, at));
      if (!padded) return mixed(x, make_const(1, type_));
      return make_call("if_then_else", {logical_and(at[0] >= make_int(1), at[0] < make_int(*size + 1)), x,
                                        make_const(0, type_)});
    });
  }

  void broadcast(bool is_last) {
    const Buffer from = last();
    if (from->shape.size() > 2) return element_wise(is_last);
    std::vector<Expr> shape = from->shape;
    shape.push_back(make_int(3));
    const Buffer to = result(shape, is_last, type_);
    spatial(to, shape, [&](const Indices& at) {
      return mixed(taken(make_load(from, Indices(at.begin(), at.end() - 1))), make_const(1, type_));
    });
  }

  /// What stages before have read changes.
  void overwrite_argument() {
    const Buffer argument = random_.chance(0.5) ? weight_ : made_[0];
    const std::vector<Buffer> made = made_;
    spatial(argument, argument->shape,
            [&](const Indices& at) { return make_load(argument, at) * make_const(2, type_); });
    made_ = made;
  }

  /// Over the last dimension or two.
  void sum(bool is_last) {
    const Buffer from = last();
    const std::size_t rank = from->shape.size();
    const std::size_t kept =
        rank > 1 && random_.chance(0.7) ? rank - 1 : rank - std::min<std::size_t>(rank, 2);
    std::vector<Expr> shape(from->shape.begin(), from->shape.begin() + static_cast<std::ptrdiff_t>(kept));
    if (shape.empty()) shape.push_back(make_int(1));
    const Buffer to = result(shape, is_last, type_);
    const bool greatest = random_.chance(0.3), from_weight = random_.chance(0.1);
    reduce(to->name, from, kept, [&](BlockBuilder& block, const Indices& at, Indices place) {
      if (place.empty()) place.push_back(make_int(0));
      block.init([&] {
        f_.store(to, place,
                 from_weight ? make_const(3, type_)
                 : greatest  ? make_const(-99, type_)
                             : make_const(0, type_));
      });
      const Expr before = make_load(to, place), x = make_load(from, at);
      f_.store(to, place,
               greatest ? max(before, x) : before + x * make_const(type_.is_float() ? 0.25 : 3, type_));
    });
    made_.push_back(to);
  }

  void reduce(const std::string& name, const Buffer& from, std::size_t kept,
              const std::function<void(BlockBuilder&, const Indices&, Indices)>& body) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < from->shape.size(); ++d)
      names.push_back((d < kept ? "i" : "k") + std::to_string(d));
    f_.grid(names, from->shape, [&](const std::vector<Var>& loops) {
      f_.block(name, [&](BlockBuilder& block) {
        Indices at;
        for (std::size_t d = 0; d < from->shape.size(); ++d)
          at.push_back(d < kept ? block.spatial("v" + std::to_string(d), from->shape[d], loops[d])
                                : block.reduce("vk" + std::to_string(d), from->shape[d], loops[d]));
        body(block, at, Indices(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(kept)));
      });
    });
  }

  /// The index of the greatest weight and the weight, as te::argmax writes it. Not of what was computed: an
  /// index must not depend on rounding.
  void best(bool is_last) {
    const std::size_t kept = weight_->shape.size() - 1;
    std::vector<Expr> shape(weight_->shape.begin(), weight_->shape.end() - 1);
    if (shape.empty()) shape.push_back(make_int(1));
    const std::string name = "best" + std::to_string(made_.size());
    const Buffer index = f_.parameter(name + "_index", shape, int64);
    const Buffer value = f_.parameter(name + "_value", shape, type_);
    reduce(name, weight_, kept, [&](BlockBuilder& block, const Indices& at, Indices place) {
      if (place.empty()) place.push_back(make_int(0));
      block.init([&] {
        f_.store(index, place, make_int(std::numeric_limits<std::int64_t>::max()));
        f_.store(value, place, make_const(-1000, type_));
      });
      const Expr i0 = make_load(index, place), v0 = make_load(value, place), v1 = make_load(weight_, at);
      const Expr first = logical_or(v0 > v1, logical_and(equals(v0, v1), i0 < at.back()));
      f_.let("best_index", make_select(first, i0, at.back()), [&](const Var& i) {
        f_.let("best_value", make_select(first, v0, v1), [&](const Var& v) {
          f_.store(index, place, i);
          f_.store(value, place, v);
        });
      });
    });
    if (is_last) element_wise(true);
  }

  Random& random_;
  FunctionBuilder f_;
  DataType type_ = float32;
  bool narrows_ = false;  ///< stages take elements as a narrower type
  Buffer weight_;
  std::vector<Buffer> made_;
};

}  // namespace

Function operator_chain(Random& random) { return OperatorChain(random).write(); }

}  // namespace ardea::schedule
