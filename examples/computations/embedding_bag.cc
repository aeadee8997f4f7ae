#include "beside.h"
using namespace ardea;

/// Bags of rows of a table, summed: what recommenders do with the words of a text.

struct Sizes {
  int rows, width, bags, words;
};

Function embedding_bag(const Sizes& n) {
  te::Tensor table = te::placeholder("table", {n.rows, n.width});
  te::Tensor words = te::placeholder("words", {n.bags, n.words}, int64);
  te::Axis w = te::reduce_axis(n.words, "w");
  te::Tensor out = te::compute("out", {{"b", n.bags}, {"d", n.width}},
                               [&](auto b, auto d) { return te::sum(table(words(b, w), d), {w}); });
  return te::create_prim_func({table, words, out}, "embedding_bag");
}

/// A bag's sum stays in registers while its words are read one after the other.
Function scheduled(const Function& program, int lanes) {
  schedule::Schedule sch(program);
  auto out = sch.get_block("out");
  auto loops = sch.get_loops(out);  // b, d, w
  auto parts = sch.split(loops[1], {schedule::none, lanes});
  sch.reorder(parts[0], loops[2], parts[1]);
  sch.stage_mem(loops[2], "out", "local");
  sch.vectorize(parts[1]);
  sch.parallel(loops[0]);
  return sch.program();
}

void plain(const float* table, const std::int64_t* words, float* out, const Sizes& n) {
  for (int b = 0; b < n.bags; ++b) {
    float* sum = out + b * n.width;
    std::fill(sum, sum + n.width, 0.0f);
    for (int w = 0; w < n.words; ++w)
      for (int d = 0; d < n.width; ++d) sum[d] += table[words[b * n.words + w] * n.width + d];
  }
}

int main(int argc, char** argv) {
  const Sizes n = is_small(argc, argv) ? Sizes{101, 13, 7, 5} : Sizes{50000, 128, 1024, 40};
  auto table = runtime::Array::empty({n.rows, n.width}, float32);
  auto words = runtime::Array::empty({n.bags, n.words}, int64);
  auto out = runtime::Array::empty({n.bags, n.width}, float32);
  auto expected = runtime::Array::empty({n.bags, n.width}, float32);
  fill(table, 1);
  unsigned seed = 2;
  for (std::int64_t& word : words.values<std::int64_t>())
    word = (seed = seed * 1664525u + 1013904223u) % static_cast<unsigned>(n.rows);

  auto run = compile::callable(scheduled(embedding_bag(n), is_small(argc, argv) ? 4 : 32), target::host());
  const auto ours = [&] { run(table, words, out); };
  const auto theirs = [&] {
    plain(table.values<float>().data(), words.values<std::int64_t>().data(), expected.values<float>().data(),
          n);
  };
  ours(), theirs();
  if (!agree(out, expected)) return 1;
  if (!is_small(argc, argv)) time_beside("embedding bag 1024 x 40 x 128", ours, theirs);
}
