#include "ardea/cost/program_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ardea/ir/parse.h"

namespace ardea::cost {
namespace {

/// 128-bit vectors; caches of 64 KiB, 1 MiB and 32 MiB in lines of 64 bytes, of which three quarters count.
target::Target machine() { return target::find("neoverse-v1"); }

struct Told {
  ProgramFeatures::Values values;
  double operator[](Feature feature) const { return values[static_cast<std::size_t>(feature)]; }
};

Told told(const std::string& body, const std::string& parameters, int threads = 1) {
  return {features_of(parse_function("@T.prim_func\ndef main(" + parameters + "):\n" + body), machine(),
                      threads)};
}

TEST(ProgramFeatures, count_a_plain_product) {
  const Told f = told(
      R"(
    for i, j, k in T.grid(32, 48, 20):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)",
      R"(A: T.Buffer((32, 20), "float32"), B: T.Buffer((20, 48), "float32"), C: T.Buffer((32, 48), "float32"))");
  EXPECT_EQ(f[Feature::float_fma], 32 * 48 * 20);
  EXPECT_EQ(f[Feature::float_add], 0);
  EXPECT_EQ(f[Feature::float_mul], 0);
  EXPECT_EQ(f[Feature::vector_operations], 32 * 48 * 20);
  EXPECT_EQ(f[Feature::scalar_operations], 32 * 48 * 20);
  EXPECT_EQ(f[Feature::loop_iterations], 32 + 32 * 48 + 32 * 48 * 20);
  EXPECT_EQ(f[Feature::loop_entries], 1 + 32 + 32 * 48);
  EXPECT_EQ(f[Feature::guards], 32 * 48 * 20);  // whether k is 0
  // Three loads and a store of 4 bytes, and the 0.
  EXPECT_EQ(f[Feature::bytes_accessed], 4 * (4 * 32 * 48 * 20 + 32 * 48));
  EXPECT_EQ(f[Feature::bytes_touched], 4 * (32 * 20 + 20 * 48 + 32 * 48));
  // All of it fits into the first cache.
  EXPECT_EQ(f[Feature::bytes_into_l1], f[Feature::bytes_touched]);
  EXPECT_DOUBLE_EQ(f[Feature::reuse_l1], f[Feature::bytes_accessed] / f[Feature::bytes_touched]);
  // The sum is kept while k runs (twice, for its load and its store; the 0 is stored once for all k), A is
  // loaded one after another, and B in strides.
  EXPECT_EQ(f[Feature::strided_accesses], 32 * 48 * 20);
  EXPECT_EQ(f[Feature::contiguous_accesses], 32 * 48 * 20);
  EXPECT_DOUBLE_EQ(f[Feature::broadcast_accesses], 2 * 32 * 48 + 32 * 48 / 20.0);
  // Each addition waits four cycles for the one before; two could start in each.
  EXPECT_EQ(f[Feature::waiting_cycles], (4 - 0.5) * 32 * 48 * 20);
  EXPECT_EQ(f[Feature::main_chains], 1);
  EXPECT_EQ(f[Feature::main_inner_iterations], 20);
}

TEST(ProgramFeatures, count_vectors_and_unrolled_loops) {
  const Told f = told(
      R"(
    for i in T.serial(16):
        for u in T.unroll(4):
            for v in T.vectorized(8):
                with T.block("C"):
                    vi = T.axis.spatial(512, i * 32 + u * 8 + v)
                    C[vi] = A[vi] * B[i] + T.float32(1)
)",
      R"(A: T.Buffer((512,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((512,), "float32"))");
  EXPECT_EQ(f[Feature::float_fma], 512);
  EXPECT_EQ(f[Feature::vector_operations], 512 / 4);
  EXPECT_EQ(f[Feature::scalar_operations], 0);
  EXPECT_EQ(f[Feature::contiguous_accesses], 2 * 512 / 4);
  EXPECT_EQ(f[Feature::broadcast_accesses], 16);  // B[i] once an iteration, however often it is used
  EXPECT_EQ(f[Feature::loop_iterations], 16);
  EXPECT_EQ(f[Feature::statements], 4 * 2);
  EXPECT_EQ(f[Feature::main_lanes], 8);
  EXPECT_EQ(f[Feature::main_unrolled], 4);
  EXPECT_EQ(f[Feature::waiting_cycles], 0);
}

TEST(ProgramFeatures, count_arithmetic_by_kind) {
  const Told f =
      told(R"(
    for i in range(10):
        with T.block("C"):
            vi = T.axis.spatial(10, i)
            C[vi] = T.max(T.exp(A[vi]) / (A[vi] + T.float32(2)), A[vi] * A[vi]) - T.cast(N[vi] + 1, "float32")
)",
           R"(A: T.Buffer((10,), "float32"), N: T.Buffer((10,), "int32"), C: T.Buffer((10,), "float32"))");
  EXPECT_EQ(f[Feature::float_special], 10);
  EXPECT_EQ(f[Feature::float_div], 10);
  EXPECT_EQ(f[Feature::float_add], 20);
  EXPECT_EQ(f[Feature::float_mul], 10);
  EXPECT_EQ(f[Feature::float_compare], 10);
  EXPECT_EQ(f[Feature::integer], 10);
  EXPECT_EQ(f[Feature::casts], 10);
  EXPECT_EQ(f[Feature::bytes_accessed], 10 * (4 + 4 + 4));  // A[vi] is loaded once
}

TEST(ProgramFeatures, count_what_guards_let_through) {
  const std::string parameters = R"(A: T.Buffer((50,), "float32"), C: T.Buffer((50,), "float32"))";
  const Told guarded = told(R"(
    for i, j in T.grid(4, 16):
        with T.block("C"):
            T.where(i * 16 + j < 50)
            vi = T.axis.spatial(50, i * 16 + j)
            C[vi] = A[vi] + T.float32(1)
)",
                            parameters);
  EXPECT_DOUBLE_EQ(guarded[Feature::float_add], 50);
  EXPECT_EQ(guarded[Feature::guards], 64);
  EXPECT_EQ(guarded[Feature::bytes_touched], 2 * 4 * 50);
  const Told padded = told(R"(
    for i, j in T.grid(4, 16):
        with T.block("C"):
            vi = T.axis.spatial(64, i * 16 + j)
            C[vi] = T.if_then_else(vi < 50, A[vi] + T.float32(1), T.float32(0))
)",
                           R"(A: T.Buffer((50,), "float32"), C: T.Buffer((64,), "float32"))");
  EXPECT_DOUBLE_EQ(padded[Feature::float_add], 50);
  EXPECT_DOUBLE_EQ(padded[Feature::bytes_accessed], 4 * (64 + 50));
}

TEST(ProgramFeatures, count_bytes_by_what_a_cache_holds) {
  // Each of 1024 rows of 4 KiB is read for each of 512 columns of B, 2 MiB, which only the third cache holds.
  const std::string parameters =
      R"(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((512, 1024), "float32"), C: T.Buffer((1024, 512), "float32"))";
  const Told f = told(R"(
    for i, j, k in T.grid(1024, 512, 1024):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
)",
                      parameters);
  const double of_a = 4.0 * 1024 * 1024, of_b = 4.0 * 512 * 1024, of_c = 4.0 * 1024 * 512;
  // For each row all of B; a row of A and of C stays while j runs.
  EXPECT_EQ(f[Feature::bytes_into_l1], 1024 * of_b + of_a + of_c);
  EXPECT_EQ(f[Feature::bytes_into_l2], 1024 * of_b + of_a + of_c);
  EXPECT_EQ(f[Feature::bytes_into_l3], of_b + of_a + of_c);
  // Of a column, each element brings its line.
  const Told strided = told(R"(
    for j, i in T.grid(1024, 1024):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi] = C[vi] + A[vi, vj]
)",
                            R"(A: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024,), "float32"))");
  EXPECT_EQ(strided[Feature::bytes_into_l1], 1024 * (1024.0 * 64 + 4 * 1024));
}

TEST(ProgramFeatures, do_not_depend_on_loops_of_one_iteration_or_on_code_that_never_runs) {
  const std::string parameters = R"(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32"))";
  const Told plain = told(R"(
    for i, j in T.grid(64, 64):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] + T.float32(1)
)",
                          parameters, 2);
  const Told wrapped = told(R"(
    for one in T.parallel(1):
        for i, unit, j in T.grid(64, 1, 64):
            for last in T.vectorized(1):
                with T.block("C"):
                    T.where(i + unit < 64 and one < 1)
                    vi = T.axis.spatial(64, i + unit)
                    vj = T.axis.spatial(64, j + last)
                    C[vi, vj] = A[vi, vj] + T.float32(1)
        for i in range(0):
            with T.block("never"):
                vi = T.axis.spatial(64, i)
                C[vi, 0] = A[vi, 0] * T.float32(3)
)",
                            parameters, 2);
  for (std::size_t i = 0; i < feature_count; ++i)
    EXPECT_EQ(plain.values[i], wrapped.values[i]) << feature_names()[i];
}

TEST(ProgramFeatures, know_which_sums_wait_for_each_other) {
  // A sum in registers of each iteration of i: its unrolled additions wait for each other, and those of the
  // next iteration do not wait for them.
  const auto of = [](const std::string& kind) {
    return told(R"(
    for i in range(64):
        with T.block("sum"):
            vi = T.axis.spatial(64, i)
            T.reads(A[vi, 0:32])
            T.writes(C[vi, 0:4])
            S = T.alloc_buffer((4,), "float32", scope="register")
            for v in T.vectorized(4):
                with T.block("zero"):
                    vv = T.axis.spatial(4, v)
                    S[vv] = T.float32(0)
            for k in )" +
                    kind + R"((8):
                for v in T.vectorized(4):
                    with T.block("add"):
                        vk = T.axis.reduce(8, k)
                        vv = T.axis.spatial(4, v)
                        S[vv] = S[vv] + A[vi, vk * 4 + vv]
            for v in T.vectorized(4):
                with T.block("store"):
                    vv = T.axis.spatial(4, v)
                    C[vi, vv] = S[vv]
)",
                R"(A: T.Buffer((64, 32), "float32"), C: T.Buffer((64, 4), "float32"))");
  };
  EXPECT_EQ(of("T.unroll")[Feature::waiting_cycles], 0);
  EXPECT_EQ(of("T.serial")[Feature::waiting_cycles], (4 - 0.5) * 64 * 8);
  EXPECT_EQ(of("T.serial")[Feature::register_bytes], 16);
}

TEST(ProgramFeatures, count_the_slowest_threads_cycles) {
  const auto of = [](int tasks, int threads) {
    return told("\n    for i in T.parallel(" + std::to_string(tasks) + R"():
        for j in T.serial(1000):
            for v in T.vectorized(4):
                with T.block("C"):
                    vi = T.axis.spatial()" +
                    std::to_string(tasks) + R"(, i)
                    vj = T.axis.spatial(4000, j * 4 + v)
                    C[vi, vj] = T.exp(C[vi, vj])
)",
                "C: T.Buffer((" + std::to_string(tasks) + R"(, 4000), "float32"))", threads);
  };
  EXPECT_EQ(of(6, 4)[Feature::parallel_tasks], 6);
  EXPECT_EQ(of(6, 4)[Feature::parallel_regions], 1);
  // Of 6 tasks one of 4 threads has 2; of 3 tasks each has 1.
  EXPECT_DOUBLE_EQ(of(6, 4)[Feature::compute_cycles], of(6, 1)[Feature::compute_cycles] / 3);
  EXPECT_DOUBLE_EQ(of(3, 4)[Feature::compute_cycles], of(3, 1)[Feature::compute_cycles] / 3);
}

TEST(ProgramFeatures, count_memory_of_its_own) {
  const Told f = told(R"(
    for i in range(8):
        with T.block("row"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:64])
            T.writes(C[vi, 0:64])
            T_row = T.alloc_buffer((64,), "float32")
            for j in range(64):
                with T.block("fill"):
                    vj = T.axis.spatial(64, j)
                    T_row[vj] = A[vi, vj] + T.float32(1)
            for j in range(64):
                with T.block("use"):
                    vj = T.axis.spatial(64, j)
                    C[vi, vj] = T_row[vj] * T_row[63 - vj]
)",
                      R"(A: T.Buffer((8, 64), "float32"), C: T.Buffer((8, 64), "float32"))");
  EXPECT_EQ(f[Feature::allocated_bytes], 4 * 64);
  EXPECT_EQ(f[Feature::allocations], 8);
  EXPECT_EQ(f[Feature::bytes_touched], 4 * (8 * 64 + 8 * 64 + 64));  // one row for all iterations
}

TEST(ProgramFeatures, keep_nothing_of_memory_that_each_iteration_has_anew) {
  const Told f = told(R"(
    for i in range(64):
        with T.block("pair"):
            vi = T.axis.spatial(64, i)
            T.reads(A[vi])
            T.writes(C[vi])
            P = T.alloc_buffer((1,), "float32")
            with T.block("fill"):
                P[0] = A[vi] + T.float32(1)
            with T.block("use"):
                C[vi] = P[0] * T.float32(3)
)",
                      R"(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"))");
  EXPECT_EQ(f[Feature::contiguous_accesses], 2 * 64);
  EXPECT_EQ(f[Feature::broadcast_accesses], 2 * 64);  // P, stored and loaded
}

TEST(ProgramFeatures, are_formulas_over_parameters) {
  const Function program = parse_function(R"(
@T.prim_func
def main(A: T.Buffer((512,), "float32"), C: T.Buffer((512,), "float32"), outer: T.int64, inner: T.int64):
    T.assume(outer >= 1)
    T.assume(inner >= 1)
    T.assume(outer * inner == 512)
    for i in range(outer):
        for v in T.vectorized(inner):
            with T.block("C"):
                vi = T.axis.spatial(512, i * inner + v)
                C[vi] = A[vi] + T.float32(1)
)");
  const std::vector<Var> parameters = {program.parameters[2].var, program.parameters[3].var};
  const ProgramFeatures formulas(program, parameters, machine());
  const std::vector<double> numbers = {64, 8};
  const Told f{formulas.at(numbers)};
  EXPECT_EQ(f[Feature::float_add], 512);
  EXPECT_EQ(f[Feature::vector_operations], 128);
  EXPECT_EQ(f[Feature::main_lanes], 8);
  EXPECT_EQ(f[Feature::loop_iterations], 64);
  const auto behind = formulas.parameters_behind();
  EXPECT_EQ(behind[static_cast<std::size_t>(Feature::main_lanes)], (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(behind[static_cast<std::size_t>(Feature::loop_iterations)], (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace ardea::cost
