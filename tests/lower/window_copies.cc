#include <gtest/gtest.h>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/window_copy.h"
#include "ardea/lower/gpu/kernel_boxes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "ardea/support/text.h"
#include "programs.h"

/// Loops that are marked to be copies by a unit, and copy what windows see of images: the same answers.

namespace ardea::lower {

namespace {

Function with_unit_copies(const Function& f) {
  for (const Pass& pass : pipeline(gpu()))
    if (pass.name == "box_copies") return pass.run(f, gpu());
  return f;
}

/// Panels of a convolution's implicit matrix: those of the kernel's first place ahead of the others, as a
/// pipeline has them.
struct Panels {
  std::int64_t images = 2, channels = 8, step = 1, dilation = 1, border = 1, rows = 16;
  std::vector<std::int64_t> extents = {5, 7}, kernel = {3, 3};

  std::vector<std::int64_t> out() const {
    std::vector<std::int64_t> all;
    for (std::size_t d = 0; d < extents.size(); ++d)
      all.push_back((extents[d] + 2 * border - (kernel[d] - 1) * dilation - 1) / step + 1);
    return all;
  }
  std::int64_t pixels() const {
    std::int64_t all = images;
    for (const std::int64_t extent : out()) all *= extent;
    return all;
  }
  std::int64_t tiles() const { return (pixels() + rows - 1) / rows; }
  std::int64_t panels() const {
    std::int64_t all = channels / 8;
    for (const std::int64_t extent : kernel) all *= extent;
    return all;
  }
  std::string shape() const {
    std::string text = std::to_string(images);
    for (const std::int64_t extent : extents) text += fmt::format(", {}", extent);
    return fmt::format("({}, {})", text, channels);
  }
  /// What is copied to row i and column j of panel `p`.
  std::string value(const std::string& p) const {
    const std::string m = fmt::format("(b * {} + i)", rows), k = fmt::format("({} * 8 + j)", p);
    std::vector<std::string> indices = {fmt::format("{} % {}", k, channels)};
    std::vector<std::string> conditions = {fmt::format("{} < {}", m, pixels())};
    std::int64_t below = 1, taps = channels;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::string at = fmt::format("{} // {} % {} * {} + {} // {} % {} * {} - {}", m, below, out()[d],
                                         step, k, taps, kernel[d], dilation, border);
      indices.insert(indices.begin(), at);
      conditions.push_back(fmt::format("0 <= {0} and {0} < {1}", at, extents[d]));
      below *= out()[d], taps *= kernel[d];
    }
    indices.insert(indices.begin(), fmt::format("{} // {}", m, below));
    return fmt::format("T.if_then_else({}, X[{}], T.float16(0))", join(conditions, " and "),
                       join(indices, ", "));
  }
};

Function copying(const Panels& c) {
  return function_of(fmt::format(R"(# from tvm.script import tir as T
@T.prim_func
def copied(X: T.Buffer({0}, "float16"), Y: T.Buffer(({1}, {2}, {3}, 8), "float16")):
    T.func_attr({{"concurrent_threads": T.bool(True)}})
    for b in T.thread_binding({1}, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            S = T.allocate([2, {3}, 8], "float16", "shared", annotations={{"async_copies": 1}})
            S_1 = T.Buffer((2, {3}, 8), "float16", data=S, scope="shared")
            if t == 0:
                for i in T.serial({3}, annotations={{"box_copy": 1}}):
                    for j in range(8):
                        S_1[0, i, j] = {4}
            T.async_commit()
            for p in range({5}):
                if t == 0:
                    for i in T.serial({3}, annotations={{"box_copy": 1}}):
                        for j in range(8):
                            S_1[(p + 1) % 2, i, j] = {6}
                T.async_commit()
                T.async_wait(1)
                T.barrier("shared")
                for j in range(8):
                    for i in range(({3} - t + 3) // 4):
                        Y[b, p, i * 4 + t, j] = S_1[p % 2, i * 4 + t, j]
                T.barrier("shared")
            T.async_wait(0)
            T.barrier("shared")
            for j in range(8):
                for i in range(({3} - t + 3) // 4):
                    Y[b, {5}, i * 4 + t, j] = S_1[{5} % 2, i * 4 + t, j]
)",
                                 c.shape(), c.tiles(), c.panels(), c.rows, c.value("0"), c.panels() - 1,
                                 c.value("(p + 1)")));
}

std::pair<int, int> copies_in(const Function& f) {
  int by_windows = 0, others = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* evaluate = s.as<Evaluate>();
    const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
    by_windows += call != nullptr && window_copy_of(*call).has_value();
    const auto* loop = s.as<For>();
    others += loop != nullptr && loop->annotations.contains(box_copy_key);
  });
  return {by_windows, others};
}

TEST(WindowCopies, have_the_answers_of_the_loops) {
  int windows = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    Panels c{.images = random.integer(1, 3),
             .channels = 8 * random.integer(1, 2),
             .step = random.integer(1, 3),
             .dilation = random.integer(1, 2),
             .border = random.integer(0, 2),
             .rows = std::int64_t{1} << random.integer(2, 5)};
    c.extents = c.kernel = {};
    for (std::int64_t dimensions = random.integer(1, 3), d = 0; d < dimensions; ++d) {
      c.extents.push_back(random.integer(5, 7));
      c.kernel.push_back(random.integer(1, 3));
    }
    if (c.panels() < 2) continue;
    const Function loops = copying(c), made = with_unit_copies(loops);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, print(made)));
    EXPECT_EQ(copies_in(made).second, 0);
    windows += copies_in(made).first;
    const auto [shape, out] = std::pair(loops.parameters[0].buffer->shape, loops.parameters[1].buffer->shape);
    const auto array_of = [](const std::vector<Expr>& extents) {
      std::vector<std::int64_t> numbers;
      for (const Expr& extent : extents) numbers.push_back(constant_int(extent).value());
      return runtime::Array::zeros(numbers, float16);
    };
    const runtime::Array x = array_of(shape);
    for (std::int64_t i = 0; i < x.element_count(); ++i) x.set_float(i, static_cast<double>(1 + i % 2000));
    std::vector<runtime::Array> answers;
    for (const Function& f : {loops, made}) {
      answers.push_back(array_of(out));
      interp::run(f, {x, answers.back()}, {.seed = seed});
    }
    for (std::int64_t i = 0; i < answers[0].element_count(); ++i)
      ASSERT_EQ(answers[0].get_float(i), answers[1].get_float(i)) << i;
  }
  EXPECT_GT(windows, 50);
}

/// What the launch describes once.
TEST(WindowCopies, of_one_array_begin_at_the_same_corners) {
  const Panels c{.rows = 8, .extents = {9, 9}};
  const Function made = with_unit_copies(copying(c));
  EXPECT_EQ(copies_in(made), std::pair(2, 0));
  EXPECT_EQ(boxed_arrays(made.body).size(), 1U) << print(made);
}

}  // namespace

}  // namespace ardea::lower
