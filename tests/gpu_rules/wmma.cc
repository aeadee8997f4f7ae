#include <gtest/gtest.h>

#include <array>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "ardea/space/explain.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/rules/answers.h"
#include "tests/support/sampled.h"

/// Products by wmma, beside Heron's: points that it has logged are points here. That answers are right for
/// other sizes, types and layouts is asked in answers.cc.

namespace ardea::rules {

namespace {

/// Heron's gemm: B as n, k; factors, sums and results in float16.
Function heron_gemm(std::int64_t m, std::int64_t k, std::int64_t n) {
  ops::Workload wanted{.op = "gemm", .sizes = {m, k, n}, .transpose_b = true};
  wanted.in = {float16, float16};
  wanted.acc = float16, wanted.out = float16;
  Function program = program_of(wanted);
  for (const char* array : {"A", "B", "C"}) program = promise_alignment(program, array, 16, "test");
  return program;
}

/// m16n16k16, loops over fragments around the copies.
Sketch square_sketch(const Function& program, const char* target) {
  Derivation derived(program, target::find(target), {0, 1});
  derive(derived, rules_for(derived.target()));
  return make_sketch(program, derived);
}

/// What Heron logs of one program for a gemm of 1024³: the columns behind the speed, in its order.
struct Logged {
  std::int64_t wmma_m, wmma_k, wmma_n;
  std::int64_t shared_pos,
      local_pos;  ///< after which level of tiles it copies to shared memory, to fragments
  std::int64_t result_pos, sums_pos, unroll;
  std::int64_t block_i, block_j, thread_y_i, thread_y_j, thread_y, thread_x_i, thread_x_j, thread_x, serial_i,
      serial_j;
  std::int64_t row_c, offset_c, warps_i, warps_j;
  std::int64_t i0, j0, k0, i1, j1, k1, i2, j2, k2;
  std::int64_t row_b, offset_b, vector_b, row_a, offset_a, vector_a;
};

const Logged trial_77 = {16, 16, 16, 3, 3, 1,  0, 5, 4, 16, 16, 1, 16, 1, 32, 32, 16, 1, 64,
                         8,  16, 1,  1, 4, 32, 1, 1, 1, 1,  1,  1, 16, 0, 1,  16, 24, 2};
const Logged trial_1190 = {16, 16, 16, 0, 1, 1,  0, 5, 4, 16, 16, 1, 16, 1,  32, 32, 16, 1, 64,
                           0,  16, 1,  1, 1, 32, 1, 1, 1, 1,  4,  2, 32, 24, 8,  32, 8,  8};
const Logged failed = {16, 16, 16, 1, 2, 1,  0, 5, 4, 16, 16, 1, 16, 1,  32, 32, 16, 1, 64,
                       24, 16, 1,  1, 1, 32, 1, 1, 1, 1,  1,  1, 32, 24, 2,  32, 24, 2};

/// Its four levels of tiles by where the copies and the loads stand: around the copies, between both, inside.
std::array<std::int64_t, 3> by_places(const Logged& l, std::int64_t all,
                                      const std::array<std::int64_t, 3>& levels) {
  std::array<std::int64_t, 3> places = {1, 1, 1};
  const std::int64_t last = all / (levels[0] * levels[1] * levels[2]);
  for (std::int64_t level = 0; level < 4; ++level) {
    const std::int64_t loops = level < 3 ? levels[static_cast<std::size_t>(level)] : last;
    places[level <= l.shared_pos ? 0 : level <= l.local_pos ? 1 : 2] *= loops;
  }
  return places;
}

/// The knobs here. Which lanes rest where there is little to copy is ours to say.
std::map<std::string, std::int64_t> translated(const Logged& l) {
  constexpr std::int64_t size = 1024, warp = 32;
  const auto m = by_places(l, size / (l.block_i * l.warps_i * l.wmma_m), {l.i0, l.i1, l.i2});
  const auto n = by_places(l, size / (l.block_j * l.warps_j * l.wmma_n), {l.j0, l.j1, l.j2});
  const auto k = by_places(l, size / l.wmma_k, {l.k0, l.k1, l.k2});
  EXPECT_EQ(m[1] * n[1], 1) << "loops between copies and loads are another sketch";
  const std::int64_t panel = k[1] * k[2] * l.wmma_k, rows = l.warps_i * m[2] * l.wmma_m,
                     columns = l.warps_j * n[2] * l.wmma_n;
  EXPECT_EQ(panel, l.row_a);
  EXPECT_EQ(panel, l.row_b);
  EXPECT_EQ(n[0] * columns, l.row_c);
  std::map<std::string, std::int64_t> knobs = {
      {"around_m", m[0]},     {"warps_m", l.warps_i},    {"frags_m", m[2]},         {"around_n", n[0]},
      {"warps_n", l.warps_j}, {"frags_n", n[2]},         {"between_k", 1},          {"unrolled_k", k[1]},
      {"frags_k", k[2]},      {"padding_a", l.offset_a}, {"padding_b", l.offset_b}, {"padding_c", l.offset_c},
  };
  const auto copy = [&](const std::string& name, std::int64_t copied, std::int64_t vector) {
    const std::int64_t lanes = std::min(warp, panel / vector), warps = l.warps_i * l.warps_j;
    const std::int64_t at_once = std::min(warp / lanes, copied / warps);
    knobs["vector_" + name] = vector, knobs["lanes_" + name] = lanes, knobs["rows_" + name] = at_once;
    knobs["runs_" + name] = panel / (lanes * vector), knobs["copies_" + name] = copied / (warps * at_once);
  };
  copy("a", rows, l.vector_a);
  copy("b", columns, l.vector_b);
  knobs["vector_c"] = size / (l.block_j * l.thread_y_j * l.thread_x_j * l.serial_j);
  knobs["lanes_c"] = l.thread_x_j, knobs["rows_c"] = l.thread_x_i;
  knobs["runs_c"] = l.serial_j, knobs["copies_c"] = l.serial_i;
  return knobs;
}

space::Point point_of(const Sketch& sketch, const Logged& l) {
  const auto knobs = translated(l);
  EXPECT_EQ(knobs.size(), sketch.system.knobs().size());
  space::Point point(sketch.system.variables().size(), 0);
  for (const space::Var knob : sketch.system.knobs())
    point[static_cast<std::size_t>(knob.index)] = knobs.at(sketch.system[knob].name);
  return point;
}

TEST(WmmaBesideHeron, has_its_logged_points_and_knows_why_one_failed) {
  const Function program = heron_gemm(1024, 1024, 1024);
  const Sketch sketch = square_sketch(program, "t4");
  std::vector<Function> kernels;
  for (const auto& [name, logged] : {std::pair{"trial_77", trial_77}, {"trial_1190", trial_1190}}) {
    const space::Point point = point_of(sketch, logged);
    EXPECT_TRUE(space::explain(sketch.system, point).is_solution()) << name;
    Function made = materialise(sketch, point).program();
    made.name = name;
    kernels.push_back(lower::lower(made, target::find("t4")));
  }
  // Each of its buffers is smaller than what Heron allows each: what it lacks is a bound of their sum.
  const space::PointReport report = space::explain(sketch.system, point_of(sketch, failed));
  ASSERT_EQ(report.broken.size(), 1U);
  EXPECT_EQ(sketch.system.constraints()[static_cast<std::size_t>(report.broken[0])].name,
            "bytes of shared memory");
  EXPECT_TRUE(report.outside.empty());
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  const target::Target t4 = target::find("t4");
  EXPECT_NO_THROW(compile::cubin_of(codegen::cuda_source(kernels, t4, {}), t4.cpu, true));
}

// One block of each point; a V100 has the shared memory for all three.
TEST(WmmaBesideHeron, has_points_with_right_answers) {
  const Function program = heron_gemm(256, 64, 64);
  const Answers answers(program);
  const Sketch sketch = square_sketch(program, "v100");
  for (const Logged& logged : test::sampled<Logged>(3, {trial_1190, trial_77, failed})) {
    const space::Point point = point_of(sketch, logged);
    ASSERT_TRUE(space::explain(sketch.system, point).is_solution());
    answers.expect_of(lower::lower(materialise(sketch, point).program(), target::find("v100")));
  }
}

TEST(WmmaBesideHeron, has_as_many_numbers_as_the_documentation_says) {
  const Sketch sketch = square_sketch(heron_gemm(64, 64, 64), "v100");
  EXPECT_EQ(sketch.knobs.size(), 27U);
  EXPECT_EQ(sketch.system.variables().size(), 81U);
  EXPECT_EQ(sketch.system.constraints().size(), 81U);
}

std::string text_for(const Function& program, const char* name) {
  const target::Target target = target::find(name);
  const auto model = model_schedule(program, target, rules_for(target));
  return codegen::cuda_source(std::vector{lower::lower(model->schedule.program(), target)}, target, {});
}

TEST(Wmma, multiplies_where_nothing_newer_does_and_where_it_is_asked_for) {
  const auto gemm = [](DataType in, DataType out) {
    ops::Workload wanted{.op = "gemm", .sizes = {64, 64, 64}};
    wanted.in = {in, in}, wanted.out = out;
    return program_of(wanted);
  };
  EXPECT_GT(count_of(text_for(gemm(float16, float16), "v100"), "wmma_mma_row_row_"), 0);
  EXPECT_EQ(count_of(text_for(gemm(float16, float16), "t4"), "wmma_"), 0);
  EXPECT_GT(count_of(text_for(gemm(int8, int32), "t4"), "wmma_mma_row_row_"), 0);
  EXPECT_EQ(count_of(text_for(gemm(float16, float16), "h200"), "wmma_"), 0);
  EXPECT_GT(count_of(text_for(gemm(float16, float16), "h200:wmma"), "wmma_mma_row_row_"), 0);
  EXPECT_GT(count_of(text_for(heron_gemm(64, 64, 64), "h200"), "wmma_mma_row_col_"), 0)
      << "sums of float16 have no newer instruction here";
}

}  // namespace

}  // namespace ardea::rules
