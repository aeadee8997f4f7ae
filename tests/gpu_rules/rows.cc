#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/open_sizes.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/rules/answers.h"
#include "tests/support/sampled.h"

/// Stages that take each row for itself, on GPUs.

namespace ardea::rules {

namespace {

/// At sizes that threads divide and at others: an array of the kernel's own, as long as a thread's part, and
/// nothing of it in memory.
TEST(RowsByThreads, are_kept_in_registers) {
  for (const auto& [columns, elements] : {std::pair(4096, 16), std::pair(131, 3), std::pair(132, 8)}) {
    const Function program = program_of({.op = "softmax", .sizes = {3, columns}});
    const std::string text = kernels_of(program);
    for (const char* const kept : {"x_local", "softmax_exp"})
      EXPECT_NE(text.find("float " + std::string(kept) + "[" + std::to_string(elements) + "]"),
                std::string::npos)
          << columns << "\n"
          << text;
    EXPECT_EQ(count_of(text, "__global__"), 1);
  }
}

/// What limits say of a thread's registers is what its arrays take, wherever they are allocated.
TEST(RowsByThreads, take_the_registers_that_were_predicted) {
  const Function made = by_the_model(program_of({.op = "softmax", .sizes = {3, 131}}));
  for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(made, newest_gpu()), newest_gpu()))
    if (bound.name == "registers of a thread") {
      EXPECT_EQ(constant_int(bound.taken), 6);
    }
}

/// Rows that are too long for registers lie in shared memory, and longer ones are read again, in vectors.
TEST(RowsByThreads, that_are_longer_are_kept_elsewhere) {
  const std::string shared = print(by_the_model(program_of({.op = "softmax", .sizes = {3, 13000 * 2 + 1}})));
  EXPECT_NE(shared.find("x_shared"), std::string::npos) << shared;
  const Function again = by_the_model(program_of({.op = "softmax", .sizes = {3, 400000}}));
  EXPECT_EQ(print(again).find("x_shared"), std::string::npos);
  EXPECT_NE(print(again).find("T.vectorized(4)"), std::string::npos);
}

/// Where threads have no vector left, none of its lanes is asked for itself.
TEST(RowsByThreads, guard_whole_vectors) {
  for (const char* const op : {"reduce_sum", "softmax"}) {
    const Function made = by_the_model(program_of({.op = op, .sizes = {130, 28}}));
    const std::string text = print(lower::lower(made, newest_gpu()));
    EXPECT_NE(text.find(" * 28 + thread_x * 4 + 4]"), std::string::npos) << text;
    EXPECT_EQ(text.find("predicate="), std::string::npos) << text;
  }
}

/// Where there are fewer rows than cores, all have something to do.
TEST(RowsByThreads, are_summed_in_parts_where_there_are_few) {
  const Function program = program_of({.op = "reduce_sum", .sizes = {1, 16384}});
  EXPECT_EQ(count_of(kernels_of(program), "__global__"), 2);
  EXPECT_EQ(count_of(kernels_of(program_of({.op = "reduce_sum", .sizes = {1, 1024}})), "__global__"), 1);
  const Answers answers(program);
  answers.expect_of(lower::lower(by_the_model(program), newest_gpu()));
}

/// What all rows are multiplied by is read by several of them at once, as far as there are rows enough.
TEST(RowsByThreads, with_an_operand_in_common_go_side_by_side) {
  const auto text = [](std::int64_t rows) {
    return print(by_the_model(program_of({.op = "gemv", .sizes = {rows, 8192}})));
  };
  EXPECT_NE(text(16384).find("T.thread_binding(8, thread=\"threadIdx.y\")"), std::string::npos);
  EXPECT_NE(text(256).find("T.thread_binding(1, thread=\"threadIdx.y\")"), std::string::npos);
}

/// Short rows go side by side in one block; how many rows there are only a call knows.
TEST(RowsByThreads, of_any_number_share_blocks) {
  const std::string text = print(by_the_model(program_of({.op = "layernorm", .sizes = {4096, 64}})));
  EXPECT_NE(text.find("T.thread_binding(16, thread=\"threadIdx.y\")"), std::string::npos) << text;
  const Function program =
      ops::create_function(ops::open_workload({.op = "softmax", .sizes = {}}, "m,48"), "main");
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  EXPECT_TRUE(space.left_out.empty());
  std::vector<Answers> calls;
  for (const std::int64_t rows : {1, 7, 66})
    calls.emplace_back(program, std::map{std::pair(std::string("m"), rows)});
  for (const Choice& choice : space.sample(test::sampled_count(2, 4), 3).choices) {
    const Function lowered = lower::lower(space.materialise(choice).program(), newest_gpu());
    for (const Answers& answers : calls) answers.expect_of(lowered);
  }
}

/// Threads that are fewer than a warp would have others beside them, if there were other rows.
TEST(RowsByThreads, that_are_the_only_one_share_no_block) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{1, 131}, {3, 131}}) {
    const ProgramSpace space =
        program_space(program_of({.op = "softmax", .sizes = sizes}), newest_gpu(), rules_for(newest_gpu()));
    for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
    for (const SolvedSketch& one : space.sketches)
      for (const space::Point& point : one.solver->sample(8, 1).points)
        for (const space::Var knob : one.sketch.system.knobs())
          if (one.sketch.system[knob].name == "softmax_rows") {
            EXPECT_LE(point[static_cast<std::size_t>(knob.index)], sizes[0]);
          }
  }
}

/// Types that are added in another one, and rows of several axes.
TEST(RowsByThreads, of_other_types_have_right_answers) {
  for (const ops::Workload& wanted : test::sampled<ops::Workload>(
           2, {ops::Workload{.op = "softmax", .sizes = {3, 48}, .in = {float16}, .out = float16},
               ops::Workload{.op = "reduce_sum", .sizes = {5, 80}, .in = {int8}},
               ops::Workload{.op = "layernorm", .sizes = {2, 40}, .in = {bfloat16}},
               ops::Workload{.op = "reduce_max", .sizes = {3, 64}, .in = {float16}},
               ops::Workload{.op = "global_avgpool", .sizes = {2, 4, 6, 3}},
               ops::Workload{.op = "gemv", .sizes = {5, 96}, .in = {float16}}})) {
    SCOPED_TRACE(wanted.op);
    expect_right_samples(program_of(wanted), 2);
  }
}

}  // namespace

}  // namespace ardea::rules
