#include "ardea/ops/elementwise.h"
#include "ardea/ops/normalise.h"
#include "ardea/ops/reduce.h"
#include "ardea/ops/tables.h"
#include "ardea/ops/transpose.h"

/// Operators on a matrix of m rows and n columns.

namespace ardea::ops {

namespace {

using Tensors = std::vector<te::Tensor>;

/// What differs between the rows.
struct Row {
  const char *name, *doc, *formula, *flop_formula;
  Arithmetic arithmetic;
  std::vector<Input> inputs;
  const char* output;
  std::int64_t flops_an_element, flops_a_row;
  std::function<te::Tensor(const Types&, const Tensors&)> result;
};

/// "m, n", "n", "m" and "n, m" as a shape.
Shape shape_of(const Sizes& s, const std::string& text) {
  Shape shape;
  for (const char c : text)
    if (c == 'm' || c == 'n') shape.push_back(s(std::string(1, c)));
  return shape;
}

Operator operator_of(const Row& row) {
  return {
      .name = row.name,
      .doc = row.doc,
      .formula = row.formula,
      .sizes = {{"m"}, {"n"}},
      .arithmetic = row.arithmetic,
      .inputs = row.inputs,
      .output = row.output,
      .flop_formula = row.flop_formula,
      .shapes =
          [row](const Workload& w) {
            std::vector<Shape> shapes;
            for (const Input& input : row.inputs) shapes.push_back(shape_of(Sizes(w), input.shape));
            shapes.push_back(shape_of(Sizes(w), row.output));
            return shapes;
          },
      .result = [row](const Workload& w, const Tensors& in) { return row.result({w.acc, w.out}, in); },
      .count_flops =
          [row](const Workload& w) {
            const Sizes s(w);
            return s("m") * s("n") * row.flops_an_element + s("m") * row.flops_a_row;
          },
  };
}

ReduceOptions along_rows(const Types& types) { return {.axes = {-1}, .types = types}; }

std::vector<Row> reduction_rows() {
  const std::vector<Input> x = {{"x", "m, n"}};
  return {
      {"mean", "The mean of each row.", "mean[m] = sum_n x[m, n] / n", "m*(n + 1)", Arithmetic::real, x, "m",
       1, 1, [](const Types& t, const Tensors& in) { return mean(in[0], along_rows(t)); }},
      {"var", "The variance of each row as a whole population, in two passes.",
       "var[m] = sum_n (x[m, n] - mean[m])^2 / n", "m*(4*n + 2)", Arithmetic::real, x, "m", 4, 2,
       [](const Types& t, const Tensors& in) { return var(in[0], along_rows(t)); }},
      {"reduce_sum", "The sum of each row.", "sum[m] = sum_n x[m, n]", "m*n", Arithmetic::sums, x, "m", 1, 0,
       [](const Types& t, const Tensors& in) { return reduce_sum(in[0], along_rows(t)); }},
      {"reduce_max", "The greatest element of each row; NaN where there is a NaN.", "max[m] = max_n x[m, n]",
       "m*n", Arithmetic::order, x, "m", 1, 0,
       [](const Types& t, const Tensors& in) { return reduce_max(in[0], along_rows(t)); }},
      {"argmax",
       "The position of the greatest element of each row, the first of equal ones; the first NaN's.",
       "argmax[m] = min {n : x[m, n] = max_n x[m, n]}", "2*m*n", Arithmetic::places, x, "m", 2, 0,
       [](const Types& t, const Tensors& in) { return argmax(in[0], along_rows(t)); }},
  };
}

std::vector<Row> normalisation_rows() {
  return {
      {"softmax",
       "Exponentials of each row, scaled to the sum 1; the greatest element is subtracted first, so that "
       "nothing overflows.",
       "softmax[m, n] = exp(x[m, n] - max_n x) / sum_n exp(x[m, n] - max_n x)",
       "5*m*n",
       Arithmetic::real,
       {{"x", "m, n"}},
       "m, n",
       5,
       0,
       [](const Types& t, const Tensors& in) { return softmax(in[0], t); }},
      {"layernorm",
       "Each row with mean 0 and variance 1 (epsilon 1e-5), scaled by gamma and moved by beta.",
       "out[m, n] = (x[m, n] - mean[m]) / sqrt(var[m] + 1e-5) * gamma[n] + beta[n]",
       "m*(10*n + 2)",
       Arithmetic::real,
       {{"x", "m, n"}, {"gamma", "n"}, {"beta", "n"}},
       "m, n",
       10,
       2,
       [](const Types& t, const Tensors& in) { return layernorm(in[0], in[1], in[2], {.types = t}); }},
      {"batchnorm",
       "Batch normalisation at inference, with the given mean and variance of each column (epsilon 1e-5).",
       "out[m, n] = gamma[n] * (x[m, n] - mean[n]) / sqrt(var[n] + 1e-5) + beta[n]",
       "6*m*n",
       Arithmetic::real,
       {{"x", "m, n"}, {"gamma", "n"}, {"beta", "n"}, {"mean", "n"}, {"var", "n"}},
       "m, n",
       6,
       0,
       [](const Types& t, const Tensors& in) {
         return batchnorm(in[0], in[1], in[2], in[3], in[4], {.types = t});
       }},
  };
}

std::vector<Row> elementwise_rows() {
  const std::vector<Input> x = {{"x", "m, n"}}, two = {{"A", "m, n"}, {"B", "m, n"}};
  return {
      {"relu", "What is positive.", "relu[m, n] = max(x[m, n], 0)", "m*n", Arithmetic::order, x, "m, n", 1, 0,
       [](const Types& t, const Tensors& in) { return relu(in[0], t); }},
      {"add", "The sum of two matrices.", "add[m, n] = A[m, n] + B[m, n]", "m*n", Arithmetic::elementwise,
       two, "m, n", 1, 0, [](const Types& t, const Tensors& in) { return add(in[0], in[1], t); }},
      {"mul", "The element-wise product of two matrices.", "mul[m, n] = A[m, n] * B[m, n]", "m*n",
       Arithmetic::elementwise, two, "m, n", 1, 0,
       [](const Types& t, const Tensors& in) { return mul(in[0], in[1], t); }},
      {"sigmoid", "The logistic function.", "sigmoid[m, n] = 1 / (1 + exp(-x[m, n]))", "m*n",
       Arithmetic::real, x, "m, n", 1, 0,
       [](const Types& t, const Tensors& in) { return sigmoid(in[0], t); }},
      {"tanh", "The hyperbolic tangent.", "tanh[m, n] = tanh(x[m, n])", "m*n", Arithmetic::real, x, "m, n", 1,
       0, [](const Types& t, const Tensors& in) { return tanh(in[0], t); }},
      {"gelu", "The exact Gaussian error linear unit.", "gelu[m, n] = x / 2 * (1 + erf(x / sqrt(2)))",
       "5*m*n", Arithmetic::real, x, "m, n", 5, 0,
       [](const Types& t, const Tensors& in) { return gelu(in[0], t); }},
      {"bias_add",
       "The same row added to every row.",
       "bias_add[m, n] = x[m, n] + bias[n]",
       "m*n",
       Arithmetic::elementwise,
       {{"x", "m, n"}, {"bias", "n"}},
       "m, n",
       1,
       0,
       [](const Types& t, const Tensors& in) { return bias_add(in[0], in[1], {.types = t}); }},
      {"transpose", "Rows become columns; values of any type are moved as they are.",
       "transpose[n, m] = x[m, n]", "0", Arithmetic::moves, x, "n, m", 0, 0,
       [](const Types&, const Tensors& in) { return transpose(in[0]); }},
  };
}

}  // namespace

std::vector<Operator> row_operators() {
  std::vector<Operator> operators;
  for (const auto& family : {reduction_rows(), normalisation_rows(), elementwise_rows()})
    for (const Row& row : family) operators.push_back(operator_of(row));
  return operators;
}

}  // namespace ardea::ops
