#include "tests/arith/laws.h"

#include <gtest/gtest.h>

/// Laws of blocks, by programs as text: bindings, declared regions, kinds of iterators. Each law has a
/// program that breaks it and a near miss that keeps it.

namespace ardea::arith {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

const std::string guarded_split = R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        with T.block("copy"):
            v = T.axis.spatial(10, i_0 * 4 + i_1)
            T.where(i_0 * 4 + i_1 < 10)
            B[v] = A[v]
)";

TEST(VerifyBlocks, wants_bindings_proved_in_their_domains) {
  expect_accepted(guarded_split);
  expect_broken(
      replaced(guarded_split, "T.where(i_0 * 4 + i_1 < 10)\n            ", ""), "binding_out_of_domain",
      {"block copy", "iterator v is bound to i_0 * 4 + i_1", "not proved", "[0, 10)", "0 to 11", "T.where"});
  expect_broken(replaced(guarded_split, "i_0 * 4 + i_1)\n", "i_0 * 4 + i_1 + 10)\n"), "binding_out_of_domain",
                {"lies outside"});
}

const std::string gemm = R"(
@T.prim_func
def main(A: T.Buffer((16, 24), "float32"), B: T.Buffer((24, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    for i, j, k in T.grid(16, 8, 24):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

TEST(VerifyBlocks, wants_every_read_declared) {
  expect_accepted(gemm);
  expect_broken(replaced(gemm, "T.reads(A[vi, vk], B[vk, vj])", "T.reads(B[vk, vj])"), "read_region_missing",
                {"block C", "reads A[vi, vk]", "B[vk, vj]", "leave T.reads out"});
  expect_broken(replaced(gemm, "T.reads(A[vi, vk]", "T.reads(A[vi, 0]"), "read_region_too_small",
                {"reads A[vi, vk]", "A[vi, 0]"});
  expect_accepted(replaced(gemm, "T.reads(A[vi, vk]", "T.reads(A[vi, 0:24]"));
}

TEST(VerifyBlocks, wants_every_write_declared) {
  expect_broken(replaced(gemm, "T.writes(C[vi, vj])", "T.writes()"), "write_region_missing",
                {"block C", "writes C[vi, vj]", "nothing"});
  expect_broken(replaced(gemm, "T.writes(C[vi, vj])", "T.writes(C[vi, 0])"), "write_region_too_small",
                {"writes C[vi, vj]", "C[vi, 0]"});
}

TEST(VerifyBlocks, wants_declared_writes_no_larger_than_the_writes) {
  expect_broken(replaced(gemm, "T.writes(C[vi, vj])", "T.writes(C[vi, 0:8])"), "write_region_too_large",
                {"block C", "C[vi, 0:8]", "body writes C[vi, vj]"});
  expect_broken(replaced(gemm, "T.writes(C[vi, vj])", "T.writes(C[vi, vj], A[vi, vk])"),
                "write_region_too_large", {"A[vi, vk]", "nothing of this buffer"});
}

TEST(VerifyBlocks, lets_a_conditional_write_be_declared_by_a_box) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    with T.block("b"):
        T.reads(A[0:16])
        T.writes(B[0:16])
        for i in range(16):
            if A[i] > T.float32(0.0):
                B[i] = A[i]
)");
}

TEST(VerifyBlocks, wants_data_dependent_reads_declared_whole) {
  const std::string gather = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), J: T.Buffer((4,), "int64"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("gather"):
            v = T.axis.spatial(4, i)
            T.reads(A[0:16], J[v])
            T.writes(B[v])
            B[v] = A[J[v]]
)";
  expect_accepted(gather);
  expect_broken(replaced(gather, "A[0:16]", "A[0:15]"), "read_region_too_small",
                {"block gather", "reads A[0:16]"});
}

TEST(VerifyBlocks, counts_the_halo_of_inner_loops) {
  const std::string blur = R"(
@T.prim_func
def main(A: T.Buffer((18,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(4):
        with T.block("blur"):
            v = T.axis.spatial(4, i)
            T.reads(A[v * 4:v * 4 + 6])
            T.writes(B[v * 4:v * 4 + 4])
            for j in range(4):
                B[v * 4 + j] = A[v * 4 + j] + A[v * 4 + j + 1] + A[v * 4 + j + 2]
)";
  expect_accepted(blur);
  expect_broken(replaced(blur, "v * 4 + 6", "v * 4 + 5"), "read_region_too_small", {"v * 4"});
  expect_broken(replaced(blur, "B[v * 4:v * 4 + 4]", "B[v * 4:v * 4 + 3]"), "write_region_too_small",
                {"block blur"});
}

TEST(VerifyKinds, wants_spatial_iterators_to_tell_elements_apart) {
  const std::string fill = R"(
@T.prim_func
def main(B: T.Buffer((31,), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("fill"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 4 + vj] = T.float32(1.0)
)";
  const std::string large = replaced(fill, "31", "32");
  expect_accepted(large);
  expect_accepted(replaced(large, "vi * 4 + vj", "vj * 8 + vi"));
  expect_broken(replaced(large, "vi * 4 + vj", "vi * 3 + vj"), "spatial_iterator_overlaps",
                {"block fill", "not proved", "vi, vj", "B[vi * 3 + vj]"});
  expect_broken(replaced(large, "vi * 4 + vj", "vi"), "spatial_iterator_overlaps",
                {"vj is a spatial iterator", "every value", "B[vi]"});
  expect_accepted(replaced(replaced(large, "\"SS\"", "\"SO\""), "vi * 4 + vj", "vi"));
}

TEST(VerifyKinds, keeps_tiles_apart) {
  const std::string tiles = R"(
@T.prim_func
def main(B: T.Buffer((16,), "float32")):
    for i in range(4):
        with T.block("fill"):
            v = T.axis.spatial(4, i)
            for j in range(4):
                B[v * 4 + j] = T.float32(1.0)
)";
  expect_accepted(tiles);
  expect_broken(replaced(tiles, "v * 4 + j", "v * 3 + j"), "spatial_iterator_overlaps",
                {"block fill", "B[v * 3"});
}

TEST(VerifyKinds, tells_elements_apart_through_division) {
  expect_accepted(R"(
@T.prim_func
def main(B: T.Buffer((8, 4), "float32")):
    for i in range(32):
        with T.block("fill"):
            v = T.axis.spatial(32, i)
            B[v // 4, v % 4] = T.float32(1.0)
)");
}

TEST(VerifyKinds, judges_halves_that_never_meet_one_by_one) {
  const std::string halves = R"(
@T.prim_func
def main(B: T.Buffer((16,), "float32")):
    for i in range(8):
        with T.block("fill"):
            v = T.axis.spatial(8, i)
            B[v] = T.float32(1.0)
            B[v + 8] = T.float32(2.0)
)";
  expect_accepted(halves);
  expect_broken(replaced(halves, "v + 8", "v + 7"), "spatial_iterator_overlaps", {"block fill"});
}

TEST(VerifyKinds, refuses_spatial_scatter) {
  const std::string scatter = R"(
@T.prim_func
def main(J: T.Buffer((4,), "int64"), B: T.Buffer((16,), "float32")):
    for i in range(4):
        with T.block("scatter"):
            v = T.axis.spatial(4, i)
            B[J[v]] = T.float32(1.0)
)";
  expect_broken(scatter, "spatial_iterator_overlaps", {"block scatter", "B[0:16]"});
  expect_accepted(replaced(scatter, "T.axis.spatial", "T.axis.opaque"));
}

TEST(VerifyKinds, keeps_spatial_instances_off_each_others_elements) {
  const std::string shift = R"(
@T.prim_func
def main(B: T.Buffer((17,), "float32")):
    for i in range(16):
        with T.block("shift"):
            v = T.axis.spatial(16, i)
            B[v] = B[v + 1]
)";
  expect_broken(shift, "spatial_reads_other_elements",
                {"block shift", "reads B[v + 1]", "writes B[v]", "ordered"});
  expect_accepted(replaced(shift, "T.axis.spatial", "T.axis.scan"));
  expect_accepted(replaced(shift, "B[v + 1]", "B[v] + T.float32(1.0)"));
  expect_accepted(replaced(shift, "B[v + 1]", "B[16]"));
}

TEST(VerifyKinds, lets_a_scan_read_the_step_before) {
  const std::string scan = R"(
@T.prim_func
def main(A: T.Buffer((16, 4), "float32"), B: T.Buffer((16, 4), "float32")):
    for t, i in T.grid(15, 4):
        with T.block("scan"):
            vt = T.axis.scan((1, 16), t + 1)
            vi = T.axis.spatial(4, i)
            B[vt, vi] = B[vt - 1, vi] + A[vt, vi]
)";
  expect_accepted(scan);
  expect_broken(replaced(scan, "B[vt - 1, vi] +", "B[vt - 1, 3 - vi] +"), "spatial_reads_other_elements",
                {"block scan"});
}

TEST(VerifyKinds, keeps_outputs_still_under_reduce_iterators) {
  expect_broken(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for k in range(16):
        with T.block("sum"):
            vk = T.axis.reduce(16, k)
            C[vk] = C[vk] + A[vk]
)",
                "reduce_indexes_output", {"block sum", "vk is a reduce iterator", "C[vk]"});
}

TEST(VerifyKinds, wants_a_reduction_to_update) {
  const std::string last = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((1,), "float32")):
    for k in range(16):
        with T.block("last"):
            vk = T.axis.reduce(16, k)
            C[0] = A[vk]
)";
  expect_broken(last, "reduce_without_update", {"block last", "vk", "C[0]", "x = x + y"});
  expect_accepted(replaced(last, "T.axis.reduce", "T.axis.scan"));
  expect_accepted(replaced(last, "= A[vk]", "= C[0] + A[vk]"));
}

TEST(VerifyKinds, wants_init_and_body_to_write_the_same) {
  const std::string text = R"(
@T.prim_func
def main(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 16):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0.0)
            C[vi] = C[vi] + A[vi, vk]
)";
  expect_accepted(text);
  expect_broken(replaced(text, "C[vi] = T.float32(0.0)", "C[0] = T.float32(0.0)"), "init_region_differs",
                {"block sum", "init writes C[0]", "body writes C[vi]"});
}

TEST(VerifyKinds, counts_terms_once_where_bounds_depend) {
  const std::string sum = R"(
@T.prim_func
def main(A: T.Buffer((19,), "float32"), C: T.Buffer((1,), "float32")):
    for i in range(4):
        for j in range(3 - i, 7 - i):
            with T.block("sum"):
                vk = T.axis.reduce(19, i * 4 + j)
                with T.init():
                    C[0] = T.float32(0.0)
                C[0] = C[0] + A[vk]
)";
  expect_broken(sum, "reduction_counts_twice", {"block sum", "not true", "each value of", "vk once"});
  expect_accepted(replaced(sum, "range(3 - i, 7 - i)", "range(3 - i, 6 - i)"));
}

TEST(VerifyKinds, counts_every_term_once) {
  const std::string sum = R"(
@T.prim_func
def main(A: T.Buffer((40,), "float32"), C: T.Buffer((1,), "float32")):
    for k_0 in range(4):
        for x in range(2):
            for k_1 in range(10):
                with T.block("sum"):
                    vk = T.axis.reduce(40, k_0 * 10 + k_1)
                    with T.init():
                        C[0] = T.float32(0.0)
                    C[0] = C[0] + A[vk]
)";
  expect_broken(sum, "reduction_counts_twice", {"block sum", "loop x", "2 times"});
  expect_accepted(replaced(sum, "range(2)", "range(1)"));
  expect_broken(replaced(replaced(sum, "range(2)", "range(1)"), "reduce(40, k_0 * 10 + k_1",
                         "reduce(37, k_0 * 9 + k_1"),
                "reduction_counts_twice", {"block sum", "not true", "each value of", "vk once"});
}

TEST(VerifyKinds, counts_once_what_a_loop_around_touches_again) {
  // Element 1 comes in both iterations of i: in the second one without its init.
  const std::string sum = R"(
@T.prim_func
def main(A: T.Buffer((4, 4), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(3):
        for j in range(i, i + 4):
            for l in range(4 - j):
                with T.block("sum"):
                    vi = T.axis.spatial(4, i + l)
                    vk = T.axis.reduce(4, j)
                    with T.init():
                        C[vi] = T.float32(0.0)
                    C[vi] = C[vi] + A[vi, vk]
)";
  expect_broken(sum, "reduction_counts_twice", {"block sum", "not true", "each value of", "vk once"});
  // From the init on in every iteration, though of other elements: rows are computed again.
  expect_accepted(replaced(replaced(sum, "range(i, i + 4)", "range(4)"), "range(4 - j)", "range(2)"));
}

TEST(VerifyKinds, counts_once_whatever_the_sizes_are) {
  const std::string sum = R"(
@T.prim_func
def main(a: T.handle, c: T.handle, n: T.int64, f: T.int64):
    T.assume(f >= 1)
    m = T.int64()
    A = T.match_buffer(a, (m, n), "float32")
    C = T.match_buffer(c, (m,), "float32")
    for x in range(2):
        for i in range(m):
            for ko, ki in T.grid((n + f - 1) // f, f):
                with T.block("sum"):
                    vi = T.axis.spatial(m, i)
                    vk = T.axis.reduce(n, ko * f + ki)
                    T.where(ko * f + ki < n)
                    with T.init():
                        C[vi] = T.float32(0.0)
                    C[vi] = C[vi] + A[vi, vk]
)";
  expect_accepted(sum);
  expect_broken(replaced(replaced(sum, "reduce(n, ko * f + ki)", "reduce(n, ko + ki)"),
                         "T.where(ko * f + ki < n)", "T.where(ko + ki < n)"),
                "reduction_counts_twice", {"block sum", "not proved", "each value of", "vk once"});
}

TEST(VerifyKinds, lets_a_loop_around_repeat_a_whole_reduction) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4,), "float32")):
    for x, i, k in T.grid(3, 4, 16):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0.0)
            C[vi] = C[vi] + A[vi, vk]
)");
}

}  // namespace
}  // namespace ardea::arith
