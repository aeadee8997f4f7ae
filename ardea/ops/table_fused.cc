#include "ardea/ops/fused.h"
#include "ardea/ops/tables.h"

namespace ardea::ops {

namespace {

Operator gemm_bias_relu_row() {
  return {
      .name = "gemm_bias_relu",
      .doc =
          "A matrix product, a row added to every row, and what is positive. The bias of an integer product "
          "has the "
          "accumulator's type.",
      .formula = "out[m, n] = max(sum_k A[m, k] * B[k, n] + bias[n], 0)",
      .sizes = {{"m"}, {"k"}, {"n"}},
      .arithmetic = Arithmetic::products,
      .inputs = {{"A", "m, k"}, {"B", "k, n"}, {"bias", "n", true}},
      .output = "m, n",
      .flop_formula = "2*m*k*n + 2*m*n",
      .shapes = [](const Workload& w) -> std::vector<Shape> {
        const Sizes s(w);
        return {{s("m"), s("k")}, {s("k"), s("n")}, {s("n")}, {s("m"), s("n")}};
      },
      .result = [](const Workload& w,
                   const auto& in) { return gemm_bias_relu(in[0], in[1], in[2], {w.acc, w.out}); },
      .count_flops =
          [](const Workload& w) {
            const Sizes s(w);
            return s("m") * s("n") * (s("k") * 2 + 2);
          },
  };
}

Operator conv_bn_relu_row() {
  return {
      .name = "conv_bn_relu",
      .doc =
          "c2d, then batch normalisation at inference along the channels (epsilon 1e-5), then what is "
          "positive.",
      .formula = "out = relu(batchnorm(c2d(data, kernel), gamma, beta, mean, var))",
      .sizes = convolution_sizes(2),
      .layouts = image_layouts(2),
      .arithmetic = Arithmetic::real,
      .inputs = {{"data", "n, ci, h, w"},
                 {"kernel", "co, ci, kh, kw"},
                 {"gamma", "co"},
                 {"beta", "co"},
                 {"mean", "co"},
                 {"var", "co"}},
      .output = "that of c2d",
      .flop_formula = "that of c2d + 7 * (elements of the output)",
      .shapes =
          [](const Workload& w) {
            std::vector<Shape> shapes = convolution_shapes(w, 2);
            shapes.insert(shapes.begin() + 2, 4, Shape{Sizes(w)("co")});
            return shapes;
          },
      .result =
          [](const Workload& w, const auto& in) {
            const Sizes s(w);
            return conv_bn_relu(in[0], in[1], in[2], in[3], in[4], in[5],
                                {.stride = s.value("stride"),
                                 .padding = s.value("pad"),
                                 .dilation = s.value("dilation"),
                                 .layout = channels_last(w) ? Layout::channels_last : Layout::channels_first,
                                 .types = {w.acc, w.out}});
          },
      .count_flops =
          [](const Workload& w) {
            return convolution_flops(w, 2) + product(convolution_shapes(w, 2)[2]) * 7;
          },
  };
}

Operator attention_row() {
  return {
      .name = "attention",
      .doc = "Scaled dot-product attention of each head, without a mask.",
      .formula = "out[h] = softmax(Q[h] * K[h]^T / sqrt(dim)) * V[h]",
      .sizes = {{"heads"}, {"seq"}, {"dim"}},
      .arithmetic = Arithmetic::real,
      .inputs = {{"Q", "heads, seq, dim"}, {"K", "heads, seq, dim"}, {"V", "heads, seq, dim"}},
      .output = "heads, seq, dim",
      .flop_formula = "heads*seq*seq*(4*dim + 6)",
      .shapes =
          [](const Workload& w) {
            const Sizes s(w);
            return std::vector<Shape>(4, {s("heads"), s("seq"), s("dim")});
          },
      .result = [](const Workload& w,
                   const auto& in) { return attention(in[0], in[1], in[2], {w.acc, w.out}); },
      .count_flops =
          [](const Workload& w) {
            const Sizes s(w);
            return s("heads") * s("seq") * s("seq") * (s("dim") * 4 + 6);
          },
  };
}

Operator matmul_exp_matmul_row() {
  return {
      .name = "matmul_exp_matmul",
      .doc = "Two matrix products with an exponential between them: the walk-through's program.",
      .formula = "F[m, n] = sum_l exp(sum_k A[m, k] * B[k, l]) * E[l, n]",
      .sizes = {{"m"}, {"k"}, {"l"}, {"n"}},
      .arithmetic = Arithmetic::real,
      .inputs = {{"A", "m, k"}, {"B", "k, l"}, {"E", "l, n"}},
      .output = "m, n",
      .flop_formula = "2*m*k*l + m*l + 2*m*l*n",
      .shapes = [](const Workload& w) -> std::vector<Shape> {
        const Sizes s(w);
        return {{s("m"), s("k")}, {s("k"), s("l")}, {s("l"), s("n")}, {s("m"), s("n")}};
      },
      .result = [](const Workload& w,
                   const auto& in) { return matmul_exp_matmul(in[0], in[1], in[2], {w.acc, w.out}); },
      .count_flops =
          [](const Workload& w) {
            const Sizes s(w);
            return s("m") * s("l") * (s("k") * 2 + 1 + s("n") * 2);
          },
  };
}

}  // namespace

std::vector<Operator> fused_operators() {
  return {gemm_bias_relu_row(), conv_bn_relu_row(), attention_row(), matmul_exp_matmul_row()};
}

}  // namespace ardea::ops
