#include "tests/schedule/campaign/window_chain.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "ardea/ir/parse.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

/// n + number, or the number.
struct Size {
  bool symbolic = false;
  std::int64_t number = 1;

  bool operator==(const Size&) const = default;
  std::string text() const {
    if (!symbolic) return std::to_string(number);
    return number == 0 ? "n" : fmt::format("n + {}", number);
  }
};

struct Tensor {
  std::string name;
  std::vector<Size> shape;
  bool is_used = false;
};

/// An iterator of a stage: its size, S or R.
struct Axis {
  Size size;
  char kind = 'S';
};

class WindowChain {
 public:
  explicit WindowChain(Random& random) : random_(random), symbolic_(random.chance(0.4)) {}

  Function make() {
    std::vector<Size> shape;
    for (std::int64_t d = random_.integer(1, 2); d > 0; --d)
      shape.push_back(symbolic_ && random_.chance(0.6) ? Size{true, random_.integer(4, 8)}
                                                       : Size{false, random_.integer(5, 12)});
    tensors_.push_back({"A", shape});
    const std::int64_t stages = random_.integer(2, 4);
    while (made_ < stages) add_stage();
    return parse_function(text());
  }

 private:
  static std::string v(std::size_t i) { return fmt::format("v{}", i); }
  static std::string access(const std::string& name, const std::vector<std::string>& indices) {
    return fmt::format("{}[{}]", name, join(indices, ", "));
  }

  Tensor& any_source() {
    // Mostly the latest: chains are what moves.
    const auto last = static_cast<std::int64_t>(tensors_.size()) - 1;
    Tensor& source =
        tensors_[static_cast<std::size_t>(random_.chance(0.6) ? last : random_.integer(0, last))];
    source.is_used = true;
    return source;
  }

  void add_stage() {
    switch (random_.integer(0, 10)) {
      case 0:
      case 1: return stencil();
      case 2: return window();
      case 3: return reduce();
      case 4: return broadcast();
      case 5: return padded();
      case 6: return turned();
      case 7:
      case 8: return bordered();
      case 9: return spread();
      default: return best();
    }
  }

  /// How far taps may reach, by stride: the size of what is computed from `size` elements.
  static std::optional<Size> reduced(const Size& size, std::int64_t stride, std::int64_t reach) {
    const std::int64_t left = size.number - reach;
    if (size.symbolic) return stride == 1 && left >= 0 ? std::optional(Size{true, left}) : std::nullopt;
    return left >= 1 ? std::optional(Size{false, (left - 1) / stride + 1}) : std::nullopt;
  }

  void stencil() {
    const Tensor source = any_source();
    std::vector<Axis> axes;
    std::vector<std::int64_t> strides, reaches;
    for (const Size& size : source.shape) {
      const std::int64_t stride = !size.symbolic && random_.chance(0.3) ? 2 : 1;
      const std::int64_t reach = random_.integer(0, 2);
      const auto out = reduced(size, stride, reach);
      strides.push_back(out ? stride : 1);
      reaches.push_back(out ? reach : 0);
      axes.push_back({out.value_or(size)});
    }
    std::string sum;
    for (std::int64_t taps = random_.integer(1, 3); taps > 0; --taps) {
      std::vector<std::string> indices;
      for (std::size_t d = 0; d < axes.size(); ++d)
        indices.push_back(fmt::format("{} * {} + {}", v(d), strides[d], random_.integer(0, reaches[d])));
      sum += (sum.empty() ? "" : " + ") + access(source.name, indices);
    }
    // Where another tensor has the same shape, it may be read, too.
    for (Tensor& other : tensors_) {
      const bool fits =
          other.shape.size() == axes.size() && random_.chance(0.3) &&
          std::equal(axes.begin(), axes.end(), other.shape.begin(), [](const Axis& a, const Size& s) {
            return a.size.symbolic == s.symbolic && a.size.number <= s.number;
          });
      if (!fits) continue;
      other.is_used = true;
      sum += " - " + access(other.name, spatial(axes.size()));
      break;
    }
    write(axes, spatial(axes.size()), fmt::format("T.float32(0.5) * ({})", sum), "");
  }

  /// The index `by` places on; where that is outside, the last one inside, or as far inside as it is outside.
  static std::string bent(std::size_t d, const Size& size, std::int64_t by, bool mirrored) {
    const std::string last = fmt::format("({} - 1)", size.text());
    if (by == 0) return v(d);
    if (by > 0 && !mirrored) return fmt::format("T.min({} + {}, {})", v(d), by, last);
    if (!mirrored) return fmt::format("T.max({} - {}, 0)", v(d), -by);
    if (by < 0) return fmt::format("T.min(T.max({} - {}, {} - {}), {})", v(d), -by, -by, v(d), last);
    return fmt::format("T.max(T.min({} + {}, {} * 2 - {} - {}), 0)", v(d), by, last, by, v(d));
  }

  /// A stencil as large as its source, which is held or mirrored at its borders. What it reads of a column is
  /// added up first: all of its rows, and those of a second source where there is one.
  void bordered() {
    const Tensor source = any_source();
    const bool mirrored = random_.chance(0.3);
    const auto taps = [&](std::size_t d) {
      const std::int64_t first = random_.integer(-2, 1);
      const std::int64_t dilation = random_.integer(1, 2);
      std::vector<std::string> indices;
      for (std::int64_t left = random_.integer(1, 2), by = first; left > 0; --left, ++by)
        indices.push_back(bent(d, source.shape[d], by * dilation, mirrored));
      return indices;
    };
    std::vector<std::string> rows = {""};
    if (source.shape.size() == 2) {
      rows = taps(0);
      for (std::string& row : rows) row += ", ";
    }
    std::vector<std::string> names = {source.name};
    for (Tensor& other : tensors_) {
      if (other.name == source.name || other.shape != source.shape || !random_.chance(0.7)) continue;
      other.is_used = true;
      names.push_back(other.name);
      break;
    }
    std::vector<std::string> columns;
    for (const std::string& column : taps(source.shape.size() - 1)) {
      std::vector<std::string> read;
      for (const std::string& row : rows)
        for (const std::string& name : names) read.push_back(access(name, {row + column}));
      columns.push_back(
          fmt::format("T.float32({}) * ({})", columns.empty() ? "0.25" : "-0.5", join(read, " + ")));
    }
    std::vector<Axis> axes;
    for (const Size& size : source.shape) axes.push_back({size});
    write(axes, spatial(axes.size()), join(columns, " + "), "");
  }

  void window() {
    const Tensor source = any_source();
    std::vector<Axis> axes;
    std::vector<std::string> indices;
    std::vector<Axis> reduce_axes;
    for (const Size& size : source.shape) {
      const std::int64_t stride = size.symbolic ? 1 : random_.integer(1, 3);
      const std::int64_t dilation = random_.integer(1, 2), width = random_.integer(1, 3);
      const auto out = reduced(size, stride, (width - 1) * dilation);
      axes.push_back({out.value_or(size)});
      indices.push_back(v(axes.size() - 1));
      if (!out) continue;
      indices.back() = fmt::format("{} * {} + v{} * {}", indices.back(), stride,
                                   source.shape.size() + reduce_axes.size(), dilation);
      reduce_axes.push_back({{false, width}, 'R'});
    }
    const std::size_t rank = axes.size();
    axes.insert(axes.end(), reduce_axes.begin(), reduce_axes.end());
    write(axes, spatial(rank), access(source.name, indices), "sum");
  }

  /// Sums over windows of a copy of the source that has gaps, or a rest, that nobody writes: what they read
  /// is apart as its elements are, or under a condition.
  void spread() {
    const Tensor source = any_source();
    Tensor copy{fmt::format("G{}", made_), {}, true};
    std::vector<Axis> copy_axes, axes, reduce_axes;
    std::vector<std::string> places, indices, conditions;
    for (std::size_t d = 0; d < source.shape.size(); ++d) {
      const Size& size = source.shape[d];
      const std::int64_t gap = size.symbolic ? 1 : random_.integer(1, 3);
      const std::int64_t first = random_.integer(0, 1), rest = random_.integer(0, 2);
      copy_axes.push_back({size});
      places.push_back(fmt::format("{} * {} + {}", v(d), gap, first));
      copy.shape.push_back(
          {size.symbolic, (size.symbolic ? size.number : (size.number - 1) * gap + 1) + first + rest});
      // A guard instead of a smaller extent, some of the time.
      const bool guarded = gap == 1 && first == 0 && rest > 0 && random_.chance(0.7);
      const std::int64_t stride = size.symbolic ? 1 : random_.integer(1, 2), width = random_.integer(1, 3);
      const auto out = reduced(guarded ? copy.shape[d] : size, stride, width - 1);
      axes.push_back({out.value_or(size)});
      std::string element = v(d);
      if (out) {
        element = fmt::format("({} * {} + v{})", element, stride, source.shape.size() + reduce_axes.size());
        reduce_axes.push_back({{false, width}, 'R'});
      }
      if (guarded) conditions.push_back(fmt::format("{} < {}", element, size.text()));
      indices.push_back(fmt::format("{} * {} + {}", element, gap, first));
    }
    others_.push_back(copy);
    body_ += loops(copy_axes);
    body_ += fmt::format("            {} = {}\n", access(copy.name, places),
                         access(source.name, spatial(source.shape.size())));
    ++made_;
    const std::size_t rank = axes.size();
    axes.insert(axes.end(), reduce_axes.begin(), reduce_axes.end());
    std::string read = access(copy.name, indices);
    if (!conditions.empty())
      read = fmt::format("T.if_then_else({}, {}, T.float32(0.0))", join(conditions, " and "), read);
    write(axes, spatial(rank), read, "sum");
  }

  void reduce() {
    const Tensor source = any_source();
    if (source.shape.size() != 2) return stencil();
    const bool first = random_.chance(0.3);
    const std::vector<Axis> axes = {{source.shape[first ? 1 : 0]}, {source.shape[first ? 0 : 1], 'R'}};
    write(axes, {"v0"}, first ? access(source.name, {"v1", "v0"}) : access(source.name, {"v0", "v1"}), "sum");
  }

  void broadcast() {
    const Tensor source = any_source();
    if (source.shape.size() != 1) return reduce();
    const std::vector<Axis> axes = {{source.shape[0]}, {{false, random_.integer(1, 4)}}};
    write(axes, spatial(2), access(source.name, {"v0"}) + " * T.Cast(\"float32\", v1)", "");
  }

  void padded() {
    const Tensor source = any_source();
    std::vector<Axis> axes;
    std::vector<std::string> indices, conditions;
    for (const Size& size : source.shape) {
      axes.push_back({{size.symbolic, size.number + 2}});
      const std::string var = v(axes.size() - 1);
      conditions.push_back(
          fmt::format("1 <= {} and {} < {}", var, var, Size{size.symbolic, size.number + 1}.text()));
      indices.push_back(var + " - 1");
    }
    write(axes, spatial(axes.size()),
          fmt::format("T.if_then_else({}, {}, T.float32(0.0))", join(conditions, " and "),
                      access(source.name, indices)),
          "");
  }

  /// Transposed, or backwards.
  void turned() {
    const Tensor source = any_source();
    std::vector<Axis> axes;
    std::vector<std::string> indices = spatial(source.shape.size());
    for (const Size& size : source.shape) axes.push_back({size});
    if (source.shape.size() == 2 && random_.chance(0.5)) {
      std::swap(axes[0], axes[1]);
      std::swap(indices[0], indices[1]);
    } else {
      indices[0] = fmt::format("{} - 1 - v0", source.shape[0].text());
    }
    write(axes, spatial(axes.size()), access(source.name, indices) + " + T.float32(1.0)", "");
  }

  /// The position of the largest and the largest. Of the input alone: between computed values rounding
  /// decides.
  void best() {
    const Tensor source = tensors_[0];
    if (source.shape.size() != 2) return stencil();
    const Tensor position = new_tensor({source.shape[0]}), value = new_tensor({source.shape[0]});
    std::string out = loops({{source.shape[0]}, {source.shape[1], 'R'}});
    const std::string element = access(source.name, {"v0", "v1"});
    out += "            with T.init():\n";
    out += fmt::format("                {}[v0] = T.float32(-1.0)\n", position.name);
    out += fmt::format("                {}[v0] = T.float32(-1000.0)\n", value.name);
    out += fmt::format("            if {}[v0] < {}:\n", value.name, element);
    out += fmt::format("                {}[v0] = T.Cast(\"float32\", v1)\n", position.name);
    out += fmt::format("                {}[v0] = {}\n", value.name, element);
    body_ += out;
    ++made_;
  }

  static std::vector<std::string> spatial(std::size_t count) {
    std::vector<std::string> vars;
    for (std::size_t i = 0; i < count; ++i) vars.push_back(v(i));
    return vars;
  }

  Tensor new_tensor(const std::vector<Size>& shape) {
    tensors_.push_back({fmt::format("B{}", tensors_.size()), shape});
    return tensors_.back();
  }

  std::string loops(const std::vector<Axis>& axes) const {
    std::vector<std::string> names, vars, extents;
    std::string kinds;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      names.push_back(fmt::format("i{}", i));
      vars.push_back(v(i));
      extents.push_back(axes[i].size.text());
      kinds += axes[i].kind;
    }
    std::string text = fmt::format("    for {} in T.grid({}):\n        with T.block(\"stage_{}\"):\n",
                                   join(names, ", "), join(extents, ", "), made_);
    for (std::size_t i = 0; i < axes.size(); ++i)
      text += fmt::format("            v{} = T.axis.{}({}, i{})\n", i,
                          axes[i].kind == 'S' ? "spatial" : "reduce", extents[i], i);
    return text;
  }

  void write(const std::vector<Axis>& axes, const std::vector<std::string>& indices, const std::string& value,
             const std::string& reduction) {
    std::vector<Size> shape;
    for (const Axis& axis : axes)
      if (axis.kind == 'S') shape.push_back(axis.size);
    const std::string out = access(new_tensor(shape).name, indices);
    body_ += loops(axes);
    if (reduction.empty()) {
      body_ += fmt::format("            {} = {}\n", out, value);
    } else {
      body_ += fmt::format("            with T.init():\n                {} = T.float32(0.0)\n", out);
      body_ += fmt::format("            {} = {} + {} * T.float32(0.25)\n", out, out, value);
    }
    ++made_;
  }

  std::string text() const {
    std::vector<std::string> parameters, allocated, matched;
    std::vector<Tensor> all = tensors_;
    all.insert(all.end(), others_.begin(), others_.end());
    for (const Tensor& tensor : all) {
      std::vector<std::string> shape;
      for (const Size& size : tensor.shape) shape.push_back(size.text());
      const std::string sizes = fmt::format("({},)", join(shape, ", "));
      if (tensor.is_used && tensor.name != "A") {
        allocated.push_back(fmt::format("    {} = T.alloc_buffer({})\n", tensor.name, sizes));
      } else {
        parameters.push_back(tensor.name + "_handle: T.handle");
        matched.push_back(fmt::format("    {} = T.match_buffer({}_handle, {}, \"float32\")\n", tensor.name,
                                      tensor.name, sizes));
      }
    }
    std::string out = "@T.prim_func\ndef main(" + join(parameters, ", ");
    if (symbolic_) out += ", N_handle: T.handle";
    out += "):\n";
    if (symbolic_) out += "    n = T.int64()\n    N = T.match_buffer(N_handle, (n,), \"float32\")\n";
    return out + join(matched, "") + join(allocated, "") + body_;
  }

  Random& random_;
  const bool symbolic_;
  std::vector<Tensor> tensors_;
  std::vector<Tensor> others_;  ///< of which only a part is written: no source for other stages
  std::string body_;
  std::int64_t made_ = 0;
};

}  // namespace

Function window_chain(Random& random) { return WindowChain(random).make(); }

}  // namespace ardea::schedule
