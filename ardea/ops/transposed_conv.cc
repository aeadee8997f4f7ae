#include "ardea/ops/transposed_conv.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ardea/ops/shapes.h"
#include "ardea/support/error.h"
#include "ardea/te/math.h"

namespace ardea::ops {

namespace {

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The x with a·x ≡ 1 (mod m), for a and m without a common factor; 0 for m = 1.
std::int64_t inverse_modulo(std::int64_t a, std::int64_t m) {
  std::int64_t x = 0, next = 1, r = m, next_r = a % m;
  while (next_r != 0) {
    const std::int64_t quotient = r / next_r;
    x = std::exchange(next, x - quotient * next);
    r = std::exchange(next_r, r - quotient * next_r);
  }
  return m == 1 ? 0 : (x % m + m) % m;
}

/// One spatial dimension. Output row `row` gets data[i] · kernel[k] where i·stride + k·dilation = row +
/// padding
/// =: q. With g = gcd(stride, dilation) that needs g | q, and then k ≡ (q / g)·(dilation / g)⁻¹ modulo
/// step = stride / g: k = r(q) + step·t, i = (q − r·dilation) / stride − (dilation / g)·t.
class Dimension {
 public:
  Dimension(std::int64_t in, std::int64_t k, std::int64_t out, const TransposedConvOptions& options,
            const std::string& axis)
      : k_(k),
        stride_(options.stride),
        padding_(options.padding),
        dilation_(options.dilation),
        common_(std::gcd(stride_, dilation_)),
        step_(stride_ / common_),
        inverse_(inverse_modulo(dilation_ / common_, step_)),
        before_(std::max<std::int64_t>(0, -floor_quotient(padding_ - (k - 1) * dilation_, stride_))),
        after_(std::max<std::int64_t>(0, floor_quotient(out - 1 + padding_, stride_) - (in - 1))),
        t_(te::reduce_axis((k + step_ - 1) / step_, axis)) {}

  Margin margin() const { return {make_int(before_), make_int(after_)}; }
  const te::Axis& axis() const { return t_; }

  Expr kernel_place(const Var& row) const { return step_ == 1 ? Expr(t_) : phase(row) + Expr(t_) * step_; }

  /// In the padded data.
  Expr data_place(const Var& row) const {
    const Expr met = dilation_ == 1 || step_ == 1 ? floor_div(reach(row), stride_)
                                                  : floor_div(reach(row) - phase(row) * dilation_, stride_);
    const std::int64_t back = dilation_ / common_;
    const Expr place = met - (back == 1 ? Expr(t_) : Expr(t_) * back);
    return before_ == 0 ? place : place + before_;
  }

  /// Whether the two places exist; empty where they always do.
  Expr exists(const Var& row) const {
    Expr condition;
    if (common_ > 1) condition = equals(floor_mod(reach(row), common_), make_int(0));
    if (k_ % step_ == 0) return condition;
    const Expr inside = kernel_place(row) < k_;
    return condition.defined() ? logical_and(condition, inside) : inside;
  }

 private:
  Expr reach(const Var& row) const { return padding_ == 0 ? Expr(row) : row + padding_; }
  Expr phase(const Var& row) const {
    const Expr quotient = common_ == 1 ? reach(row) : floor_div(reach(row), common_);
    return floor_mod(inverse_ == 1 ? quotient : quotient * inverse_, step_);
  }

  std::int64_t k_, stride_, padding_, dilation_, common_, step_, inverse_, before_, after_;
  te::Axis t_;
};

std::int64_t constant_extent(const std::string& call, const te::Tensor& tensor, std::size_t d) {
  const auto extent = constant_int(tensor.shape()[d]);
  require(extent.has_value(),
          "{}: extent {} of {} is symbolic, but spatial and kernel extents must be numbers", call, d + 1,
          tensor.name());
  return *extent;
}

std::int64_t output_extent(const std::string& call, const std::string& size, std::int64_t in, std::int64_t k,
                           const TransposedConvOptions& o) {
  const std::int64_t out = (in - 1) * o.stride - 2 * o.padding + o.dilation * (k - 1) + o.output_padding + 1;
  require(
      out >= 1,
      "{}: the output's {} comes out as {}: ({} - 1) * stride {} + dilation {} * ({} - 1) + output padding "
      "{} + 1 - 2 * padding {}; reduce the padding",
      call, size, out, in, o.stride, o.dilation, k, o.output_padding, o.padding);
  return out;
}

void check_options(const std::string& call, const TransposedConvOptions& o) {
  check_window(call, o.stride, o.padding, o.dilation);
  require(0 <= o.output_padding && o.output_padding < std::max(o.stride, o.dilation),
          "{}: output padding is {}, must be at least 0 and less than the stride {} or the dilation {}", call,
          o.output_padding, o.stride, o.dilation);
}

te::Tensor transposed(const std::string& call, std::size_t rank, const te::Tensor& data,
                      const te::Tensor& kernel, const TransposedConvOptions& options) {
  require_rank(call, data, rank + 2);
  require_rank(call, kernel, rank + 2);
  check_options(call, options);
  const Types types = resolved(call, Arithmetic::products, {data.type(), kernel.type()}, options.types);
  const Image image{options.layout, rank};
  const bool first = options.layout == Layout::channels_first;
  const std::size_t ci = first ? 0 : rank, co = first ? 1 : rank + 1;
  require_same(call, "ci", data, image.channel_dimension(), kernel, ci);

  const std::vector<std::string> names = image.spatial_names(), steps = image.spatial_names("t");
  std::vector<Dimension> dimensions;
  std::vector<Expr> out;
  std::vector<Margin> margins;
  std::vector<te::Axis> reduced = {te::reduce_axis(kernel.shape()[ci], "ci")};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t in = constant_extent(call, data, image.spatial_dimension(i));
    const std::int64_t k = constant_extent(call, kernel, first ? 2 + i : i);
    const std::int64_t rows = output_extent(call, names[i], in, k, options);
    dimensions.emplace_back(in, k, rows, options, steps[i]);
    out.push_back(make_int(rows));
    margins.push_back(dimensions[i].margin());
    reduced.push_back(dimensions[i].axis());
  }
  const te::Tensor x = image.framed(data, margins, make_const(0, padding_type(data, types.acc)));
  const auto dims = named_dims(image.arranged(data.shape()[0], kernel.shape()[co], out),
                               image.arranged<std::string>("n", "co", names));
  return accumulated(options.name, dims, types, [&](const std::vector<Var>& at) {
    std::vector<Expr> data_places, kernel_places;
    Expr where;
    for (std::size_t i = 0; i < rank; ++i) {
      const Var& row = at[image.spatial_dimension(i)];
      data_places.push_back(dimensions[i].data_place(row));
      kernel_places.push_back(dimensions[i].kernel_place(row));
      if (const Expr exists = dimensions[i].exists(row); exists.defined())
        where = where.defined() ? logical_and(where, exists) : exists;
    }
    const std::vector<Expr> channels = {reduced[0], at[image.channel_dimension()]};
    kernel_places.insert(first ? kernel_places.begin() : kernel_places.end(), channels.begin(),
                         channels.end());
    const Expr element = x.at(image.arranged<Expr>(at[0], reduced[0], data_places));
    const Expr product = te::cast(types.acc, element) * te::cast(types.acc, kernel.at(kernel_places));
    return te::sum(where.defined() ? te::if_then_else(where, product, make_const(0, types.acc)) : product,
                   reduced);
  });
}

}  // namespace

te::Tensor t1d(const te::Tensor& data, const te::Tensor& kernel, const TransposedConvOptions& options) {
  return transposed("t1d", 1, data, kernel, options);
}

te::Tensor t2d(const te::Tensor& data, const te::Tensor& kernel, const TransposedConvOptions& options) {
  return transposed("t2d", 2, data, kernel, options);
}

te::Tensor t3d(const te::Tensor& data, const te::Tensor& kernel, const TransposedConvOptions& options) {
  return transposed("t3d", 3, data, kernel, options);
}

}  // namespace ardea::ops
