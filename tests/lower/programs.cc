#include "programs.h"

#include <cmath>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/load.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/random.h"

namespace ardea::lower {

const std::vector<Program>& programs() {
  static const std::vector<Program> all = {
      {"gemm", R"(
@T.prim_func
def gemm(A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 3), "float32"), C: T.Buffer((7, 3), "float32")):
    for i, j, k in T.grid(7, 3, 5):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)"},
      {"rows_apart", R"(
@T.prim_func
def rows_apart(A: T.Buffer((7, 11), "float32"), C: T.Buffer((7, 5), "float32")):
    B = T.alloc_buffer((7, 11))
    for io in range(2):
        for ii, j in T.grid(4, 11):
            with T.block("B"):
                vi = T.axis.spatial(7, io * 4 + ii)
                vj = T.axis.spatial(11, j)
                T.where(io * 4 + ii < 7)
                T.block_attr({"buffer_dim_align": [[0, 0, 16, 3], [0, 1, 2, 0]]})
                B[vi, vj] = A[vi, vj] * T.float32(2.0)
        for ii, j in T.grid(4, 5):
            with T.block("C"):
                vi = T.axis.spatial(7, io * 4 + ii)
                vj = T.axis.spatial(5, j)
                T.where(io * 4 + ii < 7)
                C[vi, vj] = B[vi, vj * 2] + B[vi, 10 - vj]
)"},
      {"register_tile", R"(
@T.prim_func
def tile(A: T.Buffer((7, 5), "float32"), B: T.Buffer((5, 11), "float32"), C: T.Buffer((7, 11), "float32")):
    R = T.alloc_buffer((7, 11), "float32", scope="register")
    for io, jo in T.grid(2, 2):
        for ii in T.unroll(4):
            for ji in T.vectorized(8):
                with T.block("R_init"):
                    vi = T.axis.spatial(7, io * 4 + ii)
                    vj = T.axis.spatial(11, jo * 8 + ji)
                    T.where(io * 4 + ii < 7 and jo * 8 + ji < 11)
                    R[vi, vj] = T.float32(0.0)
        for k in range(5):
            for ii in T.unroll(4):
                for ji in T.vectorized(8):
                    with T.block("R"):
                        vi = T.axis.spatial(7, io * 4 + ii)
                        vj = T.axis.spatial(11, jo * 8 + ji)
                        vk = T.axis.reduce(5, k)
                        T.where(io * 4 + ii < 7 and jo * 8 + ji < 11)
                        R[vi, vj] = R[vi, vj] + A[vi, vk] * B[vk, vj]
        for ii in T.unroll(4):
            for ji in T.vectorized(8):
                with T.block("C"):
                    vi = T.axis.spatial(7, io * 4 + ii)
                    vj = T.axis.spatial(11, jo * 8 + ji)
                    T.where(io * 4 + ii < 7 and jo * 8 + ji < 11)
                    C[vi, vj] = T.max(R[vi, vj], T.float32(0.0))
)"},
      {"register_of_bfloat16", R"(
@T.prim_func
def rows(X: T.Buffer((6, 8), "bfloat16"), Y: T.Buffer((6,), "bfloat16")):
    for i in range(6):
        R = T.allocate([8], "bfloat16", "register")
        R_1 = T.Buffer((8,), "bfloat16", data=R, scope="register")
        R_1[0:8] = X[i, 0:8]
        Y[i] = R_1[5]
)"},
      {"growing_window", R"(
@T.prim_func
def growing(X: T.Buffer((9,), "float32"), Y: T.Buffer((9,), "float32")):
    for i in range(9):
        window = T.allocate([i + 1], "float32", "global")
        W = T.Buffer((i + 1,), data=window)
        for j in range(i + 1):
            W[j] = X[j] * T.float32(2)
        Y[i] = W[i]
)"},
      {"halo_conv", R"(
@T.prim_func
def conv(X: T.Buffer((5, 7), "float32"), W: T.Buffer((3, 3), "float32"), Y: T.Buffer((5, 7), "float32")):
    P = T.alloc_buffer((7, 9))
    for h, w in T.grid(7, 9):
        with T.block("pad"):
            vh, vw = T.axis.remap("SS", [h, w])
            P[vh, vw] = T.if_then_else(vh >= 1 and vh < 6 and vw >= 1 and vw < 8, X[vh - 1, vw - 1], T.float32(0.0))
    for h, w, kh, kw in T.grid(5, 7, 3, 3):
        with T.block("conv"):
            vh, vw, vkh, vkw = T.axis.remap("SSRR", [h, w, kh, kw])
            with T.init():
                Y[vh, vw] = T.float32(0.0)
            Y[vh, vw] = Y[vh, vw] + P[vh + vkh, vw + vkw] * W[vkh, vkw]
)"},
      {"tiled_stage", R"(
@T.prim_func
def tiled(X: T.Buffer((13, 6), "float32"), Y: T.Buffer((13, 6), "float32")):
    S = T.alloc_buffer((13, 6))
    for io in T.serial(4):
        for ii, j in T.grid(4, 6):
            with T.block("S"):
                vi = T.axis.spatial(13, io * 4 + ii)
                vj = T.axis.spatial(6, j)
                T.where(io * 4 + ii < 13)
                S[vi, vj] = X[vi, vj] * T.float32(2.0)
        for ii, j in T.grid(4, 6):
            with T.block("Y"):
                vi = T.axis.spatial(13, io * 4 + ii)
                vj = T.axis.spatial(6, j)
                T.where(io * 4 + ii < 13)
                Y[vi, vj] = S[vi, vj] + T.float32(1.0)
)"},
      {"exact_tiles", R"(
@T.prim_func
def exact(X: T.Buffer((12, 5), "float32"), Y: T.Buffer((12, 5), "float32")):
    S = T.alloc_buffer((12, 5))
    for io in T.parallel(3):
        for ii, j in T.grid(4, 5):
            with T.block("S"):
                vi = T.axis.spatial(12, io * 4 + ii)
                vj = T.axis.spatial(5, j)
                S[vi, vj] = X[vi, vj] * T.float32(2.0)
        for ii, j in T.grid(4, 5):
            with T.block("Y"):
                vi = T.axis.spatial(12, io * 4 + ii)
                vj = T.axis.spatial(5, j)
                Y[vi, vj] = S[vi, vj] + T.float32(1.0)
)"},
      {"carried_buffer", R"(
@T.prim_func
def carried(X: T.Buffer((11,), "float32"), Y: T.Buffer((11,), "float32")):
    last = T.alloc_buffer((1,))
    for i in range(11):
        with T.block("first"):
            vi = T.axis.opaque(11, i)
            T.where(i == 0)
            last[0] = X[vi]
        with T.block("Y"):
            vi = T.axis.opaque(11, i)
            Y[vi] = X[vi] - last[0]
            last[0] = X[vi]
)"},
      {"local_accumulator", R"(
@T.prim_func
def local(X: T.Buffer((6, 9), "float32"), Y: T.Buffer((6,), "float32")):
    acc = T.alloc_buffer((6,))
    for i in range(6):
        for k in range(9):
            with T.block("acc"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    acc[vi] = T.float32(0.0)
                acc[vi] = acc[vi] + X[vi, vk]
        with T.block("Y"):
            vi = T.axis.spatial(6, i)
            Y[vi] = acc[vi] * T.float32(0.5)
)"},
      {"carried_reduction", R"(
@T.prim_func
def partial(X: T.Buffer((9,), "float32"), Y: T.Buffer((9,), "float32")):
    acc = T.alloc_buffer((1,))
    for k in range(9):
        with T.block("acc"):
            vk = T.axis.reduce(9, k)
            with T.init():
                acc[0] = T.float32(0.0)
            acc[0] = acc[0] + X[vk]
        with T.block("Y"):
            vk = T.axis.spatial(9, k)
            Y[vk] = acc[0]
)"},
      {"wide_values", R"(
@T.prim_func
def wide(X: T.Buffer((7,), "float32"), Y: T.Buffer((7,), "float32"), Z: T.Buffer((7,), "int64")):
    for i in range(7):
        with T.block("Y"):
            vi = T.axis.spatial(7, i)
            Y[vi] = X[(vi * 600000000 + 4) // 600000001]
            Z[vi] = vi * 600000000
)"},
      {"matched_window", R"(
@T.prim_func
def windows(X: T.Buffer((6, 8), "float32"), Y: T.Buffer((6, 8), "float32")):
    for io, jo in T.grid(2, 2):
        with T.block("tile"):
            vi, vj = T.axis.remap("SS", [io, jo])
            T.reads(X[vi * 3:vi * 3 + 3, vj * 4:vj * 4 + 4])
            T.writes(Y[vi * 3:vi * 3 + 3, vj * 4:vj * 4 + 4])
            S = T.match_buffer(X[vi * 3:vi * 3 + 3, vj * 4:vj * 4 + 4], (3, 4))
            D = T.match_buffer(Y[vi * 3:vi * 3 + 3, vj * 4:vj * 4 + 4], (3, 4))
            for i, j in T.grid(3, 4):
                with T.block("copy"):
                    vx, vy = T.axis.remap("SS", [i, j])
                    D[vx, vy] = S[vx, vy] + T.float32(1.0)
)"},
      {"symbolic",
       R"(
@T.prim_func
def symbolic(a: T.handle, b: T.handle, c: T.handle):
    m = T.int64()
    n = T.int64()
    k = T.int64()
    A = T.match_buffer(a, (m, k), "float32")
    B = T.match_buffer(b, (k, n), "float32")
    C = T.match_buffer(c, (m, n), "float32")
    S = T.alloc_buffer((m, n))
    for i in T.parallel(m):
        for j, r in T.grid(n, k):
            with T.block("S"):
                vi, vj, vr = T.axis.remap("SSR", [i, j, r])
                with T.init():
                    S[vi, vj] = T.float32(0.0)
                S[vi, vj] = S[vi, vj] + A[vi, vr] * B[vr, vj]
    for i, j in T.grid(m, n):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(S[vi, vj], T.float32(0.0))
)",
       {{"m", 5}, {"n", 1}, {"k", 7}}},
      {"gather",
       R"(
@T.prim_func
def gather(index: T.Buffer((9,), "int32"), X: T.Buffer((7, 3), "float32"), Y: T.Buffer((9, 3), "float32")):
    for i, j in T.grid(9, 3):
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = T.if_then_else(index[vi] >= 0, X[index[vi], vj], T.float32(-1.0))
)",
       {},
       6,
       -3},
      {"bfloat16", R"(
@T.prim_func
def narrow(A: T.Buffer((5, 7), "bfloat16"), B: T.Buffer((5, 7), "bfloat16"), s: T.bfloat16, C: T.Buffer((5, 7), "bfloat16"), D: T.Buffer((5, 7), "bool")):
    S = T.alloc_buffer((5, 7), "bfloat16")
    for i, j in T.grid(5, 7):
        with T.block("S"):
            vi, vj = T.axis.remap("SS", [i, j])
            S[vi, vj] = A[vi, vj] * B[vi, vj] + A[vi, vj] / (B[vi, vj] + s)
    for i, j in T.grid(5, 7):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(T.fma(S[vi, vj], s, A[vi, vj]), -S[vi, vj]) - T.Cast("bfloat16", vi * 1000003)
            D[vi, vj] = S[vi, vj] < A[vi, vj]
)"},
      {"float16", R"(
@T.prim_func
def narrow(A: T.Buffer((5, 7), "float16"), B: T.Buffer((5, 7), "float16"), s: T.float16, C: T.Buffer((5, 7), "float16")):
    for i, j in T.grid(5, 7):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.min(T.fma(A[vi, vj], s, B[vi, vj]), A[vi, vj] * B[vi, vj] - s) + T.sqrt(T.abs(A[vi, vj]))
)"},
      {"storage_types", R"(
@T.prim_func
def storage(E: T.Buffer((3, 5), "float8_e4m3"), F: T.Buffer((3, 5), "float8_e5m2"), G: T.Buffer((3, 5), "int4"), H: T.Buffer((3, 5), "uint4"), X: T.Buffer((3, 5), "float32"), Y: T.Buffer((3, 5), "float8_e5m2"), Z: T.Buffer((3, 5), "int4"), V: T.Buffer((3, 5), "uint4")):
    S = T.alloc_buffer((3, 5), "int4")
    for i in T.parallel(3):
        for j in range(5):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                S[vi, vj] = T.Cast("int4", T.Cast("int32", G[vi, vj]) + T.Cast("int32", H[vi, vj]))
                X[vi, vj] = T.Cast("float32", E[vi, vj]) + T.Cast("float32", F[vi, vj]) + T.Cast("float32", S[vi, vj])
                Y[vi, vj] = T.Cast("float8_e5m2", T.Cast("float32", E[vi, vj]) * T.float32(3.0))
                Z[vi, vj] = T.Cast("int4", T.Cast("float32", E[vi, vj]) * T.float32(5.0))
                V[vi, vj] = T.Cast("uint4", T.Cast("float16", F[vi, vj]) * T.float16(2.0))
)"},
      {"integers", R"(
@T.prim_func
def integers(A: T.Buffer((17,), "int8"), B: T.Buffer((17,), "uint16"), C: T.Buffer((17,), "int64"), D: T.Buffer((17,), "uint8"), n: T.int32, E: T.Buffer((17,), "float64")):
    for i in range(17):
        with T.block("C"):
            vi = T.axis.spatial(17, i)
            C[vi] = T.Cast("int64", A[vi]) // (T.Cast("int64", B[vi] % T.uint16(5)) + T.int64(1)) + T.Cast("int64", n)
            D[vi] = T.Cast("uint8", A[vi]) << T.uint8(3)
            E[vi] = T.Cast("float64", vi * 3 - 20) / T.float64(7.0)
)"},
      {"aliases", R"(
@T.prim_func
def aliases(X: T.Buffer((19,), "float32"), Y: T.Buffer((19,), "float32")):
    S = T.allocate([20], "float32", "global")
    S_1 = T.Buffer((20,), data=S)
    for i in range(20):
        if i < 19:
            S_1[i] = X[i] * T.float32(2.0)
        else:
            S_1[i] = T.float32(0.0)
    S_2 = T.Buffer((4, 5), data=S)
    for i, j in T.grid(4, 5):
        if i * 5 + j < 19:
            Y[i * 5 + j] = S_2[i, j] + S_1[i * 5 + j + 1]
)"},
      {"strided_view", R"(
@T.prim_func
def strided(X: T.Buffer((30,), "float32"), Y: T.Buffer((4, 3), "float32")):
    V = T.Buffer((4, 3), data=X.data, strides=(7, 2), elem_offset=1)
    for i, j in T.grid(4, 3):
        Y[i, j] = V[i, j] + T.float32(1.0)
)"},
      {"loop_kinds", R"(
@T.prim_func
def kinds(X: T.Buffer((3, 4, 2, 2), "float32"), Y: T.Buffer((3, 4, 2, 2), "float32")):
    for i in T.parallel(3):
        for j in T.parallel(4):
            for k in T.unroll(2):
                for l in T.vectorized(2):
                    with T.block("Y"):
                        a, b, c, d = T.axis.remap("SSSS", [i, j, k, l])
                        Y[a, b, c, d] = X[a, b, c, d] * T.float32(3.0)
)"},
      {"thread_loops", R"(
@T.prim_func
def threads(X: T.Buffer((6, 8), "float32"), Y: T.Buffer((6, 8), "float32")):
    S = T.alloc_buffer((6, 8), scope="shared")
    for i in T.thread_binding(6, thread="blockIdx.x"):
        for j in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                S[vi, vj] = X[vi, vj]
        for j in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = S[vi, 7 - vj]
)"},
      {"vectors", R"(
@T.prim_func
def vectors(X: T.Buffer((5, 8), "float32"), Y: T.Buffer((5, 8), "bfloat16"), Z: T.Buffer((5, 8), "int4")):
    for i in range(5):
        Y[i, T.Ramp(0, 1, 8)] = T.Cast("bfloat16x8", X[i, T.Ramp(7, -1, 8)] * T.Broadcast(T.float32(1.5), 8))
        Z[i, T.Ramp(0, 1, 8)] = T.Cast("int4x8", X[i, T.Ramp(0, 1, 8)] * T.Broadcast(T.float32(9.0), 8))
)"},
      {"instruction", R"(
@T.prim_func
def dots(A: T.Buffer((5, 8), "int8"), B: T.Buffer((3, 8), "int8"), C: T.Buffer((5, 3), "int32")):
    for i, j, k in T.grid(5, 3, 2):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(C[vi, vj], A[vi, vk * 4:vk * 4 + 4], B[vj, vk * 4:vk * 4 + 4])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.int32(0)
            T.evaluate(T.tensor_instruction("ardea.dot4_i8", T.address_of(C[vi, vj]), T.address_of(A[vi, vk * 4]), T.address_of(B[vj, vk * 4])))
)"},
      {"lanes_under_guards",
       R"(
@T.prim_func
def guards(X: T.handle, D: T.handle, y: T.handle, W: T.Buffer((5,), "float32")):
    n = T.int64()
    A = T.match_buffer(X, (n,), "int32")
    B = T.match_buffer(D, (n,), "int32")
    Y = T.match_buffer(y, (n, 5), "int32")
    for i_0 in T.parallel((n + 7) // 8):
        for j in range(5):
            for i_1 in T.vectorized(8):
                if i_0 * 8 + i_1 < n:
                    if B[i_0 * 8 + i_1] != 0 and W[j] > T.float32(-8.0):
                        Y[i_0 * 8 + i_1, j] = A[i_0 * 8 + i_1] // B[i_0 * 8 + i_1] + A[i_0 * 8] % (B[i_0 * 8 + i_1] * 3)
                    else:
                        Y[i_0 * 8 + i_1, j] = T.if_then_else(B[n - 1] != 0, 7 // B[n - 1], A[i_0 * 8 + i_1])
)",
       {{"n", 29}},
       1,
       -1},
      {"guards_of_every_kind",
       R"(
@T.prim_func
def guards(Y: T.Buffer((13, 11, 24), "int32"), m: T.int64, o: T.int64):
    for i in range(11):
        for j in range(24):
            for t in T.unroll(13):
                Y[t, i, j] = T.int32(0)
    for i in range(11):
        for j in T.unroll(5):
            if i * 2 + j <= m + 6:
                Y[0, i, j] = T.int32(1)
            if i * 2 + j > m + 6:
                Y[1, i, j] = T.int32(1)
            if m - i * 2 - j >= -6:
                Y[2, i, j] = T.int32(1)
            if 9 - i * 3 + j < 0:
                Y[3, i, j] = T.int32(1)
            if i != 4:
                Y[4, i, j] = T.int32(1)
            if j == 10 - i * 2 and j < o:
                Y[5, i, j] = T.int32(1)
            if not (i * 5 + j > 12 or i - o > 3):
                Y[6, i, j] = T.int32(1)
            if 20 - i * 4 <= j:
                Y[7, i, j] = T.int32(1)
    for i_0 in T.parallel(4):
        for j_0 in range(4):
            for i_1 in range(3):
                for j_1 in T.vectorized(6):
                    if i_0 * 3 + i_1 < 11 and 23 - j_0 * 6 - j_1 >= o + 8:
                        Y[8, i_0 * 3 + i_1, j_0 * 6 + j_1] = T.int32(1)
    for i in range(2, 11):
        for j in T.vectorized(24):
            if i * 24 + j >= 100 and i * 24 + j < 200:
                Y[9, i, j] = T.int32(1)
            else:
                Y[10, i, j] = T.int32(2)
)"},
      {"lanes_of_storage_types", R"(
@T.prim_func
def storage(E: T.Buffer((37,), "float8_e4m3"), F: T.Buffer((37,), "bfloat16"), G: T.Buffer((37,), "int4"), H: T.Buffer((37,), "float16"), B: T.Buffer((37,), "bool"), X: T.Buffer((37,), "float32"), Y: T.Buffer((37,), "float8_e5m2"), Z: T.Buffer((37,), "int4"), V: T.Buffer((37,), "bfloat16"), C: T.Buffer((37,), "bool")):
    for i in T.vectorized(37):
        X[i] = T.Cast("float32", E[i]) + T.Cast("float32", F[36 - i]) * T.Cast("float32", G[i])
        Y[i] = T.Cast("float8_e5m2", X[i] * T.float32(3.0))
        V[i] = F[i] * T.Cast("bfloat16", H[i]) - F[0]
        if B[i] or X[i] < T.float32(0.0):
            Z[i] = T.Cast("int4", G[i])
            C[i] = not B[i]
        else:
            Z[i] = T.Cast("int4", T.Cast("int32", H[i] * T.float16(2.0)))
            C[i] = X[i] == T.float32(1.0)
)"},
      {"lanes_with_serial_rests", R"(
@T.prim_func
def rests(index: T.Buffer((13,), "int32"), X: T.Buffer((13, 4), "float32"), Y: T.Buffer((13, 4), "float32")):
    for i in T.vectorized(13):
        row: T.float32 = X[i, 0]
        for k in range(4):
            Y[i, k] = X[i, k] - row
        for k in range(i % 4):
            Y[i, k] = Y[i, k] * T.float32(2.0)
        total = T.allocate([1], "float32", "global")
        total_1 = T.Buffer((1,), data=total)
        total_1[0] = row
        for k in range(4):
            total_1[0] = total_1[0] + Y[i, k]
        assert index[i] < 100, "an index is too large"
        if index[i] > 0:
            Y[i, 3] = total_1[0]
)"},
      {"functions",
       R"(
@T.prim_func
def functions(X: T.Buffer((41,), "float32"), Y: T.Buffer((41,), "float32"), Z: T.Buffer((41,), "float16"), B: T.Buffer((41,), "bool"), W: T.Buffer((41,), "float32")):
    for i in T.vectorized(41):
        with T.block("Y"):
            vi = T.axis.spatial(41, i)
            W[vi] = T.sigmoid(T.Cast("float32", vi) * T.float32(-2.5))
            Y[vi] = T.sigmoid(X[vi] * T.float32(40.0)) + T.rsqrt(T.abs(X[vi]) + T.float32(0.5))
            Z[vi] = T.sigmoid(T.Cast("float16", X[vi]))
            B[vi] = T.isfinite(X[vi]) and not T.isnan(X[vi]) and not T.isinf(X[vi] / T.float32(0.0))
)",
       {},
       7,
       -8,
       true},
      {"pipeline",
       R"(
@T.prim_func
def pipeline(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n, 3), "float32")
    Y = T.match_buffer(y, (n, 3), "float32")
    A = T.alloc_buffer((n, 3))
    B = T.alloc_buffer((3,))
    for i in T.serial(2, n // 2 + 2, annotations={"software_pipeline_stage": [0, 1, 3], "software_pipeline_order": [2, 0, 1]}):
        for j in range(3):
            with T.block("A"):
                vi = T.axis.spatial(n, i - 2)
                vj = T.axis.spatial(3, j)
                A[vi, vj] = X[vi, vj] * T.float32(2.0)
        for j in range(3):
            with T.block("B"):
                vi = T.axis.opaque(n, i - 2)
                vj = T.axis.opaque(3, j)
                B[vj] = A[vi, 2 - vj] + T.float32(1.0)
        for j in range(3):
            with T.block("Y"):
                vi = T.axis.spatial(n, i - 2)
                vj = T.axis.spatial(3, j)
                Y[vi, vj] = B[vj] * A[vi, vj]
)",
       {{"n", 4}}},
      {"double_buffer", R"(
@T.prim_func
def double_buffer(X: T.Buffer((7, 5), "float32"), W: T.Buffer((5,), "float32"), Y: T.Buffer((5,), "float32")):
    P = T.alloc_buffer((5,))
    for k in range(7):
        for j in T.vectorized(5):
            with T.block("P"):
                vk = T.axis.opaque(7, k)
                vj = T.axis.opaque(5, j)
                T.block_attr({"double_buffer_scope": 0})
                P[vj] = X[vk, vj] * W[vj]
        for j in range(5):
            with T.block("Y"):
                vj = T.axis.spatial(5, j)
                vk = T.axis.reduce(7, k)
                with T.init():
                    Y[vj] = T.float32(0.0)
                Y[vj] = Y[vj] + P[4 - vj]
)"},
      {"stages_in_turn",
       R"(
@T.prim_func
def stages(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n, 5), "float32")
    Y = T.match_buffer(y, (n, 5), "float32")
    A = T.alloc_buffer((n, 5))
    B = T.alloc_buffer((n, 5))
    C = T.alloc_buffer((n, 5))
    D = T.alloc_buffer((n, 5))
    for i, j in T.grid(n, 5):
        with T.block("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = X[vi, vj] * T.float32(2.0)
    for i in T.parallel(n):
        for j in T.vectorized(5):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1.0)
    for i, j in T.grid(n, 5):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[n - 1 - vi, vj] + A[vi, vj]
    for i, j in T.grid(n, 5):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vi, 4 - vj]
    for i, j in T.grid(n, 5):
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = D[vi, vj] * C[vi, vj]
)",
       {{"n", 6}}},
  };
  return all;
}

Function function_of(const std::string& text) {
  const Module module = arith::load_program(text, "program");
  EXPECT_EQ(module.functions.size(), 1u);
  return module.functions[0];
}

Function function_of(const Program& program) { return function_of(program.text); }

namespace {

void fill(const runtime::Array& array, const Program& program, Random& random) {
  for (std::int64_t i = 0; i < array.element_count(); ++i) {
    if (array.type().is_float())
      array.set_float(i, std::ldexp(random.real() * 2 - 1, static_cast<int>(random.integer(-4, 4))));
    else
      array.set_int(i, random.integer(program.smallest_integer, program.largest_integer));
  }
}

}  // namespace

std::vector<interp::Argument> arguments_of(const Function& f, const Program& program, std::uint64_t seed) {
  Random random(seed);
  std::vector<interp::Argument> arguments;
  for (const Parameter& p : f.parameters) {
    if (!p.buffer) {
      if (p.var.type().is_float())
        arguments.emplace_back(random.real() + 0.5);
      else
        arguments.emplace_back(random.integer(p.var.type().is_int() ? program.smallest_integer : 0,
                                              p.var.type().is_bool() ? 1 : program.largest_integer));
      continue;
    }
    std::vector<std::int64_t> shape;
    for (const Expr& extent : p.buffer->shape) {
      Expr value = extent;
      for (const Var& size : free_variables(extent))
        value = substitute(value, size, make_int(program.sizes.at(size.name()), size.type()));
      shape.push_back(constant_int(arith::Analyzer().simplify(value)).value());
    }
    const runtime::Array array = runtime::Array::zeros(shape, p.buffer->type);
    fill(array, program, random);
    arguments.emplace_back(array);
  }
  return arguments;
}

std::vector<interp::Argument> copies(const std::vector<interp::Argument>& arguments) {
  std::vector<interp::Argument> out;
  for (const interp::Argument& a : arguments) {
    const auto* array = std::get_if<runtime::Array>(&a);
    out.push_back(array != nullptr ? interp::Argument(array->copy()) : a);
  }
  return out;
}

std::string difference(const std::vector<interp::Argument>& a, const std::vector<interp::Argument>& b,
                       int units) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto* x = std::get_if<runtime::Array>(&a[i]);
    const auto* y = std::get_if<runtime::Array>(&b[i]);
    if (x == nullptr) continue;
    for (std::int64_t e = 0; e < x->element_count(); ++e) {
      if (x->get_bits(e) == y->get_bits(e)) continue;
      const double u = x->get_float(e), v = y->get_float(e);
      if (x->type().is_float() && std::isnan(u) && std::isnan(v)) continue;
      const auto apart =
          static_cast<std::int64_t>(x->get_bits(e)) - static_cast<std::int64_t>(y->get_bits(e));
      if (x->type().is_float() && std::abs(apart) <= units) continue;
      return fmt::format("argument {} element {}: {} and {}", i, e, u, v);
    }
  }
  return {};
}

}  // namespace ardea::lower
