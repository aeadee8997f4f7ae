#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/schedule/parse_script.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/support/text_file.h"
#include "tests/codegen_cuda/programs.h"
#include "tests/support/sampled.h"

/// Products by wgmma, by the steps of examples/gemm_wgmma.py: answers, the barriers and waits that they need,
/// and what is refused. Other tiles, types and sizes are those of the rules (tests/gpu_rules/groups.cc).

namespace ardea::codegen {

namespace {

constexpr std::int64_t rows = 64, columns = 64, panel = 64, usual_depth = 6 * panel;

/// With `from` as `to`, where they are named.
Function group_product(const std::string& from = "", const std::string& to = "",
                       std::int64_t depth = usual_depth, int ahead = 2) {
  std::string steps = read_text_file(std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_wgmma.py");
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = steps.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    steps.replace(at, what.size(), by);
  };
  replace("warps = 8 ", "warps = 4 ");
  replace("columns = 128 ", "columns = 64 ");
  replace("ahead = 2 ", fmt::format("ahead = {} ", ahead));
  replace("wgmma.m64n128k64_f16", "wgmma.m64n64k64_f16");
  if (!from.empty()) replace(from, to);
  Function f = ops::create_function(
      ops::make_workload(
          {.op = "gemm", .sizes = {rows, depth, columns}, .in = {float16, float16}, .out = float16}),
      "product");
  for (const char* array : {"A", "B", "C"}) f = promise_alignment(f, array, 16, "test");
  schedule::Schedule schedule(f);
  schedule.replay(schedule::parse_script(steps, "gemm_wgmma.py"));
  return schedule.program();
}

/// The same with panels that a unit copies.
Function group_product_by_boxes(const std::string& step = "", const std::string& other_step = "",
                                std::int64_t depth = usual_depth, int ahead = 2) {
  const std::string by_threads = R"(
    again, z, x, lanes = sch.split(sch.fuse(*sch.get_loops(copy)[-2:]), [None, warps, 32, 8])
    sch.bind(z, "threadIdx.z")
    sch.bind(x, "threadIdx.x")
    sch.vectorize(lanes)
)";
  std::string by_unit = R"(
    rows, row = sch.get_loops(copy)[-2:]
    across, columns_of_box = sch.split(row, [None, 64])
    sch.reorder(across, rows, columns_of_box)
    sch.annotate(rows, "box_copy", 1)
)";
  if (!step.empty()) by_unit.replace(by_unit.find(step), step.size(), other_step);
  return group_product(by_threads, by_unit, depth, ahead);
}

/// Whether the interpreter, in that order of threads, finds all sums as they are. Factors are small whole
/// numbers.
bool is_right(const Function& lowered, std::uint64_t seed) {
  const std::int64_t depth = constant_int(lowered.parameters[1].buffer->shape[0]).value();
  Random random(seed);
  const runtime::Array a = runtime::Array::zeros({rows, depth}, float16),
                       b = runtime::Array::zeros({depth, columns}, float16),
                       c = runtime::Array::zeros({rows, columns}, float16);
  for (const runtime::Array& array : {a, b})
    for (std::int64_t i = 0; i < array.element_count(); ++i)
      array.set_float(i, static_cast<double>(random.integer(-2, 2)));
  try {
    interp::run(lowered, {a, b, c}, {.seed = seed});
  } catch (const Error&) {
    return false;
  }
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum += a.get_float(i * depth + k) * b.get_float(k * columns + j);
      if (c.get_float(i * columns + j) != sum) return false;
    }
  return true;
}

bool is_wait(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
  return call != nullptr && (call->op->name == "barrier" || call->op->name == "async_wait");
}

void expect_right_and_no_wait_in_vain(const Function& lowered) {
  EXPECT_TRUE(is_right(lowered, 1));
  int count = 0;
  visit_stmts(lowered.body, [&](const Stmt& s) { count += is_wait(s); });
  EXPECT_GE(count, 2);
  for (int nth = 0; nth < count; ++nth) {
    // Waits and barriers take turns: every third has both.
    if (!test::takes_case(static_cast<std::size_t>(nth), 3)) continue;
    Function without = lowered;
    int seen = 0;
    without.body = rewrite(lowered.body, Rewriter{.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                             return is_wait(s) && seen++ == nth ? std::optional(make_no_op()) : std::nullopt;
                           }});
    EXPECT_FALSE(is_right(without, 1) && is_right(without, 2) && is_right(without, 3))
        << nth << " of " << count;
  }
}

TEST(ProductsOfGroups, are_right_and_need_each_barrier_and_wait) {
  expect_right_and_no_wait_in_vain(lower::lower(group_product(), gpu()));
}

TEST(ProductsOfGroups, whose_panels_a_unit_copies_are_right_and_need_each_barrier_and_wait) {
  const Function lowered = lower::lower(group_product_by_boxes(), gpu());
  expect_right_and_no_wait_in_vain(lowered);
  const std::string text = cuda_source(std::vector{lowered}, gpu(), {});
  EXPECT_EQ(text.find("copy_async<"), std::string::npos);
  EXPECT_EQ(text.find("sync_with_fence"), std::string::npos) << "copies under way would be waited for";
  EXPECT_NE(text.find("copy_box<8192>(landings, "), std::string::npos);
  if (compile::why_no_nvrtc().empty()) {
    EXPECT_EQ(compile::cubin_of(text, gpu().cpu, true).spilled_bytes, 0);
  }
}

struct ShortPipeline {
  int panels, ahead;
};

/// Pipelines that are drained as soon as they are filled, or have one or two iterations between.
TEST(ProductsOfGroups, of_few_panels_copy_them_while_threads_go_on) {
  for (const auto& [panels, ahead] : test::sampled<ShortPipeline>(
           3, {{2, 1}, {1, 1}, {3, 3}, {2, 2}, {4, 3}, {3, 2}, {3, 1}, {4, 2}, {4, 1}})) {
    SCOPED_TRACE(fmt::format("{} panels, {} under way", panels, ahead));
    const std::int64_t depth = panels * panel;
    const Function by_threads = lower::lower(group_product("", "", depth, ahead), gpu()),
                   by_unit = lower::lower(group_product_by_boxes("", "", depth, ahead), gpu());
    expect_right_and_no_wait_in_vain(by_threads);
    EXPECT_TRUE(is_right(by_unit, 1) && is_right(by_unit, 2));
    const std::string text = cuda_source(std::vector{by_threads}, gpu(), {});
    EXPECT_NE(text.find("copy_async<16>"), std::string::npos) << text;
    EXPECT_EQ(text.find(" = *(const Pack<__half,8>*)(A"), std::string::npos) << "a thread waits for A";
  }
}

TEST(ProductsOfGroups, fence_what_threads_have_copied_and_nothing_else) {
  const std::string text = cuda_source(std::vector{lower::lower(group_product(), gpu())}, gpu(), {});
  const std::size_t loop = text.find("for (int32_t k_0");
  EXPECT_LT(text.find("sync_with_fence();", loop), text.find("mma_store_f16(", loop));
  // Behind the last products there is nothing to fence for.
  EXPECT_EQ(text.find("sync_with_fence();", text.rfind("wgmma_m64n64k64_f16_swizzled(")), std::string::npos);
}

/// What comes first in the loop over panels.
bool multiplies_before_it_asks(const Function& product) {
  const std::string text = cuda_source(std::vector{lower::lower(product, gpu())}, gpu(), {});
  const std::size_t loop = text.find("for (int32_t k_0");
  return text.find("  wgmma_m64n", loop) < text.find("copy_box<", loop);
}

TEST(ProductsOfGroups, go_on_while_boxes_are_asked_for_that_are_not_waited_for_at_once) {
  EXPECT_TRUE(multiplies_before_it_asks(group_product_by_boxes()));
  const std::string last = "sch.annotate(rows, \"box_copy\", 1)\n";
  EXPECT_FALSE(multiplies_before_it_asks(group_product_by_boxes(last, last + "    ahead = 1\n")));
}

TEST(ProductsOfGroups, are_right_before_they_are_lowered) {
  EXPECT_TRUE(is_right(group_product(), 5));
  EXPECT_TRUE(is_right(group_product_by_boxes(), 5));
}

std::string refusal_of(const std::string& from, const std::string& to, const std::string& machine = "h200") {
  try {
    compile::cuda_source(Module{{}, {group_product(from, to)}}, target::find(machine));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ProductsOfGroups, say_what_they_need) {
  const auto expect_refused = [](const std::string& from, const std::string& to, const std::string& sentence,
                                 const std::string& machine = "h200") {
    const std::string refusal = refusal_of(from, to, machine);
    EXPECT_NE(refusal.find(sentence), std::string::npos) << from << ": " << refusal;
  };
  EXPECT_EQ(refusal_of("", ""), "");
  expect_refused("", "", "it needs the feature sm90, which target a100 has not", "a100");
  expect_refused(
      "(m, k ^ (m % 8 * 8))", "(m, k)",
      "reads rows of 128 bytes that lie swizzled one behind the other, and those of A_shared do not");
  expect_refused("n ^ (k % 8 * 8)", "n ^ (k % 4 * 8)", "and those of B_shared do not");
  expect_refused("warps = 4 ", "warps = 2 ", "whose number must be a multiple of as many");
}

}  // namespace

}  // namespace ardea::codegen
