#include "programs.h"

namespace ardea::lower {

std::vector<Program> memory_programs() {
  return {
      // The test of an index that is loaded goes before loops, one of which may not run; not out of the loop
      // that says whether it does.
      {"tests_of_indices_before_loops_that_may_not_run", R"(
@T.prim_func
def gather(X: T.Buffer((5, 7), "float32"), Y: T.Buffer((5, 7), "float32")):
    index = T.alloc_buffer((1,), "int32")
    index[0] = T.int32(3)
    for i in range(5):
        for j in range(7):
            Y[i, j] = T.float32(0)
    for i in range(1, 5):
        for k in range(3 - i):
            for j in range(7):
                Y[i, j] = Y[i, j] + X[index[0], j]
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
}

}  // namespace ardea::lower
