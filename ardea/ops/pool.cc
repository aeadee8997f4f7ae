#include "ardea/ops/pool.h"

#include "ardea/ops/reduce.h"
#include "ardea/ops/shapes.h"
#include "ardea/support/error.h"
#include "ardea/te/math.h"

namespace ardea::ops {

namespace {

constexpr std::size_t spatial_rank = 2;

/// The image in its frame and the windows over it.
struct PoolWindows {
  Image image;
  std::int64_t stride;
  te::Tensor framed;
  std::vector<te::Dim> dims;
  std::vector<te::Axis> window;

  Expr element(const std::vector<Var>& at) const {
    std::vector<Expr> places;
    for (std::size_t i = 0; i < spatial_rank; ++i) {
      const Var& row = at[image.spatial_dimension(i)];
      places.push_back((stride == 1 ? Expr(row) : row * stride) + Expr(window[i]));
    }
    return framed.at(image.arranged<Expr>(at[0], at[image.channel_dimension()], places));
  }
};

PoolWindows pool_windows(const std::string& call, const te::Tensor& x, const PoolOptions& options,
                         const Expr& frame) {
  require_rank(call, x, spatial_rank + 2);
  check_window(call, options.stride, options.padding, 1);
  require(options.k >= 1, "{}: k is {}, must be at least 1", call, options.k);
  const Image image{options.layout, spatial_rank};
  const std::vector<std::string> names = image.spatial_names();
  const std::vector<Expr> in = image.spatial(x.shape());
  std::vector<Expr> out;
  std::vector<te::Axis> window;
  for (std::size_t i = 0; i < spatial_rank; ++i) {
    out.push_back(
        window_count(call, names[i], in[i], make_int(options.k), options.stride, options.padding, 1));
    window.push_back(te::reduce_axis(options.k, "k" + names[i]));
  }
  const Expr margin = make_int(options.padding);
  return {image, options.stride, image.framed(x, std::vector<Margin>(spatial_rank, {margin, margin}), frame),
          named_dims(image.arranged(x.shape()[0], x.shape()[image.channel_dimension()], out),
                     image.arranged<std::string>("n", "c", names)),
          window};
}

void require_elements_in_windows(const std::string& call, const PoolOptions& options) {
  require(
      options.padding < options.k,
      "{}: padding is {} and k is {}: a window would hold nothing but padding; choose a padding less than k",
      call, options.padding, options.k);
}

/// The image's own elements in the window at `row`, whose frame begins `padding` before it.
Expr own_elements(const Var& row, const Expr& extent, const PoolOptions& options) {
  const Expr start = row * options.stride;
  const Expr end = min(start + options.k, extent + options.padding);
  return end - max(start, make_int(options.padding));
}

std::string name_or(const PoolOptions& options, const char* name) {
  return options.name.empty() ? name : options.name;
}

}  // namespace

te::Tensor maxpool(const te::Tensor& x, const PoolOptions& options) {
  const Types types = resolved("maxpool", Arithmetic::order, {x.type()}, options.types);
  require_elements_in_windows("maxpool", options);
  const PoolWindows windows =
      pool_windows("maxpool", x, options, te::least_value(padding_type(x, types.acc)));
  return accumulated(name_or(options, "maxpool"), windows.dims, types, [&](const std::vector<Var>& at) {
    return te::max(te::cast(types.acc, windows.element(at)), windows.window);
  });
}

te::Tensor avgpool(const te::Tensor& x, const PoolOptions& options) {
  const Types types = resolved("avgpool", Arithmetic::real, {x.type()}, options.types);
  if (!options.count_include_pad) require_elements_in_windows("avgpool", options);
  const PoolWindows windows = pool_windows("avgpool", x, options, make_const(0, padding_type(x, types.acc)));
  const auto averaged = [&](const std::vector<Var>& at, const Expr& sum) {
    // One product, where a quotient would take longer than the sum.
    if (options.count_include_pad || options.padding == 0)
      return sum *
             make_const(1 / (static_cast<double>(options.k) * static_cast<double>(options.k)), types.acc);
    Expr product = make_int(1);
    for (std::size_t i = 0; i < spatial_rank; ++i) {
      const std::size_t d = windows.image.spatial_dimension(i);
      product = product * own_elements(at[d], x.shape()[d], options);
    }
    return sum / te::cast(types.acc, product);
  };
  return accumulated(
      name_or(options, "avgpool"), windows.dims, types,
      [&](const std::vector<Var>& at) {
        return te::sum(te::cast(types.acc, windows.element(at)), windows.window);
      },
      averaged);
}

te::Tensor global_avgpool(const te::Tensor& x, Layout layout, const Types& types, const std::string& name) {
  require_rank("global_avgpool", x, spatial_rank + 2);
  const Image image{layout, spatial_rank};
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < spatial_rank; ++i)
    axes.push_back(static_cast<std::int64_t>(image.spatial_dimension(i)));
  return mean(x, {axes, false, types, name});
}

}  // namespace ardea::ops
