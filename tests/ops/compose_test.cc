#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ardea/ir/print.h"
#include "ardea/ops/conv.h"
#include "ardea/ops/elementwise.h"
#include "ardea/ops/fused.h"
#include "ardea/ops/gemm.h"
#include "ardea/ops/normalise.h"
#include "ardea/ops/pool.h"
#include "ardea/ops/prefix_sum.h"
#include "ardea/ops/reduce.h"
#include "ardea/ops/registry.h"
#include "ardea/ops/transpose.h"
#include "ardea/support/text_file.h"
#include "tests/ops/exact.h"

namespace ardea::test {
namespace {

using Index = std::vector<std::int64_t>;

te::Tensor input(const std::string& name, const Index& shape) { return te::placeholder(name, shape); }

TEST(Compose, relu_of_c2d_is_one_program) {
  const te::Tensor x = input("x", {2, 3, 5, 4}), w = input("w", {4, 3, 3, 2});
  const te::Tensor y = ops::relu(ops::c2d(x, w, {.stride = 2, .padding = 1}));
  const Numbers data = whole_numbers({2, 3, 5, 4}, 1), kernel = whole_numbers({4, 3, 3, 2}, 2);
  const Numbers want = filled({2, 4, 3, 3}, [&](const Index& o) {
    double sum = 0;
    for (std::int64_t c = 0; c < 3; ++c)
      for (std::int64_t kh = 0; kh < 3; ++kh)
        for (std::int64_t kw = 0; kw < 2; ++kw) {
          const std::int64_t h = o[2] * 2 + kh - 1, v = o[3] * 2 + kw - 1;
          if (0 <= h && h < 5 && 0 <= v && v < 4)
            sum += element(data, {o[0], c, h, v}) * element(kernel, {o[1], c, kh, kw});
        }
    return std::max(sum, 0.0);
  });
  EXPECT_EQ(computed({x, w}, y, {data, kernel}, {2, 4, 3, 3}).values, want.values);
}

TEST(Compose, a_network_of_several_operators_gives_its_answer) {
  const te::Tensor x = input("x", {1, 4, 4, 3}), w = input("w", {1, 1, 3, 2}), bias = input("b", {2});
  const te::Tensor hidden = ops::bias_add(ops::c2d(x, w, {.layout = ops::Layout::channels_last}), bias);
  const te::Tensor y = ops::reduce_max(ops::mul(hidden, hidden), {.axes = {1, 2}});
  const Numbers data = whole_numbers({1, 4, 4, 3}, 3), kernel = whole_numbers({1, 1, 3, 2}, 4),
                add = whole_numbers({2}, 5);
  const Numbers want = filled({1, 2}, [&](const Index& o) {
    double best = 0;
    for (std::int64_t h = 0; h < 4; ++h)
      for (std::int64_t v = 0; v < 4; ++v) {
        double sum = element(add, {o[1]});
        for (std::int64_t c = 0; c < 3; ++c)
          sum += element(data, {0, h, v, c}) * element(kernel, {0, 0, c, o[1]});
        best = std::max(best, sum * sum);
      }
    return best;
  });
  EXPECT_EQ(computed({x, w, bias}, y, {data, kernel, add}, {1, 2}).values, want.values);
}

TEST(Compose, padding_is_a_stage_only_where_there_is_some) {
  const te::Tensor x = input("x", {1, 2, 5, 5}), w = input("w", {3, 2, 3, 3});
  const auto text = [&](std::int64_t padding) {
    return print(te::create_prim_func({x, w, ops::c2d(x, w, {.padding = padding})}));
  };
  EXPECT_EQ(text(0).find("x_padded"), std::string::npos);
  EXPECT_NE(text(1).find("x_padded"), std::string::npos);
}

TEST(Compose, matmul_exp_matmul_prints_the_walk_throughs_program) {
  const std::string text = read_text_file(ARDEA_SOURCE_DIR "/tests/fixtures/seed002/blocks.tir");
  const std::string want = text.substr(text.find("@T.prim_func"));
  const auto w = ops::make_workload({.op = "matmul_exp_matmul", .sizes = {1024, 2048, 1024, 3072}});
  const std::string got = print(ops::create_function(w));
  EXPECT_EQ(got.substr(got.find("@T.prim_func")), want);
}

TEST(Broadcast, follows_numpy) {
  const struct {
    Index a, b, out;
  } cases[] = {{{3, 1, 5}, {4, 1}, {3, 4, 5}}, {{5}, {2, 5}, {2, 5}},        {{1}, {3, 2}, {3, 2}},
               {{7, 1}, {1, 11}, {7, 11}},     {{2, 3}, {2, 3}, {2, 3}},     {{1, 1}, {1, 1}, {1, 1}},
               {{4, 1, 3}, {2, 1}, {4, 2, 3}}, {{13}, {1, 1, 1}, {1, 1, 13}}};
  for (const auto& c : cases) {
    const te::Tensor a = input("a", c.a), b = input("b", c.b);
    const Numbers x = whole_numbers(c.a, 1), y = whole_numbers(c.b, 2);
    const auto at = [](const Numbers& from, const Index& o) {
      Index index(o.end() - static_cast<std::ptrdiff_t>(from.shape.size()), o.end());
      for (std::size_t d = 0; d < index.size(); ++d)
        if (from.shape[d] == 1) index[d] = 0;
      return static_cast<double>(element(from, index));
    };
    const Numbers sums = filled(c.out, [&](const Index& o) { return at(x, o) + at(y, o); });
    const Numbers products = filled(c.out, [&](const Index& o) { return at(x, o) * at(y, o); });
    EXPECT_EQ(computed({a, b}, ops::add(a, b), {x, y}, c.out).values, sums.values);
    EXPECT_EQ(computed({a, b}, ops::mul(a, b), {x, y}, c.out).values, products.values);
  }
}

TEST(Broadcast, refuses_extents_that_differ) {
  EXPECT_EQ(error_of([] { ops::add(input("a", {2, 3}), input("b", {3, 2})); }),
            "add: a[2, 3] and b[3, 2] do not broadcast: 3 and 2 differ and neither is 1");
}

/// The sum over the axes that `gone` names, of f(x) at each place.
Numbers summed(const Numbers& x, const std::vector<bool>& gone, bool keep) {
  Index shape;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (!gone[d] || keep) shape.push_back(gone[d] ? 1 : x.shape[d]);
  Numbers sums = filled(shape, [](const auto&) { return 0.0; });
  filled(x.shape, [&](const Index& index) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      if (!gone[d]) at = at * x.shape[d] + index[d];
    sums.values[static_cast<std::size_t>(at)] += element(x, index);
    return 0.0;
  });
  return sums;
}

TEST(Reduce, takes_any_axes) {
  const Index shape = {3, 5, 2};
  const Numbers x = whole_numbers(shape, 7);
  const struct {
    Index axes;
    std::vector<bool> gone;
  } cases[] = {{{0}, {true, false, false}},     {{1}, {false, true, false}},
               {{-1}, {false, false, true}},    {{0, 2}, {true, false, true}},
               {{2, 0}, {true, false, true}},   {{-3, -2}, {true, true, false}},
               {{0, 1, 2}, {true, true, true}}, {{}, {true, true, true}}};
  for (const auto& c : cases)
    for (const bool keep : {false, true}) {
      const te::Tensor a = input("a", shape);
      const Numbers want = summed(x, c.gone, keep);
      const te::Tensor sum = ops::reduce_sum(a, {.axes = c.axes, .keep_dims = keep});
      EXPECT_EQ(computed({a}, sum, {x}, want.shape).values, want.values);
    }
}

TEST(Reduce, refuses_axes_that_are_not_there) {
  const te::Tensor a = input("a", {3, 5});
  EXPECT_EQ(error_of([&] { ops::mean(a, {.axes = {2}}); }),
            "mean: a[3, 5] has no axis 2; its axes are -2 to 1");
  EXPECT_EQ(error_of([&] { ops::var(a, {.axes = {1, -1}}); }), "mean: axis -1 is named twice");
}

TEST(Transpose, takes_any_permutation) {
  const Index shape = {2, 3, 5};
  const Numbers x = whole_numbers(shape, 9);
  for (const Index& p :
       std::vector<Index>{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    const te::Tensor a = input("a", shape);
    Index out;
    for (const std::int64_t d : p) out.push_back(shape[static_cast<std::size_t>(d)]);
    const Numbers want = filled(out, [&](const Index& o) {
      Index from(3);
      for (std::size_t d = 0; d < 3; ++d) from[static_cast<std::size_t>(p[d])] = o[d];
      return static_cast<double>(element(x, from));
    });
    EXPECT_EQ(computed({a}, ops::transpose(a, p), {x}, out).values, want.values);
  }
}

TEST(Transpose, refuses_what_is_no_permutation) {
  const te::Tensor a = input("a", {2, 3});
  EXPECT_EQ(error_of([&] { ops::transpose(a, {0}); }),
            "transpose: the permutation has 1 entries, but a has 2 dimensions");
  EXPECT_EQ(error_of([&] { ops::transpose(a, {1, 1}); }), "transpose: the permutation names axis 1 twice");
}

TEST(Pool, counts_only_the_images_elements_where_asked) {
  const te::Tensor a = input("a", {1, 1, 3, 4});
  const Numbers x = whole_numbers({1, 1, 3, 4}, 11);
  const te::Tensor y = ops::avgpool(a, {.k = 2, .stride = 1, .padding = 1, .count_include_pad = false});
  const Numbers want = filled({1, 1, 4, 5}, [&](const Index& o) {
    float sum = 0, count = 0;
    for (std::int64_t h = o[2] - 1; h < o[2] + 1; ++h)
      for (std::int64_t v = o[3] - 1; v < o[3] + 1; ++v)
        if (0 <= h && h < 3 && 0 <= v && v < 4) {
          sum += element(x, {0, 0, h, v});
          ++count;
        }
    return static_cast<double>(sum / count);
  });
  EXPECT_EQ(computed({a}, y, {x}, {1, 1, 4, 5}).values, want.values);
}

TEST(Bias, goes_along_any_axis) {
  const te::Tensor a = input("a", {2, 3, 4}), b = input("b", {3});
  const Numbers x = whole_numbers({2, 3, 4}, 13), bias = whole_numbers({3}, 14);
  const Numbers want = filled(
      {2, 3, 4}, [&](const Index& o) { return static_cast<double>(element(x, o) + element(bias, {o[1]})); });
  EXPECT_EQ(computed({a, b}, ops::bias_add(a, b, {.axis = 1}), {x, bias}, {2, 3, 4}).values, want.values);
}

TEST(Symbolic, one_program_serves_every_size) {
  const Var m = te::size("m"), k = te::size("k"), n = te::size("n");
  const te::Tensor a = te::placeholder("a", {m, k}), b = te::placeholder("b", {k, n});
  const te::Tensor product = ops::relu(ops::gemm(a, b));
  const te::Tensor rows = ops::reduce_sum(product, {.axes = {-1}});
  for (const Index& s : std::vector<Index>{{1, 1, 1}, {3, 7, 5}, {11, 2, 13}}) {
    const Numbers x = whole_numbers({s[0], s[1]}, 1), y = whole_numbers({s[1], s[2]}, 2);
    const Numbers want = filled({s[0]}, [&](const Index& o) {
      double sum = 0;
      for (std::int64_t j = 0; j < s[2]; ++j) {
        double dot = 0;
        for (std::int64_t r = 0; r < s[1]; ++r) dot += element(x, {o[0], r}) * element(y, {r, j});
        sum += std::max(dot, 0.0);
      }
      return sum;
    });
    EXPECT_EQ(computed({a, b}, rows, {x, y}, {s[0]}).values, want.values);
  }
}

TEST(Symbolic, rows_of_any_length_are_normalised_and_summed) {
  const Var m = te::size("m"), n = te::size("n");
  const te::Tensor a = te::placeholder("a", {m, n}), zero = input("zero", {1});
  const te::Tensor equal = ops::softmax(ops::mul(a, zero));
  const te::Tensor middle = ops::mean(a, {.axes = {-1}});
  const te::Tensor prefix = ops::prefix_sum(a, n);
  for (const Index& s : std::vector<Index>{{1, 1}, {3, 8}, {5, 2}}) {
    const Numbers x = whole_numbers(s, 3), nothing = {{1}, {0}};
    const Numbers even = filled(s, [&](const Index&) { return 1.0 / static_cast<double>(s[1]); });
    EXPECT_EQ(computed({a, zero}, equal, {x, nothing}, s).values, even.values);
    const auto before = [&](std::int64_t row, std::int64_t end) {
      float sum = 0;
      for (std::int64_t j = 0; j < end; ++j) sum += element(x, {row, j});
      return sum;
    };
    const Numbers means = filled({s[0]}, [&](const Index& o) {
      return static_cast<double>(before(o[0], s[1]) / static_cast<float>(s[1]));
    });
    EXPECT_EQ(computed({a}, middle, {x}, {s[0]}).values, means.values);
    const Numbers sums = filled(s, [&](const Index& o) { return static_cast<double>(before(o[0], o[1])); });
    EXPECT_EQ(computed({a}, prefix, {x}, s).values, sums.values);
  }
}

TEST(Shapes, that_do_not_fit_are_refused_with_a_sentence) {
  const te::Tensor a = input("a", {2, 3}), b = input("b", {4, 5});
  EXPECT_EQ(error_of([&] { ops::gemm(a, b); }),
            "gemm: k is 3 in a[2, 3] and 4 in b[4, 5]; they must be equal");
  EXPECT_EQ(error_of([&] { ops::bmm(a, b); }), "bmm: a[2, 3] has 2 dimensions, must have 3");
  const te::Tensor x = input("x", {1, 4, 5, 5}), w = input("w", {6, 3, 3, 3});
  EXPECT_EQ(error_of([&] { ops::c2d(x, w); }),
            "c2d: x has 4 channels, but its kernel has 3 in each of 1 group");
  EXPECT_EQ(error_of([&] { ops::c2d(x, input("w", {6, 4, 3, 3}), {.stride = 0}); }),
            "c2d: stride is 0, must be between 1 and 1073741824");
  EXPECT_EQ(
      error_of([&] { ops::maxpool(x, {.k = 2, .padding = 2}); }),
      "maxpool: padding is 2 and k is 2: a window would hold nothing but padding; choose a padding less "
      "than k");
}

}  // namespace
}  // namespace ardea::test
