#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/support/text_file.h"
#include "tests/arith/laws.h"

/// Programs that are legal, and that a check which guesses would refuse.

namespace ardea::arith {
namespace {

TEST(VerifyAccepts, a_convolution_over_padding_under_if_then_else) {
  expect_accepted(R"(
@T.prim_func
def main(X: T.Buffer((13, 17), "float32"), W: T.Buffer((3, 3), "float32"), Y: T.Buffer((7, 9), "float32")):
    P = T.alloc_buffer((15, 19))
    for h, w in T.grid(15, 19):
        with T.block("pad"):
            vh, vw = T.axis.remap("SS", [h, w])
            T.reads(X[vh - 1, vw - 1])
            T.writes(P[vh, vw])
            P[vh, vw] = T.if_then_else(1 <= vh and vh < 14 and 1 <= vw and vw < 18, X[vh - 1, vw - 1], T.float32(0.0))
    for h, w, kh, kw in T.grid(7, 9, 3, 3):
        with T.block("conv"):
            vh, vw, vkh, vkw = T.axis.remap("SSRR", [h, w, kh, kw])
            T.reads(P[vh * 2 + vkh, vw * 2 + vkw], W[vkh, vkw])
            T.writes(Y[vh, vw])
            with T.init():
                Y[vh, vw] = T.float32(0.0)
            Y[vh, vw] = Y[vh, vw] + P[vh * 2 + vkh, vw * 2 + vkw] * W[vkh, vkw]
)");
}

TEST(VerifyAccepts, several_consumers_of_one_producer) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            v = T.axis.spatial(16, i)
            B[v] = A[v] * T.float32(2.0)
    for i in range(16):
        with T.block("C"):
            v = T.axis.spatial(16, i)
            C[v] = B[v]
    for i in range(16):
        with T.block("D"):
            v = T.axis.spatial(16, i)
            D[v] = B[15 - v]
)");
}

TEST(VerifyAccepts, a_reduction_with_two_results) {
  expect_accepted(R"(
@T.prim_func
def main(X: T.Buffer((23, 41), "float32"), index: T.Buffer((23,), "int32"), value: T.Buffer((23,), "float32")):
    for i, j in T.grid(23, 41):
        with T.block("argmax"):
            vi, vj = T.axis.remap("SR", [i, j])
            T.reads(X[vi, vj])
            T.writes(index[vi], value[vi])
            with T.init():
                index[vi] = T.int32(-1)
                value[vi] = T.min_value("float32")
            index[vi] = T.Select(X[vi, vj] > value[vi], T.Cast("int32", vj), index[vi])
            value[vi] = T.max(value[vi], X[vi, vj])
)");
}

TEST(VerifyAccepts, a_reduction_that_writes_under_a_condition) {
  expect_accepted(R"(
@T.prim_func
def main(X: T.Buffer((23, 41), "float32"), index: T.Buffer((23,), "int64"), value: T.Buffer((23,), "float32")):
    for i, j in T.grid(23, 41):
        with T.block("argmax"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                index[vi] = T.int64(-1)
                value[vi] = T.min_value("float32")
            if X[vi, vj] > value[vi]:
                index[vi] = vj
                value[vi] = X[vi, vj]
)");
}

TEST(VerifyAccepts, an_update_in_place) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((16, 3), "float32")):
    for i, j in T.grid(16, 3):
        with T.block("scale"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(A[vi, vj])
            A[vi, vj] = A[vi, vj] * T.float32(2.0)
)");
}

TEST(VerifyAccepts, splits_that_do_not_divide) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((37, 29), "float32"), B: T.Buffer((37, 29), "float32")):
    for i_0, j_0, i_1, j_1 in T.grid(5, 4, 8, 8):
        with T.block("B"):
            vi = T.axis.spatial(37, i_0 * 8 + i_1)
            vj = T.axis.spatial(29, j_0 * 8 + j_1)
            T.where(i_0 * 8 + i_1 < 37 and j_0 * 8 + j_1 < 29)
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj]
)");
}

TEST(VerifyAccepts, symbolic_shapes) {
  expect_accepted(R"(
@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle):
    m = T.int64()
    n = T.int64()
    k = T.int64()
    A = T.match_buffer(a, (m, k))
    B = T.match_buffer(b, (k, n))
    C = T.match_buffer(c, (m, n))
    for i_0, j, r, i_1 in T.grid((m + 7) // 8, n, k, 8):
        with T.block("C"):
            vi = T.axis.spatial(m, i_0 * 8 + i_1)
            vj, vr = T.axis.remap("SR", [j, r])
            T.where(i_0 * 8 + i_1 < m)
            T.reads(A[vi, vr], B[vr, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vr] * B[vr, vj]
)");
}

TEST(VerifyAccepts, strides_that_the_caller_s_array_decides) {
  const Function f = parse_function(R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((3, 4), "float32")):
    lda = T.int64()
    A = T.match_buffer(a, (3, 4), "float32", strides=[lda, 1])
    for i, j in T.grid(3, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)");
  expect_accepted(f);
  // Unlike an extent, a stride may be 0: rows that are all the same.
  const Var lda = shape_variables(f)[0];
  EXPECT_EQ(facts_of(f).prove(lda >= make_int(1)), Proof::unknown);
}

TEST(VerifyAccepts, symbolic_strides_that_tell_elements_apart) {
  expect_accepted(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    m = T.int64()
    n = T.int64()
    A = T.match_buffer(a, (m, n))
    B = T.match_buffer(b, (m * n,))
    for i, j in T.grid(m, n):
        with T.block("flat"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * n + vj] = A[vi, vj]
)");
}

TEST(VerifyAccepts, buffers_without_dimensions) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), S: T.Buffer((), "float32")):
    for i in range(16):
        with T.block("sum"):
            v = T.axis.reduce(16, i)
            T.reads(A[v])
            T.writes(S[()])
            with T.init():
                S[()] = T.float32(0.0)
            S[()] = S[()] + A[v]
)");
}

TEST(VerifyAccepts, blocks_inside_blocks) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 32), "float32"), C: T.Buffer((32, 32), "float32")):
    for i, j, k in T.grid(2, 2, 4):
        with T.block("tile"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi * 16:vi * 16 + 16, vk * 16:vk * 16 + 16], B[vk * 16:vk * 16 + 16, vj * 16:vj * 16 + 16])
            T.writes(C[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            with T.init():
                for x, y in T.grid(16, 16):
                    with T.block("zero"):
                        vx, vy = T.axis.remap("SS", [x, y])
                        T.reads()
                        T.writes(C[vi * 16 + vx, vj * 16 + vy])
                        C[vi * 16 + vx, vj * 16 + vy] = T.float32(0.0)
            for x, y, z in T.grid(16, 16, 16):
                with T.block("mma"):
                    vx, vy, vz = T.axis.remap("SSR", [x, y, z])
                    T.reads(C[vi * 16 + vx, vj * 16 + vy], A[vi * 16 + vx, vk * 16 + vz], B[vk * 16 + vz, vj * 16 + vy])
                    T.writes(C[vi * 16 + vx, vj * 16 + vy])
                    C[vi * 16 + vx, vj * 16 + vy] = C[vi * 16 + vx, vj * 16 + vy] + A[vi * 16 + vx, vk * 16 + vz] * B[vk * 16 + vz, vj * 16 + vy]
)");
}

TEST(VerifyAccepts, aliases_declared_in_a_block) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    with T.block("flat"):
        T.reads(A[0:4, 0:4])
        T.writes(B[0:4, 0:4])
        A_1 = T.Buffer((16,), data=A.data)
        B_1 = T.Buffer((16,), data=B.data)
        for i in range(16):
            B_1[i] = A_1[i]
)");
}

TEST(VerifyAccepts, matched_parts_of_buffers) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 16), "float32")):
    for i in range(8):
        with T.block("tile"):
            v = T.axis.spatial(8, i)
            T.reads(A[v * 4:v * 4 + 4, 0:16])
            T.writes(B[v * 4:v * 4 + 4, 0:16])
            A_1 = T.match_buffer(A[v * 4:v * 4 + 4, 0:16], (4, 16))
            B_1 = T.match_buffer(B[v * 4:v * 4 + 4, 0:16], (4, 16))
            for x, y in T.grid(4, 16):
                B_1[x, y] = A_1[x, y]
)");
}

TEST(VerifyAccepts, two_outputs_that_share_iterators) {
  expect_accepted(R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("both"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vj, vi] = A[vi, vj]
            C[vi, vj] = A[vi, vj] + T.float32(1.0)
)");
}

TEST(VerifyAccepts, a_fused_symbolic_reduction_beside_a_guarded_split) {
  expect_accepted(R"(
@T.prim_func
def main(x: T.handle, y: T.handle):
    n = T.int64()
    m = T.int64()
    X = T.match_buffer(x, (m, n), "float32")
    Y = T.match_buffer(y, (n, m), "float32")
    for i0, i1, i2, i3, i4 in T.grid((n + 3) // 4, 2, 2, m, n * n):
        with T.block("Y"):
            v0 = T.axis.spatial(n, i0 * 4 + i1 * 2 + i2)
            v1 = T.axis.spatial(m, i3)
            k0 = T.axis.reduce(n, i4 // n)
            k1 = T.axis.reduce(n, i4 % n)
            T.where(i0 * 4 + i1 * 2 + i2 < n)
            with T.init():
                Y[v0, v1] = T.float32(0.0)
            Y[v0, v1] = Y[v0, v1] + X[v1, k0] * X[v1, k1]
)");
}

TEST(VerifyAccepts, the_rest_of_a_cut_loop) {
  expect_accepted(R"(
@T.prim_func
def main(x: T.handle, Y: T.Buffer((4,), "float32")):
    n = T.int64()
    X = T.match_buffer(x, (4, n), "float32")
    for i in range(4):
        for k_rest in range(n % 8):
            with T.block("Y"):
                vi = T.axis.spatial(4, i)
                vk = T.axis.reduce(n, n // 8 * 8 + k_rest)
                Y[vi] = Y[vi] + X[vi, vk]
)");
}

/// One end follows from the condition, the other from the loops alone.
TEST(VerifyAccepts, a_mirrored_place_behind_a_guard) {
  expect_accepted(R"(
@T.prim_func
def main(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n + 3,), "float32")
    Y = T.match_buffer(y, (n,), "float32")
    for i in range(n + 3):
        for k in range(T.min(T.min(i + 1, n * 2 - i + 3), n + 2) - T.min(i + 1, n * 2 - i + 3) + 1):
            with T.block("X"):
                v = T.axis.opaque(n + 3, T.min(i + 1, n * 2 - i + 3) + k)
                T.where(T.min(i + 1, n * 2 - i + 3) + k < n + 3)
                X[v] = T.float32(0.5)
)");
}

TEST(VerifyAccepts, every_example) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ARDEA_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".tir") continue;
    ++count;
    SCOPED_TRACE(entry.path().string());
    for (const Function& f : parse(read_text_file(entry.path()), entry.path().string()).functions)
      expect_accepted(f);
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace ardea::arith
