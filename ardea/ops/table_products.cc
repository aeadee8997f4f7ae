#include "ardea/ops/gemm.h"
#include "ardea/ops/prefix_sum.h"
#include "ardea/ops/tables.h"

namespace ardea::ops {

namespace {

GemmOptions gemm_options(const Workload& w) {
  return {.transpose_b = w.transpose_b, .types = {w.acc, w.out}, .name = "C"};
}

/// Σ_{j < n} min(j, k)
Count triangle(Count n, Count k) {
  const Count top = n.value() < k.value() + 1 ? n : k + 1;  // columns that still grow
  return top * (top - 1) / 2 + (n - top) * k;
}

}  // namespace

std::vector<Operator> product_operators() {
  return {
      {
          .name = "gemm",
          .doc = "The product of two matrices. With transpose_b (--tb) B is given as n,k.",
          .formula = "C[m, n] = sum_k A[m, k] * B[k, n]",
          .sizes = {{"m"}, {"k"}, {"n"}},
          .can_transpose_b = true,
          .arithmetic = Arithmetic::products,
          .inputs = {{"A", "m, k"}, {"B", "k, n (transpose_b: n, k)"}},
          .output = "m, n",
          .flop_formula = "2*m*k*n",
          .shapes = [](const Workload& w) -> std::vector<Shape> {
            const Sizes s(w);
            const Shape b = w.transpose_b ? Shape{s("n"), s("k")} : Shape{s("k"), s("n")};
            return {{s("m"), s("k")}, b, {s("m"), s("n")}};
          },
          .result = [](const Workload& w, const auto& in) { return gemm(in[0], in[1], gemm_options(w)); },
          .count_flops =
              [](const Workload& w) {
                const Sizes s(w);
                return s("m") * s("k") * s("n") * 2;
              },
      },
      {
          .name = "bmm",
          .doc = "b independent products of matrices. With transpose_b (--tb) B is given as b,n,k.",
          .formula = "C[b, m, n] = sum_k A[b, m, k] * B[b, k, n]",
          .sizes = {{"b"}, {"m"}, {"k"}, {"n"}},
          .can_transpose_b = true,
          .arithmetic = Arithmetic::products,
          .inputs = {{"A", "b, m, k"}, {"B", "b, k, n (transpose_b: b, n, k)"}},
          .output = "b, m, n",
          .flop_formula = "2*b*m*k*n",
          .shapes = [](const Workload& w) -> std::vector<Shape> {
            const Sizes s(w);
            const Shape b = w.transpose_b ? Shape{s("b"), s("n"), s("k")} : Shape{s("b"), s("k"), s("n")};
            return {{s("b"), s("m"), s("k")}, b, {s("b"), s("m"), s("n")}};
          },
          .result = [](const Workload& w, const auto& in) { return bmm(in[0], in[1], gemm_options(w)); },
          .count_flops =
              [](const Workload& w) {
                const Sizes s(w);
                return s("b") * s("m") * s("k") * s("n") * 2;
              },
      },
      {
          .name = "gemv",
          .doc = "The product of a matrix and a vector.",
          .formula = "y[m] = sum_k A[m, k] * x[k]",
          .sizes = {{"m"}, {"k"}},
          .arithmetic = Arithmetic::products,
          .inputs = {{"A", "m, k"}, {"x", "k"}},
          .output = "m",
          .flop_formula = "2*m*k",
          .shapes = [](const Workload& w) -> std::vector<Shape> {
            const Sizes s(w);
            return {{s("m"), s("k")}, {s("k")}, {s("m")}};
          },
          .result = [](const Workload& w, const auto& in) { return gemv(in[0], in[1], {w.acc, w.out}); },
          .count_flops =
              [](const Workload& w) {
                const Sizes s(w);
                return s("m") * s("k") * 2;
              },
      },
      {
          .name = "scan",
          .doc = "Prefix sums of each row: column j of the output is the sum of what lies before column j; "
                 "columns "
                 "after k repeat the whole row's sum.",
          .formula = "scan[i, j] = sum_{r < min(j, k)} A[i, r]",
          .sizes = {{"m"}, {"n"}, {"k"}},
          .arithmetic = Arithmetic::sums,
          .inputs = {{"A", "m, k"}},
          .output = "m, n",
          .flop_formula = "m * sum_{j < n} min(j, k)",
          .shapes = [](const Workload& w) -> std::vector<Shape> {
            const Sizes s(w);
            return {{s("m"), s("k")}, {s("m"), s("n")}};
          },
          .result = [](const Workload& w,
                       const auto& in) { return prefix_sum(in[0], size(w, "n"), {w.acc, w.out}); },
          .count_flops =
              [](const Workload& w) {
                const Sizes s(w);
                return s("m") * triangle(s("n"), s("k"));
              },
      },
  };
}

}  // namespace ardea::ops
