#include "beside.h"
using namespace ardea;

/// Attention scores with rotary embedding and a causal mask: queries and keys are turned by an angle that
/// grows with their position, and a query meets the keys up to its own position. The others score 0.

struct Sizes {
  int heads, length, depth;
};

/// Pairs (x, y) of neighbouring numbers, turned by the angle of their position.
te::Tensor rotated(const char* name, te::Tensor x, te::Tensor cosine, te::Tensor sine, const Sizes& n) {
  return te::compute(name, {{"h", n.heads}, {"t", n.length}, {"d", n.depth}}, [&](auto h, auto t, auto d) {
    Expr pair = te::floor_div(d, 2);
    Expr other = te::select(te::equals(d % 2, 0), -x(h, t, pair * 2 + 1), x(h, t, pair * 2));
    return x(h, t, d) * cosine(t, pair) + other * sine(t, pair);
  });
}

Function scores(const Sizes& n) {
  te::Tensor queries = te::placeholder("queries", {n.heads, n.length, n.depth});
  te::Tensor keys = te::placeholder("keys", {n.heads, n.length, n.depth});
  te::Tensor cosine = te::placeholder("cosine", {n.length, n.depth / 2});
  te::Tensor sine = te::placeholder("sine", {n.length, n.depth / 2});
  te::Tensor q = rotated("q", queries, cosine, sine, n), k = rotated("k", keys, cosine, sine, n);
  te::Axis d = te::reduce_axis(n.depth, "d");
  te::Tensor s =
      te::compute("scores", {{"h", n.heads}, {"i", n.length}, {"j", n.length}},
                  [&](auto h, auto i, auto j) { return te::sum(q(h, i, d) * k(h, j, d), {d}, j <= i); });
  return te::create_prim_func({queries, keys, cosine, sine, s}, "scores");
}

/// Tiles of 8 queries by 16 keys whose sums stay in registers. Keys lie along the lanes, so that they are
/// turned into columns: k by (depth, position).
Function scheduled(const Function& program) {
  schedule::Schedule sch(program);
  auto s = sch.get_block("scores"), q = sch.get_block("q"), k = sch.get_block("k");
  auto loops = sch.get_loops(s);  // h, i, j, d
  auto rows = sch.split(loops[1], {schedule::none, 8}), columns = sch.split(loops[2], {schedule::none, 16});
  sch.reorder(loops[0], rows[0], columns[0], loops[3], rows[1], columns[1]);
  sch.transform_layout(k, {"write", 0}, "lambda h, t, d: (h, d, t)");
  sch.compute_at(k, loops[0]);
  sch.compute_at(q, rows[0]);
  sch.stage_mem(loops[3], "scores", "local");
  sch.unroll(rows[1]);
  sch.vectorize(columns[1]);
  sch.parallel(loops[0]);
  return sch.program();
}

void plain(const float* queries, const float* keys, const float* cosine, const float* sine, float* q,
           float* k, float* s, const Sizes& n) {
  const auto turn = [&](const float* x, float* y) {
    for (int h = 0; h < n.heads; ++h)
      for (int t = 0; t < n.length; ++t)
        for (int p = 0; p < n.depth / 2; ++p) {
          const int at = (h * n.length + t) * n.depth + p * 2;
          const float c = cosine[t * (n.depth / 2) + p], b = sine[t * (n.depth / 2) + p];
          y[at] = x[at] * c - x[at + 1] * b;
          y[at + 1] = x[at + 1] * c + x[at] * b;
        }
  };
  turn(queries, q);
  turn(keys, k);
  for (int h = 0; h < n.heads; ++h)
    for (int i = 0; i < n.length; ++i) {
      float* row = s + (h * n.length + i) * n.length;
      std::fill(row, row + n.length, 0.0f);
      for (int j = 0; j <= i; ++j)
        for (int d = 0; d < n.depth; ++d)
          row[j] += q[(h * n.length + i) * n.depth + d] * k[(h * n.length + j) * n.depth + d];
    }
}

int main(int argc, char** argv) {
  const Sizes n = is_small(argc, argv) ? Sizes{2, 37, 10} : Sizes{8, 512, 64};
  const auto whole = static_cast<std::size_t>(n.heads) * n.length * n.depth;
  auto queries = runtime::Array::empty({n.heads, n.length, n.depth}, float32);
  auto keys = runtime::Array::empty({n.heads, n.length, n.depth}, float32);
  auto cosine = runtime::Array::empty({n.length, n.depth / 2}, float32);
  auto sine = runtime::Array::empty({n.length, n.depth / 2}, float32);
  auto s = runtime::Array::empty({n.heads, n.length, n.length}, float32);
  auto expected = runtime::Array::empty({n.heads, n.length, n.length}, float32);
  std::vector<float> q(whole), k(whole);
  fill(queries, 1), fill(keys, 2);
  for (int t = 0; t < n.length; ++t)
    for (int p = 0; p < n.depth / 2; ++p) {
      const double angle = t * std::pow(10000.0, -2.0 * p / n.depth);
      cosine.values<float>()[t * (n.depth / 2) + p] = static_cast<float>(std::cos(angle));
      sine.values<float>()[t * (n.depth / 2) + p] = static_cast<float>(std::sin(angle));
    }

  auto run = compile::callable(scheduled(scores(n)), target::host());
  const auto ours = [&] { run(queries, keys, cosine, sine, s); };
  const auto theirs = [&] {
    plain(queries.values<float>().data(), keys.values<float>().data(), cosine.values<float>().data(),
          sine.values<float>().data(), q.data(), k.data(), expected.values<float>().data(), n);
  };
  ours(), theirs();
  if (!agree(s, expected)) return 1;
  if (!is_small(argc, argv)) time_beside("scores 8 x 512 x 64", ours, theirs);
}
