#include "thread_programs.h"

#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"

namespace ardea::lower {

namespace {

std::vector<ThreadProgram> sharing() {
  return {
      {{"neighbours", R"(
@T.prim_func
def neighbours(X: T.Buffer((6, 8), "float32"), Y: T.Buffer((6, 8), "float32")):
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
       1},
      {{"each_reads_its_own", R"(
@T.prim_func
def own(X: T.Buffer((6, 8), "float32"), Y: T.Buffer((6, 8), "float32")):
    S = T.alloc_buffer((6, 8), scope="shared")
    for i in T.thread_binding(6, thread="blockIdx.x"):
        for j in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                S[vi, vj] = X[vi, vj]
        for j in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = S[vi, vj] + T.float32(1.0)
)"},
       0},
      // Sibling nests of 5, 12 and 7 threads: one launch of 12.
      {{"siblings_of_other_extents", R"(
@T.prim_func
def siblings(X: T.Buffer((3, 12), "int32"), Y: T.Buffer((3, 7), "int32")):
    A = T.alloc_buffer((3, 5), "int32", scope="shared")
    B = T.alloc_buffer((3, 12), "int32", scope="shared")
    for b in T.thread_binding(3, thread="blockIdx.x"):
        for t in T.thread_binding(5, thread="threadIdx.x"):
            with T.block("A"):
                vb, vt = T.axis.remap("SS", [b, t])
                A[vb, vt] = X[vb, vt + 7]
        for t in T.thread_binding(12, thread="threadIdx.x"):
            with T.block("B"):
                vb, vt = T.axis.remap("SS", [b, t])
                B[vb, vt] = X[vb, vt] + A[vb, vt % 5]
        for t in T.thread_binding(7, thread="threadIdx.x"):
            with T.block("Y"):
                vb, vt = T.axis.remap("SS", [b, t])
                Y[vb, vt] = B[vb, vt + 5] * A[vb, 3]
)"},
       2},
      // One thread adds up what all read after it; what it overwrites, they have read before.
      {{"one_for_all", R"(
@T.prim_func
def one_for_all(X: T.Buffer((4, 9), "int32"), Y: T.Buffer((4, 9), "int32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        S = T.allocate([1], "int32", "shared")
        S_1 = T.Buffer((1,), "int32", data=S, scope="shared")
        for r in range(2):
            S_1[0] = 0
            for k in range(9):
                S_1[0] = S_1[0] + X[b * 2 + r, k]
            for t in T.thread_binding(9, thread="threadIdx.x"):
                Y[b * 2 + r, t] = X[b * 2 + r, t] * S_1[0]
)"},
       2},
      {{"through_global_memory", R"(
@T.prim_func
def through_global(X: T.Buffer((3, 10), "int32"), W: T.Buffer((3, 10), "int32"), Y: T.Buffer((3, 10), "int32")):
    for b in T.thread_binding(3, thread="blockIdx.y"):
        for t in T.thread_binding(10, thread="threadIdx.y"):
            W[b, t] = X[b, t] + 1
        for t in T.thread_binding(10, thread="threadIdx.y"):
            Y[b, 9 - t] = W[b, t] + W[b, (t + 3) % 10]
)"},
       1},
      {{"tree", R"(
@T.prim_func
def tree(X: T.Buffer((5, 16), "int32"), Y: T.Buffer((5,), "int32")):
    for b in T.thread_binding(5, thread="blockIdx.x"):
        S = T.allocate([16], "int32", "shared")
        S_1 = T.Buffer((16,), "int32", data=S, scope="shared")
        for t in T.thread_binding(16, thread="threadIdx.x"):
            S_1[t] = X[b, t]
        for t in T.thread_binding(8, thread="threadIdx.x"):
            S_1[t] = S_1[t] + S_1[t + 8]
        for t in T.thread_binding(4, thread="threadIdx.x"):
            S_1[t] = S_1[t] + S_1[t + 4]
        for t in T.thread_binding(2, thread="threadIdx.x"):
            S_1[t] = S_1[t] + S_1[t + 2]
        for t in T.thread_binding(1, thread="threadIdx.x"):
            Y[b] = S_1[t] + S_1[t + 1]
)"},
       4},
  };
}

std::vector<ThreadProgram> nests() {
  return {
      // 13 x 11 x 7 in tiles of 8 x 4 x 3, on 4 x 2 threads that copy by other loops than they compute.
      {{"tiled_product", R"(
@T.prim_func
def tiled(A: T.Buffer((13, 7), "float32"), B: T.Buffer((7, 11), "float32"), C: T.Buffer((13, 11), "float32")):
    A_s = T.alloc_buffer((13, 7), scope="shared")
    B_s = T.alloc_buffer((7, 11), scope="shared")
    C_l = T.alloc_buffer((13, 11), scope="local")
    for by in T.thread_binding(2, thread="blockIdx.y"):
        for bx in T.thread_binding(3, thread="blockIdx.x"):
            for ty in T.thread_binding(4, thread="threadIdx.y"):
                for tx in T.thread_binding(2, thread="threadIdx.x"):
                    for i, j in T.grid(2, 2):
                        with T.block("C_init"):
                            vi = T.axis.spatial(13, by * 8 + ty * 2 + i)
                            vj = T.axis.spatial(11, bx * 4 + tx * 2 + j)
                            T.where(by * 8 + ty * 2 + i < 13 and bx * 4 + tx * 2 + j < 11)
                            C_l[vi, vj] = T.float32(0.0)
            for ko in range(3):
                for ty in T.thread_binding(4, thread="threadIdx.y"):
                    for tx in T.thread_binding(2, thread="threadIdx.x"):
                        for e in range(3):
                            with T.block("A_s"):
                                vi = T.axis.spatial(13, by * 8 + ty * 2 + tx)
                                vk = T.axis.spatial(7, ko * 3 + e)
                                T.where(by * 8 + ty * 2 + tx < 13 and ko * 3 + e < 7)
                                A_s[vi, vk] = A[vi, vk]
                for ty in T.thread_binding(3, thread="threadIdx.y"):
                    for tx in T.thread_binding(2, thread="threadIdx.x"):
                        for e in T.vectorized(2):
                            with T.block("B_s"):
                                vk = T.axis.spatial(7, ko * 3 + ty)
                                vj = T.axis.spatial(11, bx * 4 + tx * 2 + e)
                                T.where(ko * 3 + ty < 7 and bx * 4 + tx * 2 + e < 11)
                                B_s[vk, vj] = B[vk, vj]
                for ty in T.thread_binding(4, thread="threadIdx.y"):
                    for tx in T.thread_binding(2, thread="threadIdx.x"):
                        for ki, i, j in T.grid(3, 2, 2):
                            with T.block("C_update"):
                                vi = T.axis.spatial(13, by * 8 + ty * 2 + i)
                                vj = T.axis.spatial(11, bx * 4 + tx * 2 + j)
                                vk = T.axis.reduce(7, ko * 3 + ki)
                                T.where(by * 8 + ty * 2 + i < 13 and bx * 4 + tx * 2 + j < 11 and ko * 3 + ki < 7)
                                C_l[vi, vj] = C_l[vi, vj] + A_s[vi, vk] * B_s[vk, vj]
            for ty in T.thread_binding(4, thread="threadIdx.y"):
                for tx in T.thread_binding(2, thread="threadIdx.x"):
                    for i, j in T.grid(2, 2):
                        with T.block("C"):
                            vi = T.axis.spatial(13, by * 8 + ty * 2 + i)
                            vj = T.axis.spatial(11, bx * 4 + tx * 2 + j)
                            T.where(by * 8 + ty * 2 + i < 13 and bx * 4 + tx * 2 + j < 11)
                            C[vi, vj] = C_l[vi, vj]
)"},
       2},
      // Threads share a copy, each every eighth element of the flat tile.
      {{"cooperative_copy", R"(
@T.prim_func
def cooperative(A: T.Buffer((16, 12), "float32"), Y: T.Buffer((12, 16), "float32")):
    S = T.alloc_buffer((16, 12), scope="shared")
    for by in T.thread_binding(2, thread="blockIdx.y"):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for e in range(3):
                for t in T.thread_binding(8, thread="threadIdx.x"):
                    with T.block("S"):
                        vi = T.axis.spatial(16, by * 8 + (e * 8 + t) // 3)
                        vk = T.axis.spatial(12, bx * 3 + (e * 8 + t) % 3)
                        S[vi, vk] = A[vi, vk]
            for t in T.thread_binding(8, thread="threadIdx.x"):
                for k in range(3):
                    with T.block("Y"):
                        vk = T.axis.spatial(12, bx * 3 + k)
                        vi = T.axis.spatial(16, by * 8 + t)
                        Y[vk, vi] = S[vi, vk]
)"},
       1},
      // The copy of the next row runs beside the sum of this one: one barrier an iteration, and one before
      // them.
      {{"double_buffer", R"(
@T.prim_func
def double_buffer(X: T.Buffer((7, 6), "float32"), Y: T.Buffer((6,), "float32")):
    P = T.alloc_buffer((6,), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for k in T.serial(7, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
            for j in T.thread_binding(6, thread="threadIdx.x"):
                with T.block("P"):
                    vk = T.axis.opaque(7, k)
                    vj = T.axis.opaque(6, j)
                    P[vj] = X[vk, vj]
            for j in T.thread_binding(6, thread="threadIdx.x"):
                with T.block("Y"):
                    vj = T.axis.spatial(6, j)
                    vk = T.axis.reduce(7, k)
                    with T.init():
                        Y[vj] = T.float32(0.0)
                    Y[vj] = Y[vj] + P[5 - vj]
)"},
       2},
      // Loops over y inside of a loop over x that not all threads of the launch run, under a condition on x.
      {{"inner_threads_under_guards", R"(
@T.prim_func
def inner(X: T.Buffer((6, 4), "int32"), Y: T.Buffer((6, 4), "int32"), Z: T.Buffer((9,), "int32")):
    for b in T.thread_binding(1, thread="blockIdx.x"):
        S = T.allocate([6, 4], "int32", "shared")
        S_1 = T.Buffer((6, 4), "int32", data=S, scope="shared")
        for x in T.thread_binding(6, thread="threadIdx.x"):
            if x < 5:
                for y in T.thread_binding(4, thread="threadIdx.y"):
                    S_1[x, y] = X[x, y] + 1
                for y in T.thread_binding(3, thread="threadIdx.y"):
                    Y[x, y] = S_1[x, 3 - y]
            else:
                for y in T.thread_binding(4, thread="threadIdx.y"):
                    Y[x, y] = X[x, y]
        for x in T.thread_binding(9, thread="threadIdx.x"):
            Z[x] = 2
)"},
       1},
      {{"what_each_keeps", R"(
@T.prim_func
def keeps(X: T.Buffer((8,), "int32"), Y: T.Buffer((8, 3), "int32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        M = T.allocate([2], "int32", "local")
        M_1 = T.Buffer((2,), "int32", data=M, scope="local")
        L = T.allocate([8], "int32", "local")
        L_1 = T.Buffer((8,), "int32", data=L, scope="local")
        for e in range(2):
            M_1[e] = X[b * 4 + e]
        for t in T.thread_binding(4, thread="threadIdx.x"):
            L_1[b * 4 + t] = X[b * 4 + t] + M_1[1]
        for r in range(3):
            for t in T.thread_binding(4, thread="threadIdx.x"):
                L_1[b * 4 + t] = L_1[b * 4 + t] * 2 + M_1[0]
            for t in T.thread_binding(4, thread="threadIdx.x"):
                Y[b * 4 + t, r] = L_1[b * 4 + t]
)"},
       0},
      {{"open_sizes",
        R"(
@T.prim_func
def open_sizes(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n,), "float16")
    Y = T.match_buffer(y, (n,), "bfloat16")
    for b in T.thread_binding((n + 15) // 16, thread="blockIdx.x"):
        for t in T.thread_binding(8, thread="threadIdx.x"):
            for e in range(2):
                with T.block("Y"):
                    v = T.axis.spatial(n, b * 16 + t * 2 + e)
                    T.where(b * 16 + t * 2 + e < n)
                    Y[v] = T.Cast("bfloat16", T.Cast("float32", X[v]) * T.float32(0.3))
)",
        {{"n", 37}}},
       0},
      // Two launches, the second one again and again, and memory between them.
      {{"two_launches", R"(
@T.prim_func
def two_launches(X: T.Buffer((10,), "int32"), Y: T.Buffer((10,), "int32")):
    W = T.alloc_buffer((10,), "int32")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(5, thread="threadIdx.x"):
            with T.block("W"):
                v = T.axis.spatial(10, b * 5 + t)
                W[v] = X[v] * 3
    for r in range(3):
        for t in T.thread_binding(10, thread="threadIdx.x"):
            with T.block("Y"):
                vr, v = T.axis.remap("RS", [r, t])
                with T.init():
                    Y[v] = 0
                Y[v] = Y[v] + W[9 - v]
)"},
       0},
      // Rows are chosen by what is loaded: each thread tests it, not the host.
      {{"chosen_rows",
        R"(
@T.prim_func
def chosen(index: T.Buffer((6,), "int32"), X: T.Buffer((9, 8), "float32"), Y: T.Buffer((6, 8), "float32"), Z: T.Buffer((6, 8), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for b in T.thread_binding(6, thread="blockIdx.x"):
        for t in T.thread_binding(8, thread="threadIdx.x"):
            for e in range(2):
                if t < 4:
                    Y[b, t * 2 + e] = X[index[b], t * 2 + e]
            Z[b, t] = X[index[0], t]
)",
        {},
        /*largest_integer=*/7,
        /*smallest_integer=*/0},
       0},
      // What the second half needs lies where what the first one needed lay, of another type.
      {{"memory_in_turn", R"(
@T.prim_func
def in_turn(X: T.Buffer((3, 20), "float32"), Y: T.Buffer((3, 20), "float32")):
    A = T.alloc_buffer((3, 20), scope="shared")
    B = T.alloc_buffer((3, 20), "float16", scope="shared")
    C = T.alloc_buffer((3, 20), scope="local")
    for b in T.thread_binding(3, thread="blockIdx.x"):
        for t in T.thread_binding(20, thread="threadIdx.x"):
            with T.block("A"):
                vb, vt = T.axis.remap("SS", [b, t])
                A[vb, vt] = X[vb, vt]
        for t in T.thread_binding(20, thread="threadIdx.x"):
            with T.block("C"):
                vb, vt = T.axis.remap("SS", [b, t])
                C[vb, vt] = A[vb, (vt + 7) % 20]
        for t in T.thread_binding(20, thread="threadIdx.x"):
            with T.block("B"):
                vb, vt = T.axis.remap("SS", [b, t])
                B[vb, vt] = T.Cast("float16", C[vb, vt])
        for t in T.thread_binding(20, thread="threadIdx.x"):
            with T.block("Y"):
                vb, vt = T.axis.remap("SS", [b, t])
                Y[vb, vt] = T.Cast("float32", B[vb, 19 - vt])
)"},
       3},
      {{"rows_or_zeros", R"(
@T.prim_func
def rows(X: T.Buffer((7, 8), "float16", align=16), Y: T.Buffer((9, 8), "float16", align=16)):
    for b in T.thread_binding(1, thread="blockIdx.x"):
        S = T.allocate([72], "float16", "shared")
        S_1 = T.Buffer((72,), "float16", data=S, scope="shared")
        for t in T.thread_binding(9, thread="threadIdx.x"):
            for e in T.vectorized(8):
                S_1[t * 8 + e] = T.if_then_else(1 <= t and t < 8, X[t - 1, e], T.float16(0.0))
        for t in T.thread_binding(9, thread="threadIdx.x"):
            for e in T.vectorized(8):
                Y[t, e] = S_1[(8 - t) * 8 + e]
)"},
       1},
      {{"virtual_threads_and_names", R"(
@T.prim_func
def names(X: T.Buffer((24,), "int32"), Y: T.Buffer((24,), "int32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        S = T.allocate([12], "int32", "shared")
        S_1 = T.Buffer((12,), "int32", data=S, scope="shared")
        for v in T.thread_binding(2, thread="vthread"):
            first: T.int64 = b * 12 + v * 6
            for t in T.thread_binding(6, thread="threadIdx.x"):
                S_1[v * 6 + t] = X[first + t]
            for t in T.thread_binding(6, thread="threadIdx.x"):
                other: T.int64 = (t + 2) % 6
                Y[first + t] = S_1[v * 6 + other]
)"},
       1},
  };
}

/// Shared memory whose rows have an order of their own: read along columns, moved in vectors;
/// and memory whose rows are too short for it.
std::vector<ThreadProgram> swizzles() {
  return {
      {{"swizzled_transpose", R"(
@T.prim_func
def turned(X: T.Buffer((8, 8), "float32"), Y: T.Buffer((8, 8), "float32")):
    S = T.alloc_buffer((8, 8), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for i in T.thread_binding(8, thread="threadIdx.y"):
            for j in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("S"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.block_attr({"row_swizzle": [8, 1]})
                    S[vi, vj] = X[vi, vj]
        for i in T.thread_binding(8, thread="threadIdx.y"):
            for j in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("Y"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    Y[vi, vj] = S[vj, vi]
)"},
       1},
      {{"swizzled_vectors", R"(
@T.prim_func
def vectors(X: T.Buffer((3, 8, 16), "float32", align=16), Y: T.Buffer((3, 8, 16), "float32", align=16)):
    S = T.alloc_buffer((3, 8, 16), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for k in range(3):
            for i in T.thread_binding(8, thread="threadIdx.y"):
                for j in T.thread_binding(4, thread="threadIdx.x"):
                    for v in T.vectorized(4):
                        with T.block("S"):
                            vk, vi = T.axis.remap("SS", [k, i])
                            vj = T.axis.spatial(16, j * 4 + v)
                            T.block_attr({"row_swizzle": [4, 4]})
                            S[vk, vi, vj] = X[vk, vi, vj]
            for i in T.thread_binding(8, thread="threadIdx.y"):
                for j in T.thread_binding(4, thread="threadIdx.x"):
                    for v in T.vectorized(4):
                        with T.block("Y"):
                            vk, vi = T.axis.remap("SS", [k, i])
                            vj = T.axis.spatial(16, j * 4 + v)
                            Y[vk, vi, vj] = S[vk, 7 - vi, vj]
)"},
       2},
      {{"swizzle_without_room", R"(
@T.prim_func
def narrow(X: T.Buffer((8, 6), "float32"), Y: T.Buffer((8, 6), "float32")):
    S = T.alloc_buffer((8, 6), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for i in T.thread_binding(8, thread="threadIdx.y"):
            for j in T.thread_binding(6, thread="threadIdx.x"):
                with T.block("S"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.block_attr({"row_swizzle": [4, 1]})
                    S[vi, vj] = X[vi, vj]
        for i in T.thread_binding(8, thread="threadIdx.y"):
            for j in T.thread_binding(6, thread="threadIdx.x"):
                with T.block("Y"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    Y[vi, vj] = S[7 - vi, vj]
)"},
       1},
  };
}

/// Blocks in groups of rows, of which the last one has fewer; of all rows there are; and of none, because
/// there is but one axis.
std::vector<ThreadProgram> grids() {
  return {
      {{"blocks_in_groups", R"(
@T.prim_func
def grouped(X: T.Buffer((7, 3, 2), "float32"), Y: T.Buffer((7, 3, 2), "float32")):
    S = T.alloc_buffer((7, 3, 2), scope="shared")
    for b in T.thread_binding(2, thread="blockIdx.z"):
        for i in T.thread_binding(7, thread="blockIdx.y", annotations={"rows_together": 3}):
            for j in T.thread_binding(3, thread="blockIdx.x"):
                with T.block("S"):
                    vi, vj, vb = T.axis.remap("SSS", [i, j, b])
                    S[vi, vj, vb] = X[vi, vj, vb]
                with T.block("Y"):
                    vi, vj, vb = T.axis.remap("SSS", [i, j, b])
                    Y[vi, vj, vb] = S[vi, vj, vb] * T.float32(2.0)
)"},
       0},
      {{"blocks_in_one_group", R"(
@T.prim_func
def down(X: T.Buffer((5, 4), "float32"), Y: T.Buffer((5, 4), "float32")):
    for i in T.thread_binding(5, thread="blockIdx.y", annotations={"rows_together": 16}):
        for j in T.thread_binding(4, thread="blockIdx.x"):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] + T.float32(1.0)
)"},
       0},
      {{"blocks_of_one_axis", R"(
@T.prim_func
def alone(X: T.Buffer((5, 4), "float32"), Y: T.Buffer((5, 4), "float32")):
    for i in T.thread_binding(5, thread="blockIdx.y", annotations={"rows_together": 2}):
        for j in T.thread_binding(4, thread="threadIdx.x"):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] + T.float32(1.0)
)"},
       0},
  };
}

}  // namespace

const std::vector<ThreadProgram>& thread_programs() {
  static const std::vector<ThreadProgram> all = [] {
    std::vector<ThreadProgram> list = sharing();
    for (const auto& more : {nests(), grids(), swizzles()}) list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

int barriers_in(const Function& f) {
  int count = 0;
  visit_stmts(f.body, [&](const Stmt& s) { count += is_block_barrier(s) ? 1 : 0; });
  return count;
}

Function without_barrier(const Function& f, int number) {
  Function out = f;
  int next = 0;
  out.body = rewrite(f.body, Rewriter{.stmt_after = [&](const Stmt& s) {
                       return is_block_barrier(s) && next++ == number ? make_no_op() : s;
                     }});
  return out;
}

}  // namespace ardea::lower
