#include "tests/stages/campaign/random_graph.h"

#include <algorithm>

#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "ardea/te/scan.h"

namespace ardea::stages {

namespace {

using te::Tensor;

class Maker {
 public:
  explicit Maker(Random& random) : random_(random), type_(random.integer(0, 1) == 0 ? int32 : float32) {
    for (int i = 0; i < 3; ++i) extents_.push_back(random_.integer(2, 7));
  }

  RandomGraph make() {
    for (std::int64_t i = random_.integer(1, 2); i > 0; --i) {
      graph_.inputs.push_back(te::placeholder(title("X"), te::Shape(shape()), type_));
      readable_.push_back(graph_.inputs.back());
    }
    if (random_.integer(0, 1) == 0) add_product();
    for (std::int64_t i = random_.integer(2, 5); i > 0; --i) add_stage();
    for (const Tensor& t : graph_.stages) {
      const bool inside = t.name()[0] != 'T' && t.name()[0] != 'S' && t.name()[0] != 'M';
      if (!inside && !is_read(t.operation().get())) graph_.outputs.push_back(t);
    }
    return std::move(graph_);
  }

 private:
  struct NamedAxis {
    Expr var;
    std::int64_t extent;
  };
  using Axes = std::vector<NamedAxis>;

  std::string title(const std::string& letter) { return letter + std::to_string(count_++); }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    for (std::int64_t d = random_.integer(1, 2); d >= 0; --d) extents.push_back(random_.pick(extents_));
    return extents;
  }

  bool is_read(const te::Operation* operation) const {
    return std::any_of(graph_.stages.begin(), graph_.stages.end(), [&](const Tensor& stage) {
      const auto& inputs = stage.operation()->inputs;
      return std::any_of(inputs.begin(), inputs.end(),
                         [&](const Tensor& input) { return input.operation().get() == operation; });
    });
  }

  /// An index into [0, extent): an axis of that extent, a window over two, or one folded into the range.
  Expr index(const Axes& axes, std::int64_t extent) {
    std::vector<Expr> fitting;
    for (const NamedAxis& a : axes) {
      if (a.extent <= extent) fitting.push_back(a.extent == extent ? a.var : a.var + (extent - a.extent));
      for (const NamedAxis& b : axes)
        if (b.extent > 1 && a.extent + b.extent - 1 == extent) fitting.push_back(a.var + b.var);
    }
    if (!fitting.empty()) return random_.pick(fitting);
    return axes.empty() ? make_int(0) : floor_mod(random_.pick(axes).var, make_int(extent));
  }

  Expr number(std::int64_t value) {
    return type_ == int32 ? make_int(value, int32) : make_float(static_cast<double>(value), float32);
  }

  Expr element(const Tensor& from, const Axes& axes) {
    std::vector<Expr> indices;
    for (const Expr& extent : from.shape()) indices.push_back(index(axes, *constant_int(extent)));
    if (random_.integer(0, 5) > 0) return from.at(indices);
    const Expr first = indices[0];  // as padding is written
    indices[0] = first - 1;
    return te::if_then_else(first >= make_int(1), from.at(indices), number(2));
  }

  /// Reads newer tensors more often: chains are what schedules are about.
  const Tensor& some_tensor() {
    const auto last = std::ssize(readable_) - 1;
    return readable_[static_cast<std::size_t>(random_.integer(0, 2) > 0
                                                  ? std::max<std::int64_t>(0, last - random_.integer(0, 1))
                                                  : random_.integer(0, last))];
  }

  Expr value(const Axes& axes) {
    Expr e = element(some_tensor(), axes);
    for (std::int64_t i = random_.integer(0, 1); i > 0; --i) {
      const Expr other = element(some_tensor(), axes);
      switch (random_.integer(0, 3)) {
        case 0: e = e - other; break;
        case 1: e = e * other; break;
        case 2: e = ardea::max(e, other); break;
        default: e = e + other;
      }
    }
    return e;
  }

  void add_stage() {
    if (random_.integer(0, 7) == 0) return add_scan();
    const std::vector<std::int64_t> extents = shape();
    const std::int64_t kind = random_.integer(0, 7);
    std::vector<te::Axis> reduced;
    std::vector<std::int64_t> over;
    const bool reduces = kind >= 3;
    for (std::int64_t i = random_.integer(0, 4) == 0 ? 2 : 1; i > 0 && reduces; --i) {
      over.push_back(random_.integer(0, 1) == 0 ? 3 : random_.pick(extents_));
      reduced.push_back(te::reduce_axis(over.back(), "k" + std::to_string(i)));
    }
    const auto body = [&](const std::vector<Var>& vars) -> te::Body {
      Axes axes;
      for (std::size_t d = 0; d < vars.size(); ++d) axes.push_back({vars[d], extents[d]});
      for (std::size_t r = 0; r < reduced.size(); ++r) axes.push_back({reduced[r].var, over[r]});
      if (kind == 0) return std::vector<Expr>{value(axes), value(axes)};
      if (!reduces) return value(axes);
      if (kind == 3)
        return std::vector<te::Reduction>{te::sum(value(axes), reduced), te::sum(value(axes), reduced)};
      if (kind == 4) return te::max(value(axes), reduced);
      return te::sum(value(axes), reduced);
    };
    add(te::compute_all(title("T"), te::dims(te::Shape(extents).extents()), body));
  }

  void add(const std::vector<Tensor>& made) {
    graph_.stages.insert(graph_.stages.end(), made.begin(), made.end());
    readable_.insert(readable_.end(), made.begin(), made.end());
  }

  /// A product of two inputs of its own, whose tiles are an instruction.
  void add_product() {
    const std::int64_t n = 4 * random_.integer(1, 2);
    const Tensor a = te::placeholder(title("X"), {n, 8}), b = te::placeholder(title("X"), {8, n});
    const te::Axis k = te::reduce_axis(8, "k");
    graph_.inputs.insert(graph_.inputs.end(), {a, b});
    graph_.stages.push_back(te::compute(
        title("M"), {n, n}, [&](const Var& i, const Var& j) { return te::sum(a(i, k) * b(k, j), {k}); }));
    if (type_ == float32) readable_.push_back(graph_.stages.back());
  }

  /// A recurrence, sometimes through a second stage.
  void add_scan() {
    const std::int64_t steps = random_.integer(3, 6), n = random_.pick(extents_);
    const Tensor state = te::placeholder(title("s"), {steps, n}, type_);
    const auto values = [&](const Var& t, const Var& i) { return value({{t, steps}, {i, n}}); };
    const Tensor init = te::compute(title("I"), {1, n}, [&](const Var&, Var i) { return value({{i, n}}); });
    graph_.stages.push_back(init);
    const Var t("t");
    Tensor before = state;
    if (random_.integer(0, 1) == 0) {
      before = te::compute(title("P"), {steps, n},
                           [&](const Var& t, const Var& i) { return state(t - 1, i) * number(2); });
      graph_.stages.push_back(before);
    }
    const bool direct = before == state;
    const Tensor next = te::compute(title("U"), {steps, n}, [&](const Var& t, const Var& i) {
      return before(direct ? Expr(t - 1) : Expr(t), i) + values(t, i);
    });
    graph_.stages.push_back(next);
    add(te::scan(title("S"), {init}, {next}, {state}));
  }

  Random& random_;
  DataType type_;
  std::vector<std::int64_t> extents_;
  std::vector<Tensor> readable_;
  RandomGraph graph_;
  int count_ = 0;
};

}  // namespace

RandomGraph random_graph(Random& random) { return Maker(random).make(); }

}  // namespace ardea::stages
