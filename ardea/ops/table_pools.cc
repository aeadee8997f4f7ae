#include "ardea/ops/pool.h"
#include "ardea/ops/tables.h"

namespace ardea::ops {

namespace {

PoolOptions pool_options_of(const Workload& w) {
  const Sizes s(w);
  return {.k = s.value("k"),
          .stride = s.value("stride"),
          .padding = s.value("pad"),
          .layout = layout_of(w),
          .types = {w.acc, w.out}};
}

std::vector<Shape> pool_shapes(const Workload& w) {
  const Sizes s(w);
  const auto windows = [&](Count in) { return (in + s("pad") * 2 - s("k")) / s("stride") + 1; };
  return {image_shape(w, s("n"), s("c"), {s("h"), s("w")}),
          image_shape(w, s("n"), s("c"), {windows(s("h")), windows(s("w"))})};
}

Count output_elements(const Workload& w) { return product(pool_shapes(w)[1]); }

Operator pool_row(const std::string& name, const std::string& doc, const std::string& formula,
                  Arithmetic arithmetic) {
  return {
      .name = name,
      .doc = doc,
      .formula = formula,
      .sizes = {{"n"}, {"h"}, {"w"}, {"c"}, {"k"}, {"stride"}, {"pad", 0}},
      .layouts = image_layouts(2),
      .arithmetic = arithmetic,
      .inputs = {{"x", "n, c, h, w"}},
      .output = "n, c and one window count a spatial size: (h + 2*pad - k) / stride + 1",
      .flop_formula = "",
      .shapes = pool_shapes,
      .result = {},
      .count_flops = {},
  };
}

}  // namespace

std::vector<Operator> pool_operators() {
  Operator maxpool_row =
      pool_row("maxpool", "The greatest element of each window; pad must be less than k.",
               "maxpool[n, c, h, w] = max_{kh, kw < k} x[n, c, h*stride + kh - pad, ...]", Arithmetic::order);
  maxpool_row.flop_formula = "k * k * (elements of the output)";
  maxpool_row.result = [](const Workload& w, const auto& in) { return maxpool(in[0], pool_options_of(w)); };
  maxpool_row.count_flops = [](const Workload& w) {
    return output_elements(w) * Sizes(w)("k") * Sizes(w)("k");
  };

  Operator avgpool_row = pool_row(
      "avgpool",
      "The mean of each window. The padding's zeros count as elements, as by PyTorch's "
      "default.",
      "avgpool[n, c, h, w] = sum_{kh, kw < k} x[n, c, h*stride + kh - pad, ...] / (k * k)", Arithmetic::real);
  avgpool_row.flop_formula = "(k * k + 1) * (elements of the output)";
  avgpool_row.result = [](const Workload& w, const auto& in) { return avgpool(in[0], pool_options_of(w)); };
  avgpool_row.count_flops = [](const Workload& w) {
    return output_elements(w) * (Sizes(w)("k") * Sizes(w)("k") + 1);
  };

  Operator global_row = {
      .name = "global_avgpool",
      .doc = "The mean of each channel of each image.",
      .formula = "global_avgpool[n, c] = sum_{h, w} x[n, c, h, w] / (h * w)",
      .sizes = {{"n"}, {"h"}, {"w"}, {"c"}},
      .layouts = image_layouts(2),
      .arithmetic = Arithmetic::real,
      .inputs = {{"x", "n, c, h, w"}},
      .output = "n, c",
      .flop_formula = "n*c*(h*w + 1)",
      .shapes = [](const Workload& w) -> std::vector<Shape> {
        const Sizes s(w);
        return {image_shape(w, s("n"), s("c"), {s("h"), s("w")}), {s("n"), s("c")}};
      },
      .result = [](const Workload& w,
                   const auto& in) { return global_avgpool(in[0], layout_of(w), {w.acc, w.out}); },
      .count_flops =
          [](const Workload& w) {
            const Sizes s(w);
            return s("n") * s("c") * (s("h") * s("w") + 1);
          },
  };
  return {maxpool_row, avgpool_row, global_row};
}

}  // namespace ardea::ops
