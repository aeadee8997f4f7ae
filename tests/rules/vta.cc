#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/passes.h"
#include "ardea/rules/sketch.h"
#include "ardea/schedule/script.h"
#include "ardea/space/evaluate.h"
#include "ardea/space/solver.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "ardea/support/text_file.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"

/// Products on the VTA by the examples' scripts: right, and as large as its scratchpads hold.

namespace ardea::rules {

namespace {

struct Sizes {
  std::int64_t m, n, k;
};

/// As the operator library writes it: with bytes as results the sums have a buffer of their own.
Function product(const Sizes& s, bool bytes) {
  const std::string sums = bytes ? "C_acc" : "C";
  std::string text = fmt::format(
      "@T.prim_func\ndef main(A: T.Buffer(({0}, {2}), \"int8\"), B: T.Buffer(({2}, {1}), \"int8\"), "
      "C: T.Buffer(({0}, {1}), \"{3}\")):\n",
      s.m, s.n, s.k, bytes ? "int8" : "int32");
  if (bytes) text += fmt::format("    C_acc = T.alloc_buffer(({}, {}), \"int32\")\n", s.m, s.n);
  text += fmt::format(R"(    for m, n, k in T.grid({0}, {1}, {2}):
        with T.block("{3}"):
            vm, vn, vk = T.axis.remap("SSR", [m, n, k])
            with T.init():
                {3}[vm, vn] = 0
            {3}[vm, vn] = {3}[vm, vn] + T.Cast("int32", A[vm, vk]) * T.Cast("int32", B[vk, vn])
)",
                      s.m, s.n, s.k, sums);
  if (bytes)
    text += fmt::format(R"(    for m, n in T.grid({}, {}):
        with T.block("C"):
            vm, vn = T.axis.remap("SS", [m, n])
            C[vm, vn] = T.Cast("int8", C_acc[vm, vn])
)",
                        s.m, s.n);
  return arith::load_program(text, "product.tir").functions[0];
}

Sketch sketch_of(const Sizes& sizes, bool bytes, const target::Target& target) {
  const std::string file = bytes ? "examples/vta_gemm_int8.py" : "examples/vta_gemm.py";
  const auto steps = schedule::parse_steps(read_text_file(ARDEA_SOURCE_DIR "/" + file), file);
  return make_sketch(product(sizes, bytes), target,
                     [&](schedule::Schedule& s) { s.replay(steps, schedule::Schedule::Decisions::draw); });
}

Sketch sketch_of(const Sizes& sizes, bool bytes) {
  return sketch_of(sizes, bytes, target::find(bytes ? "vta" : "vta-out32"));
}

/// The program, whole and with memory cut down to what is touched of it, tiles still whole.
void expect_right(const Function& program, const Answers& answers, const target::Target& target) {
  answers.expect_of(program);
  answers.expect_of(lower::compact_allocations(lower::placed(program, target), target));
}

/// Every solution applies, is the symbolic program with its numbers, and computes the product.
TEST(Vta, products_of_odd_sizes_are_right_at_every_point) {
  for (const Sizes& sizes : {Sizes{3, 47, 33}, Sizes{1, 1, 1}, Sizes{2, 32, 32}, Sizes{7, 31, 17}}) {
    const Sketch made = sketch_of(sizes, false);
    const Answers answers(made.program);
    const std::vector<space::Point> all = solutions_of(made.system);
    ASSERT_GE(all.size(), 1U);
    for (const space::Point& point : all) {
      expect_right(replayed_by_the_law(made, point), answers, target::find("vta-out32"));
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(Vta, random_products_are_right) {
  Random random(11);
  for (int i = 0; i < 6; ++i) {
    const bool bytes = i % 2 == 1;
    const Sizes sizes{random.integer(1, 9), bytes ? 16 * random.integer(1, 4) : random.integer(1, 70),
                      random.integer(1, 50)};
    const Sketch made = sketch_of(sizes, bytes);
    const Answers answers(made.program);
    const std::vector<space::Point> all = solutions_of(made.system);
    for (int draw = 0; draw < 2; ++draw)
      expect_right(materialise(made, random.pick(all)).program(), answers,
                   target::find(bytes ? "vta" : "vta-out32"));
  }
}

/// By hand: m1 rows of (threads · n1) tiles of 16 sums of 4 bytes; m1 · k1 tiles of 16 bytes; threads · n1 ·
/// k1 tiles of 256 bytes; at most 2 threads.
std::int64_t counted(const Sizes& sizes, const target::Accelerator& machine) {
  const std::int64_t n_tiles = ceil_div(sizes.n, std::int64_t{16}),
                     k_tiles = ceil_div(sizes.k, std::int64_t{16});
  std::int64_t count = 0;
  for (std::int64_t m1 = 1; m1 <= sizes.m; ++m1)
    for (std::int64_t n1 = 1; n1 <= n_tiles; ++n1)
      for (std::int64_t threads = 1; threads <= machine.virtual_threads; ++threads)
        for (std::int64_t k1 = 1; k1 <= k_tiles; ++k1)
          if (sizes.m % m1 == 0 && n_tiles % (threads * n1) == 0 && k_tiles % k1 == 0 &&
              m1 * threads * n1 * 64 <= machine.scratchpad("vta.acc")->bytes &&
              m1 * k1 * 16 <= machine.scratchpad("vta.inp")->bytes &&
              threads * n1 * k1 * 256 <= machine.scratchpad("vta.wgt")->bytes)
            ++count;
  return count;
}

std::int64_t points(const Sizes& sizes, bool bytes, const target::Target& target) {
  const auto exact = space::Solver(sketch_of(sizes, bytes, target).system).count().exact;
  return exact ? static_cast<std::int64_t>(*exact) : -1;
}

TEST(Vta, spaces_are_what_the_scratchpads_hold) {
  for (const auto& [sizes, bytes] :
       {std::pair(Sizes{96, 4000, 60}, false), std::pair(Sizes{1000, 1536, 768}, true)}) {
    target::Target target = target::find(bytes ? "vta" : "vta-out32");
    const std::int64_t whole = counted(sizes, *target.accelerator);
    EXPECT_EQ(points(sizes, bytes, target), whole);
    // Each limit binds: with less of it there are fewer points, as many as are counted by hand.
    for (target::Scratchpad& one : target.accelerator->scratchpads) {
      const std::int64_t bytes_of_it = std::exchange(one.bytes, 4096);
      EXPECT_LT(counted(sizes, *target.accelerator), whole) << one.scope;
      EXPECT_EQ(points(sizes, bytes, target), counted(sizes, *target.accelerator)) << one.scope;
      one.bytes = bytes_of_it;
    }
    target.accelerator->virtual_threads = 1;
    EXPECT_EQ(points(sizes, bytes, target), counted(sizes, *target.accelerator));
  }
}

/// What was predicted of a point is what its program takes.
TEST(Vta, scratchpads_take_what_was_predicted) {
  const target::Target target = target::find("vta-out32");
  const Sketch made = sketch_of({6, 95, 40}, false, target);
  const auto predicted = limits::bounds_of(lower::limits_of(made.symbolic, target), target);
  for (const space::Point& point : solutions_of(made.system)) {
    limits::Numbers numbers;
    for (std::size_t i = 0; i < made.knobs.size(); ++i)
      numbers[made.knobs[i].var] = point[static_cast<std::size_t>(made.system.knobs()[i].index)];
    const auto taken =
        limits::bounds_of(lower::limits_of(materialise(made, point).program(), target), target);
    ASSERT_EQ(taken.size(), predicted.size());
    int compared = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (!taken[i].name.starts_with("bytes in vta.") && taken[i].name != "virtual threads") continue;
      EXPECT_EQ(limits::value_at(taken[i].taken, {}), limits::value_at(predicted[i].taken, numbers))
          << taken[i].name;
      ++compared;
    }
    EXPECT_EQ(compared, 4);
  }
}

TEST(Vta, what_it_cannot_do_is_said) {
  const auto error_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of([] { sketch_of({4, 32, 32}, false, target::find("vta")); }),
            "T.tensor_instruction(vta.store_i32): it needs the feature vta-out32, which target vta has not; "
            "`ardea instructions --target vta` lists those that it has");
  target::Target small = target::find("vta-out32");
  small.accelerator->scratchpads[1].bytes = 255;
  const Sketch none = sketch_of({4, 32, 32}, false, small);
  EXPECT_TRUE(solutions_of(none.system).empty());
  small.accelerator->scratchpads.pop_back();  // vta.acc
  EXPECT_TRUE(solutions_of(sketch_of({4, 32, 32}, false, small).system).empty());
}

}  // namespace

}  // namespace ardea::rules
