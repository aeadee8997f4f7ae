#include "tests/ops/reference.h"

#include <stdexcept>

namespace ardea::test {

namespace {

template <class T>
Plain<T> relu_of(Plain<T> x) {
  for (T& v : x.values) v = larger(v, T(0));
  return x;
}

template <class T>
Plain<T> gemm(const Plain<T>& a, const Plain<T>& b, bool b_transposed) {
  const std::int64_t m = a.shape[0], k = a.shape[1], n = b.shape[b_transposed ? 0 : 1];
  Plain<T> c({m, n});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t r = 0; r < k; ++r) c(i, j) = c(i, j) + a(i, r) * (b_transposed ? b(j, r) : b(r, j));
  return c;
}

/// Matrix `index` of a stack.
template <class T>
Plain<T> matrix(const Plain<T>& stack, std::int64_t index) {
  Plain<T> one({stack.shape[1], stack.shape[2]});
  for (std::int64_t i = 0; i < one.shape[0]; ++i)
    for (std::int64_t j = 0; j < one.shape[1]; ++j) one(i, j) = stack(index, i, j);
  return one;
}

template <class T>
void put(Plain<T>& stack, std::int64_t index, const Plain<T>& one) {
  for (std::int64_t i = 0; i < one.shape[0]; ++i)
    for (std::int64_t j = 0; j < one.shape[1]; ++j) stack(index, i, j) = one(i, j);
}

Plain<Tracked> softmax(const Plain<Tracked>& x) {
  Plain<Tracked> out(x.shape);
  for (std::int64_t i = 0; i < x.shape[0]; ++i) {
    Tracked top = x(i, 0), sum = 0;
    for (std::int64_t j = 0; j < x.shape[1]; ++j) top = larger(top, x(i, j));
    for (std::int64_t j = 0; j < x.shape[1]; ++j) {
      out(i, j) = exponential(x(i, j) - top);
      sum = sum + out(i, j);
    }
    for (std::int64_t j = 0; j < x.shape[1]; ++j) out(i, j) = out(i, j) / sum;
  }
  return out;
}

Plain<Tracked> attention(const std::vector<Plain<Tracked>>& in) {
  Plain<Tracked> out(in[0].shape);
  for (std::int64_t head = 0; head < out.shape[0]; ++head) {
    Plain<Tracked> scores = gemm(matrix(in[0], head), matrix(in[1], head), true);
    Tracked scale = root(Tracked(static_cast<double>(out.shape[2])));
    for (Tracked& score : scores.values) score = score / scale;
    put(out, head, gemm(softmax(scores), matrix(in[2], head), false));
  }
  return out;
}

struct Moments {
  Tracked mean, var;
};

Moments moments(const Plain<Tracked>& x, std::int64_t row) {
  const Tracked count(static_cast<double>(x.shape[1]));
  Tracked sum = 0, squares = 0;
  for (std::int64_t j = 0; j < x.shape[1]; ++j) sum = sum + x(row, j);
  const Tracked mean = sum / count;
  for (std::int64_t j = 0; j < x.shape[1]; ++j) squares = squares + (x(row, j) - mean) * (x(row, j) - mean);
  return {mean, squares / count};
}

Tracked normalised(const Tracked& x, const Tracked& gamma, const Tracked& beta, const Tracked& mean,
                   const Tracked& var) {
  // The epsilon, 1e-5, is itself rounded.
  return gamma * (x - mean) / root(var + Tracked(1e-5, 0, 1)) + beta;
}

Plain<Tracked> conv_bn_relu(const Problem& p, const std::vector<Plain<Tracked>>& in) {
  Plain<Tracked> out = convolution<Tracked>(p, 2, 1, in);
  const std::int64_t co = p.sizes[4];
  const auto count = static_cast<std::int64_t>(out.values.size());
  const std::int64_t pixels = count / out.shape[0] / co;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t c = p.channels_last ? i % co : i / pixels % co;
    Tracked& v = out.values[static_cast<std::size_t>(i)];
    v = normalised(v, in[2](c), in[3](c), in[4](c), in[5](c));
  }
  return relu_of(out);
}

Tracked function_of(const std::string& op, const Tracked& x) {
  if (op == "sigmoid") return logistic(x);
  if (op == "tanh") return hyperbolic_tangent(x);
  const Tracked root_half(std::sqrt(0.5), 0, 1);
  return x * Tracked(0.5) * (error_function(x * root_half) + Tracked(1));
}

}  // namespace

template <class T>
Answer<T> product_reference(const Problem& p, const std::vector<Plain<T>>& in) {
  if (p.op == "gemm") return {gemm(in[0], in[1], p.transpose_b)};
  if (p.op == "bmm") {
    Plain<T> c({p.sizes[0], p.sizes[1], p.sizes[3]});
    for (std::int64_t b = 0; b < p.sizes[0]; ++b)
      put(c, b, gemm(matrix(in[0], b), matrix(in[1], b), p.transpose_b));
    return {c};
  }
  if (p.op == "gemv") {
    Plain<T> y({p.sizes[0]});
    for (std::int64_t i = 0; i < p.sizes[0]; ++i)
      for (std::int64_t r = 0; r < p.sizes[1]; ++r) y(i) = y(i) + in[0](i, r) * in[1](r);
    return {y};
  }
  if (p.op == "gemm_bias_relu") {
    Plain<T> c = gemm(in[0], in[1], false);
    for (std::int64_t i = 0; i < c.shape[0]; ++i)
      for (std::int64_t j = 0; j < c.shape[1]; ++j) c(i, j) = c(i, j) + in[2](j);
    return {relu_of(c)};
  }
  if (p.op == "scan") {
    Plain<T> out({p.sizes[0], p.sizes[1]});
    for (std::int64_t i = 0; i < p.sizes[0]; ++i)
      for (std::int64_t j = 0; j < p.sizes[1]; ++j)
        for (std::int64_t r = 0; r < j && r < p.sizes[2]; ++r) out(i, j) = out(i, j) + in[0](i, r);
    return {out};
  }
  return {};
}

template <class T>
Answer<T> matrix_reference(const Problem& p, const std::vector<Plain<T>>& in) {
  const Plain<T>& x = in[0];
  const bool reduces = p.op == "reduce_sum" || p.op == "reduce_max";
  if (reduces) {
    Plain<T> out({x.shape[0]});
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
      out(i) = x(i, 0);
      for (std::int64_t j = 1; j < x.shape[1]; ++j)
        out(i) = p.op == "reduce_sum" ? out(i) + x(i, j) : larger(out(i), x(i, j));
    }
    return {out};
  }
  if (p.op == "argmax") {
    Plain<T> out({x.shape[0]});
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
      std::int64_t place = 0;
      for (std::int64_t j = 1; j < x.shape[1]; ++j)
        if (is_larger(x(i, j), x(i, place))) place = j;
      out(i) = T(place);
    }
    return {out};
  }
  if (p.op == "relu") return {relu_of(x)};
  if (p.op != "transpose" && p.op != "add" && p.op != "mul" && p.op != "bias_add") return {};
  const bool turned = p.op == "transpose";
  Plain<T> out({x.shape[turned ? 1 : 0], x.shape[turned ? 0 : 1]});
  for (std::int64_t i = 0; i < x.shape[0]; ++i)
    for (std::int64_t j = 0; j < x.shape[1]; ++j) {
      if (turned) out(j, i) = x(i, j);
      if (p.op == "add") out(i, j) = x(i, j) + in[1](i, j);
      if (p.op == "mul") out(i, j) = x(i, j) * in[1](i, j);
      if (p.op == "bias_add") out(i, j) = x(i, j) + in[1](j);
    }
  return {out};
}

Answer<Tracked> real_reference(const Problem& p, const std::vector<Plain<Tracked>>& in) {
  if (p.op == "softmax") return {softmax(in[0])};
  if (p.op == "attention") return {attention(in)};
  if (p.op == "conv_bn_relu") return {conv_bn_relu(p, in)};
  if (p.op == "matmul_exp_matmul") {
    Plain<Tracked> d = gemm(in[0], in[1], false);
    for (Tracked& v : d.values) v = exponential(v);
    return {gemm(d, in[2], false)};
  }
  const Plain<Tracked>& x = in[0];
  if (p.op == "mean" || p.op == "var") {
    Plain<Tracked> out({x.shape[0]});
    for (std::int64_t i = 0; i < x.shape[0]; ++i)
      out(i) = p.op == "mean" ? moments(x, i).mean : moments(x, i).var;
    return {out};
  }
  Plain<Tracked> out(x.shape);
  for (std::int64_t i = 0; i < x.shape[0]; ++i)
    for (std::int64_t j = 0; j < x.shape[1]; ++j) {
      if (p.op == "layernorm") {
        const Moments row = moments(x, i);
        out(i, j) = normalised(x(i, j), in[1](j), in[2](j), row.mean, row.var);
      } else if (p.op == "batchnorm") {
        out(i, j) = normalised(x(i, j), in[1](j), in[2](j), in[3](j), in[4](j));
      } else {
        out(i, j) = function_of(p.op, x(i, j));
      }
    }
  return {out};
}

namespace {

template <class T>
Answer<T> any_reference(const Problem& p, const std::vector<Plain<T>>& in) {
  for (const auto family : {product_reference<T>, image_reference<T>, matrix_reference<T>})
    if (Answer<T> answer = family(p, in); !answer.empty()) return answer;
  return {};
}

}  // namespace

Plain<Tracked> reference(const Problem& p, const std::vector<Plain<Tracked>>& in) {
  if (Answer<Tracked> answer = any_reference(p, in); !answer.empty()) return answer[0];
  return real_reference(p, in).at(0);
}

Plain<std::int64_t> reference(const Problem& p, const std::vector<Plain<std::int64_t>>& in) {
  const Answer<std::int64_t> answer = any_reference(p, in);
  if (answer.empty()) throw std::logic_error(p.op + " has no reference for integers");
  return answer[0];
}

}  // namespace ardea::test
