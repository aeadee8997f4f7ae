#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/conv.h"
#include "ardea/ops/registry.h"
#include "ardea/ops/shapes.h"
#include "ardea/rules/analysis/channel_sum.h"
#include "ardea/rules/analysis/windowed_sum.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/te/create_prim_func.h"
#include "ardea/te/math.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// The spaces of sums over windows.

namespace ardea::rules {

namespace {

struct Convolution {
  const char* op;
  const char* layout;
  std::vector<std::int64_t> sizes;
  const char* target = "neoverse-v1";
  std::size_t sketches = 4;  ///< at least
};

std::ostream& operator<<(std::ostream& out, const Convolution& asked) { return out << asked.op; }

Function program_of(const Convolution& asked) {
  return ops::create_function(
      ops::make_workload({.op = asked.op, .sizes = asked.sizes, .layout = asked.layout}));
}

class WindowSpaces : public testing::TestWithParam<Convolution> {};

/// Whether it answers against the model what becomes of what tiles leave over: window_rests.cc is about
/// these.
bool is_about_rests(const Sketch& sketch) {
  return std::any_of(sketch.ways.begin(), sketch.ways.end(), [](const Way& way) {
    return way.question.ends_with(" left over") && way.taken != way.model;
  });
}

/// Samples of every sketch are what was predicted, and compute what the program did, lowered, too.
TEST_P(WindowSpaces, have_right_programs_only) {
  const target::Target target = target::find(GetParam().target);
  const ProgramSpace space = program_space(program_of(GetParam()), target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  EXPECT_GE(space.sketches.size(), GetParam().sketches);
  EXPECT_LE(space.sketches.size(), 20U);
  EXPECT_TRUE(space.sketches[0].sketch.model.has_value());
  const Answers answers(space.program);
  for (const auto& [sketch, solver] : space.sketches) {
    if (is_about_rests(sketch)) continue;
    for (const space::Point& point : solver->sample(1, 5).points) {
      SCOPED_TRACE(in_words(sketch, point));
      const Function replayed = replayed_by_the_law(sketch, point);
      answers.expect_of(replayed);
      answers.expect_of(lower::lower_unpacked(replayed, target));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WindowSpaces,
    testing::ValuesIn(test::sampled<Convolution>(
        4, {Convolution{"c2d", "nchw", {1, 5, 7, 3, 5, 3, 3, 1, 1, 1}, "neoverse-v1", 6},
            Convolution{"c2d", "nchw", {2, 6, 9, 2, 7, 3, 2, 1, 0, 1}, "avx2", 6},
            Convolution{"c2d", "nchw", {1, 9, 8, 3, 4, 3, 3, 2, 1, 1}, "generic-x86_64"},
            Convolution{"c2d", "nchw", {1, 4, 6, 5, 9, 1, 1, 1, 0, 1}, "sapphirerapids"},
            Convolution{"c2d", "nchw", {1, 1, 1, 1, 1, 1, 1, 1, 0, 1}, "neoverse-v1", 1},
            Convolution{"c2d", "nhwc", {2, 5, 7, 3, 13, 3, 3, 1, 1, 1}},
            Convolution{"c2d", "nhwc", {1, 7, 6, 2, 9, 3, 3, 2, 0, 1}, "avx2"},
            Convolution{"c2d", "nhwc", {1, 1, 1, 1, 1, 1, 1, 1, 0, 1}, "generic-x86_64", 1},
            Convolution{"c1d", "ncw", {2, 17, 3, 7, 3, 1, 1, 1}, "neoverse-v1", 2},
            Convolution{"c1d", "nwc", {1, 19, 3, 7, 5, 2, 2, 2}, "avx2"},
            Convolution{"c3d", "ncdhw", {1, 3, 4, 5, 2, 5, 2, 3, 3, 1, 1, 1}},
            Convolution{"c3d", "ndhwc", {1, 2, 3, 5, 3, 9, 2, 2, 3, 1, 1, 1}, "generic-x86_64"},
            Convolution{"dil", "nchw", {1, 9, 11, 2, 5, 3, 3, 1, 2, 2}, "avx2"},
            Convolution{"dil", "nhwc", {1, 7, 10, 2, 5, 2, 3, 2, 1, 3}},
            Convolution{"grouped", "nchw", {1, 5, 7, 6, 10, 3, 3, 1, 1, 1, 2}},
            Convolution{"grouped", "nchw", {2, 7, 7, 6, 9, 3, 3, 2, 1, 1, 3}, "avx2"},
            Convolution{"grouped", "nchw", {1, 4, 5, 6, 3, 3, 3, 1, 1, 1, 3}},
            Convolution{"grouped", "nhwc", {1, 5, 7, 6, 10, 3, 3, 1, 1, 1, 2}, "generic-x86_64"},
            Convolution{"depthwise", "nchw", {2, 5, 7, 3, 3, 3, 1, 1}},
            Convolution{"depthwise", "nchw", {1, 9, 11, 3, 3, 3, 2, 1}, "avx2", 2},
            Convolution{"depthwise", "nchw", {1, 7, 13, 2, 5, 3, 3, 0}, "generic-x86_64", 2},
            Convolution{"depthwise", "nhwc", {1, 5, 7, 19, 3, 3, 1, 1}, "avx2"},
            Convolution{"depthwise", "nhwc", {1, 7, 6, 5, 3, 3, 2, 1}},
            // Rows in several parts: copies keep those that the next part needs.
            Convolution{"c2d", "nchw", {1, 6, 7, 2, 5, 3, 3, 1, 1, 1}, "avx2", 8},
            Convolution{"c2d", "nchw", {1, 13, 13, 2, 3, 3, 3, 2, 1, 1}, "neoverse-v1", 4},
            Convolution{"grouped", "nchw", {1, 6, 5, 4, 6, 2, 3, 1, 1, 1, 2}, "avx2", 8},
            Convolution{"depthwise", "nchw", {1, 6, 11, 3, 3, 3, 1, 1}, "neoverse-v1", 6},
            Convolution{"depthwise", "nchw", {1, 13, 13, 2, 3, 3, 2, 0}, "avx2"},
            Convolution{"depthwise", "nchw", {2, 12, 12, 3, 3, 3, 2, 1}},
            Convolution{"depthwise", "nchw", {1, 12, 13, 2, 3, 3, 2, 1}, "neoverse-v1", 2},
            Convolution{"depthwise", "nchw", {1, 4, 9, 2, 1, 3, 1, 1}},
            Convolution{"depthwise", "nhwc", {1, 6, 5, 7, 3, 3, 1, 1}, "generic-x86_64", 6},
            Convolution{"depthwise", "nhwc", {1, 8, 5, 5, 5, 3, 2, 2}, "avx2", 6},
            Convolution{"t1d", "ncw", {1, 13, 3, 5, 3, 1, 1, 1}, "avx2", 2},
            Convolution{"t2d", "nchw", {1, 5, 7, 3, 5, 3, 3, 1, 1, 1}},
            Convolution{"t2d", "nhwc", {1, 5, 7, 3, 5, 3, 2, 1, 1, 2}, "generic-x86_64"},
            Convolution{"t3d", "ncdhw", {1, 3, 3, 5, 2, 3, 2, 2, 3, 1, 1, 1}},
            Convolution{"t1d", "ncw", {1, 7, 3, 5, 3, 2, 1, 1}, "avx2"},
            Convolution{"t2d", "nchw", {1, 3, 4, 2, 5, 3, 3, 2, 1, 1}, "neoverse-v1", 2},
            Convolution{"t2d", "nhwc", {1, 4, 3, 3, 9, 4, 3, 2, 1, 1}, "generic-x86_64"},
            Convolution{"t2d", "nhwc", {1, 3, 3, 2, 5, 3, 3, 2, 0, 2, 1}, "avx2"},
            Convolution{"t3d", "ncdhw", {1, 2, 3, 3, 2, 5, 2, 3, 3, 2, 1, 1}, "sapphirerapids", 2},
            Convolution{"conv_bn_relu", "nchw", {1, 5, 7, 3, 5, 3, 3, 1, 1, 1}, "avx2", 6},
            Convolution{"conv_bn_relu", "nhwc", {1, 7, 5, 3, 9, 3, 3, 2, 1, 1}}})),
    [](const auto& info) {
      std::string name = std::string(info.param.op) + "_" + info.param.layout;
      for (const std::int64_t size : info.param.sizes) name += "_" + std::to_string(size);
      return name;
    });

/// What follows a convolution, element by element, is computed where results leave the registers: no buffer
/// lies between.
TEST(WindowSpace, computes_what_follows_where_results_leave_the_registers) {
  for (const char* layout : {"nchw", "nhwc"}) {
    const Function program = program_of({"conv_bn_relu", layout, {1, 5, 7, 3, 5, 3, 3, 1, 1, 1}});
    const target::Target target = target::find("avx2");
    const auto made = model_schedule(program, target, rules_for(target));
    ASSERT_TRUE(made);
    EXPECT_EQ(print(made->schedule.program()).find("bn = T.alloc_buffer"), std::string::npos);
    EXPECT_EQ(print(made->schedule.program()).find("conv = T.alloc_buffer"), std::string::npos);
  }
}

/// A copy that keeps rows holds one window, and computes what is new in it.
TEST(WindowSpace, keeps_rows_that_the_next_window_needs) {
  const target::Target target = target::find("neoverse-v1");
  int kept = 0;
  for (const Convolution& asked : {Convolution{"depthwise", "nchw", {1, 6, 11, 3, 3, 3, 1, 1}},
                                   Convolution{"depthwise", "nchw", {1, 12, 12, 3, 3, 3, 2, 1}},
                                   Convolution{"depthwise", "nhwc", {1, 6, 5, 7, 3, 3, 1, 1}},
                                   Convolution{"c2d", "nchw", {1, 6, 7, 2, 5, 3, 3, 1, 1, 1}}}) {
    const ProgramSpace space = program_space(program_of(asked), target, rules_for(target));
    for (const SolvedSketch& solved : space.sketches) {
      const std::string ways = to_string(solved.sketch.ways);
      const bool keeps =
          ways.find("kept = yes") != std::string::npos || ways.find("= row by row") != std::string::npos;
      const std::string text = print(solved.sketch.symbolic);
      EXPECT_EQ(keeps, text.find("T.axis.scan(") != std::string::npos) << ways << "\n" << text;
      kept += keeps ? 1 : 0;
    }
  }
  EXPECT_GE(kept, 8);
}

/// Columns that a stride takes apart are read where they are, from an image with its border, by the model:
/// all of a channel is copied where the nearest cache holds it, else what a tile's rows need. Those that lie
/// further apart are brought together; then rows are kept of what is larger than the nearest cache is for.
TEST(WindowSpace, copies_images_for_columns_apart_by_the_model) {
  const target::Target target = target::find("neoverse-v1");
  struct Case {
    std::int64_t side, stride;
    const char *has, *has_not;
  };
  for (const Case& c :
       {Case{112, 2, "for h_0 in range(18):\n                for ax0", "% 2"},
        Case{28, 2, "for c in T.parallel(2):\n            for ax0", "% 2"},
        Case{123, 5, "T.axis.scan(", "loop_partition_hint"}, Case{83, 5, "// 5", "T.axis.scan("}}) {
    const auto made =
        model_schedule(program_of({"depthwise", "nchw", {1, c.side, c.side, 2, 7, 7, c.stride, 1}}), target,
                       rules_for(target));
    ASSERT_TRUE(made);
    const std::string text = print(made->schedule.program());
    EXPECT_NE(text.find(c.has), std::string::npos) << text;
    EXPECT_EQ(text.find(c.has_not), std::string::npos) << text;
  }
}

/// Columns that a stride takes apart and no two windows share are left to the compiler, a column at a time.
TEST(WindowSpace, leaves_columns_of_one_window_each_to_the_compiler) {
  const target::Target target = target::find("neoverse-v1");
  const auto has_lanes = [&](std::int64_t taps, std::int64_t stride) {
    const auto made = model_schedule(program_of({"depthwise", "nchw", {1, 13, 29, 2, 3, taps, stride, 0}}),
                                     target, rules_for(target));
    return print(made->schedule.program()).find("T.vectorized") != std::string::npos;
  };
  EXPECT_FALSE(has_lanes(3, 3));
  EXPECT_FALSE(has_lanes(2, 2));
  EXPECT_TRUE(has_lanes(3, 2));
  EXPECT_TRUE(has_lanes(5, 5));
}

/// What a convolution's elements are multiplied by may be made after them: then the two are not joined.
TEST(WindowSpace, joins_what_follows_only_where_all_else_is_ready) {
  const target::Target target = target::find("neoverse-v1");
  const te::Tensor data = te::placeholder("data", {1, 3, 5, 7}, float32),
                   kernel = te::placeholder("kernel", {5, 3, 3, 3}, float32),
                   gamma = te::placeholder("gamma", {5}, float32);
  for (const bool is_ready : {true, false}) {
    const te::Tensor sum = ops::c2d(data, kernel, {.padding = 1, .name = "conv"});
    const te::Tensor scale = te::compute("scale", {te::Dim("c", 5)}, [&](const Var& c) {
      return make_const(1, float32) / te::sqrt(gamma(c));
    });
    const te::Tensor out = te::compute("out", ops::named_dims(sum.shape()), [&](const std::vector<Var>& at) {
      const Expr x = sum.at({at.begin(), at.end()}), by = scale(at[1]);
      return is_ready ? by * x : x * by;
    });
    const Function program = te::create_prim_func({data, kernel, gamma, out});
    const auto made = model_schedule(program, target, rules_for(target));
    ASSERT_TRUE(made);
    const std::string text = print(made->schedule.program());
    EXPECT_EQ(text.find("conv = T.alloc_buffer") == std::string::npos, is_ready) << text;
    Answers(program).expect_of(lower::lower_unpacked(made->schedule.program(), target));
  }
}

/// Whether the sketch takes channels of the data a block at a time.
bool is_in_blocks(const Sketch& sketch) {
  return std::any_of(sketch.ways.begin(), sketch.ways.end(), [](const Way& way) {
    return way.question.ends_with(" in blocks of channels") && way.taken == 1;
  });
}

/// On machines whose caches hold nothing: what joined rows are copied to is larger than the second one.
TEST(WindowSpace, of_deep_sums_takes_channels_a_block_at_a_time) {
  for (const Convolution& asked : test::sampled<Convolution>(
           2, {Convolution{"c2d", "nchw", {2, 9, 9, 6, 7, 3, 3, 2, 1, 1}, "neoverse-v1"},
               Convolution{"c2d", "nchw", {1, 5, 7, 4, 5, 3, 3, 1, 1, 1}, "avx2"},
               Convolution{"c3d", "ncdhw", {1, 3, 4, 5, 4, 5, 2, 3, 3, 1, 1, 1}, "sapphirerapids"}})) {
    SCOPED_TRACE(std::string(asked.op) + " for " + asked.target);
    target::Target target = target::find(asked.target);
    for (target::Cache& cache : target.caches) cache.bytes = 256;
    const ProgramSpace space = program_space(program_of(asked), target, rules_for(target));
    for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
    const Answers answers(space.program);
    std::size_t in_blocks = 0;
    for (const auto& [sketch, solver] : space.sketches) {
      if (!is_in_blocks(sketch)) continue;
      ++in_blocks;
      for (const space::Point& point : solver->sample(2, 7).points) {
        SCOPED_TRACE(in_words(sketch, point));
        const Function replayed = replayed_by_the_law(sketch, point);
        answers.expect_of(replayed);
        answers.expect_of(lower::lower_unpacked(replayed, target));
      }
    }
    EXPECT_GE(in_blocks, 1U);
  }
}

/// Where the copy is near anyway, and where results are made of the sums in registers, sums are whole.
TEST(WindowSpace, of_shallow_sums_and_those_with_ends_has_no_blocks) {
  const target::Target target = target::find("neoverse-v1");
  for (const Convolution& asked :
       {Convolution{"c2d", "nchw", {1, 19, 19, 24, 32, 5, 5, 1, 2, 1}},
        Convolution{"conv_bn_relu", "nchw", {1, 19, 19, 192, 32, 5, 5, 1, 2, 1}}}) {
    Derivation d(program_of(asked), target);
    derive(d, rules_for(target));
    for (const Way& way : d.ways())
      EXPECT_FALSE(way.question.ends_with(" in blocks of channels")) << asked.op;
  }
  Derivation deep(program_of({"c2d", "nchw", {1, 19, 19, 192, 32, 5, 5, 1, 2, 1}}), target);
  derive(deep, rules_for(target));
  EXPECT_TRUE(std::any_of(deep.ways().begin(), deep.ways().end(), [](const Way& way) {
    return way.question.ends_with(" in blocks of channels") && way.taken == way.model;
  }));
}

/// On a machine of few registers.
TEST(WindowSpace, loses_nothing_of_a_small_convolution) {
  target::Target target = target::find("generic-x86_64");
  target.vector_registers = 6;
  target.cores = 1;
  Tried all;
  std::size_t place = 0;
  for (const Convolution& asked : {Convolution{"c2d", "nchw", {1, 5, 5, 2, 3, 3, 3, 1, 1, 1}},
                                   Convolution{"c2d", "nhwc", {1, 5, 5, 1, 9, 3, 3, 1, 1, 1}},
                                   Convolution{"depthwise", "nchw", {1, 5, 5, 2, 3, 3, 1, 1}}}) {
    const ProgramSpace space = program_space(program_of(asked), target, rules_for(target));
    for (const SolvedSketch& solved : space.sketches) {
      if (!test::takes_case(place++, 3)) continue;
      const Tried tried = expect_nothing_lost(solved.sketch, target, tuples_to_try(25));
      EXPECT_GE(tried.valid, 1) << asked.op << ": " << to_string(solved.sketch.ways);
      all.valid += tried.valid;
      all.all += tried.all;
    }
  }
  EXPECT_GT(all.all, all.valid + 20);
  EXPECT_GT(all.valid, test::takes_all_cases() ? 100 : 30);
}

std::optional<WindowedSum> found_in(const std::string& data, const std::string& kernel,
                                    const std::string& shape = "(2, 6, 13, 11)") {
  const Function program =
      arith::load_program(
          R"(@T.prim_func
def main(A: T.Buffer()" +
              shape +
              R"(, "float32"), W: T.Buffer((4, 3, 2, 3), "float32"), C: T.Buffer((2, 4, 5, 4), "float32")):
    for n, o, y, x, c, p, q in T.grid(2, 4, 5, 4, 3, 2, 3):
        with T.block("C"):
            n, o, y, x, c, p, q = T.axis.remap("SSSSRRR", [n, o, y, x, c, p, q])
            with T.init():
                C[n, o, y, x] = T.float32(0)
            C[n, o, y, x] = C[n, o, y, x] + )" +
              data + " * " + kernel + "\n",
          "windows.tir")
          .functions[0];
  return windowed_sum(program, {schedule::all_blocks(program).back().block().id});
}

TEST(WindowedSum, is_found_by_its_indices) {
  const auto plain = found_in("A[n, c, y * 2 + p, x * 2 + q * 2]", "W[o, c, p, q]");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->channels_last);
  EXPECT_EQ(plain->group, 4);
  ASSERT_EQ(plain->rank(), 2U);
  EXPECT_EQ(plain->axes[0].stride, 2);
  EXPECT_EQ(plain->axes[0].dilation, 1);
  EXPECT_EQ(plain->axes[1].dilation, 2);
  EXPECT_EQ(plain->axes[1].reach(4), 11);
  EXPECT_FALSE(plain->maker);
}

TEST(WindowedSum, has_its_operands_in_either_order_and_its_window_backwards) {
  const auto turned = found_in("W[o, c, p, q]", "A[n, c, y - p + 1, x - q + 2]");
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->kernel->name, "W");
  EXPECT_EQ(turned->axes[1].dilation, -1);
  EXPECT_EQ(turned->axes[1].reach(4), 6);
}

TEST(WindowedSum, knows_groups_of_channels) {
  const auto halves = found_in("A[n, o // 2 * 3 + c, y + p, x + q]", "W[o, c, p, q]");
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->group, 2);
  EXPECT_EQ(halves->groups(), 2);
  const auto each = found_in("A[n, o * 3 + c, y + p, x + q]", "W[o, c, p, q]", "(2, 12, 13, 11)");
  ASSERT_TRUE(each);
  EXPECT_EQ(each->group, 1);
  EXPECT_FALSE(each->is_apart());
}

/// Each number of the data is met by several of the kernel: where it is not, channels are no lanes.
TEST(ChannelSum, has_a_channel_that_the_data_does_not_ask_for) {
  const auto found_by = [](const std::string& data) {
    const Function program = arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), W: T.Buffer((9, 4, 4), "float32"), C: T.Buffer((5, 4), "float32")):
    for y, o, k in T.grid(5, 4, 3):
        with T.block("C"):
            y, o, k = T.axis.remap("SSR", [y, o, k])
            with T.init():
                C[y, o] = T.float32(0)
            C[y, o] = C[y, o] + T.if_then_else(y + k < 5, )" +
                                                     data +
                                                     R"( * W[y % 2 + k, o, y // 2], T.float32(0))
)",
                                                 "channels.tir")
                                 .functions[0];
    return channel_sum(program, {schedule::all_blocks(program).back().block().id});
  };
  const auto found = found_by("A[y // 2, k]");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->channel, 1U);
  EXPECT_EQ(found->kernel_channel, 1U);
  EXPECT_EQ(found->row, 0U);
  EXPECT_FALSE(found_by("A[y // 2, k + o]"));
}

/// A place in two dimensions, two channels that go different ways, a kernel that moves: none of the rules is
/// for these.
TEST(WindowedSum, is_nothing_else) {
  EXPECT_FALSE(found_in("A[n, c, y + p, y + q]", "W[o, c, p, q]"));
  EXPECT_FALSE(found_in("A[n, c, y + q, x + y + p]", "W[o, c, p, q]"));
  EXPECT_FALSE(found_in("A[n, o % 2 * 3 + c, y + p, x + q]", "W[o, c, p, q]"));
  EXPECT_FALSE(found_in("A[n, c, y + p, x + q]", "W[o, c, y % 2, q]"));
  EXPECT_FALSE(found_in("A[n, c, y + p, x // 2 + q]", "W[o, c, p, q]"));
  EXPECT_FALSE(found_in("A[n, c, x + p, y + q]", "W[o, c, p, q]"));
}

}  // namespace

}  // namespace ardea::rules
