#include "programs.h"
#include "tests/support/product_text.h"

namespace ardea::lower {

namespace {

std::vector<Program> plain_programs() {
  return {
      {"gemm", test::product_text(7, 5, 3)},
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
  };
}

}  // namespace

const std::vector<Program>& programs() {
  static const std::vector<Program> all = [] {
    std::vector<Program> list = plain_programs();
    for (const std::vector<Program>& more : {lane_programs(), memory_programs()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

}  // namespace ardea::lower
