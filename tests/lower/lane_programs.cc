#include "programs.h"

namespace ardea::lower {

std::vector<Program> lane_programs() {
  return {
      {"vectors", R"(
@T.prim_func
def vectors(X: T.Buffer((5, 8), "float32"), Y: T.Buffer((5, 8), "bfloat16"), Z: T.Buffer((5, 8), "int4")):
    for i in range(5):
        Y[i, T.Ramp(0, 1, 8)] = T.Cast("bfloat16x8", X[i, T.Ramp(7, -1, 8)] * T.Broadcast(T.float32(1.5), 8))
        Z[i, T.Ramp(0, 1, 8)] = T.Cast("int4x8", X[i, T.Ramp(0, 1, 8)] * T.Broadcast(T.float32(9.0), 8))
)"},
      {"rows_of_functions",
       R"(
@T.prim_func
def rows(X: T.Buffer((3, 39), "float32"), Y: T.Buffer((3, 39), "float32"), Z: T.Buffer((3, 16), "float64")):
    for i in range(3):
        for j in T.vectorized(39):
            Y[i, j] = T.exp(X[i, j] - X[i, 0]) + T.tanh(X[i, j])
        for j in T.vectorized(16):
            Z[i, j] = T.erf(T.Cast("float64", X[i, j * 2]))
)",
       {},
       7,
       -8,
       true},
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
      {"sums_where",
       R"(
@T.prim_func
def sums(Q: T.Buffer((23, 5), "float32"), K: T.Buffer((19, 5), "float32"), S: T.Buffer((23, 19), "float32"), M: T.Buffer((23, 19), "float32"), N: T.Buffer((23, 19), "int32")):
    for i_0, j_0 in T.grid(6, 3):
        for i_1 in T.unroll(4):
            for j_1 in T.vectorized(8):
                if i_0 * 4 + i_1 < 23 and j_0 * 8 + j_1 < 19:
                    S[i_0 * 4 + i_1, j_0 * 8 + j_1] = T.float32(0.0)
                    M[i_0 * 4 + i_1, j_0 * 8 + j_1] = T.float32("-inf")
                    N[i_0 * 4 + i_1, j_0 * 8 + j_1] = 7
        for k in range(5):
            for i_1 in T.unroll(4):
                for j_1 in T.vectorized(8):
                    if i_0 * 4 + i_1 < 23 and j_0 * 8 + j_1 < 19:
                        S[i_0 * 4 + i_1, j_0 * 8 + j_1] = S[i_0 * 4 + i_1, j_0 * 8 + j_1] + T.if_then_else(j_0 * 8 + j_1 <= i_0 * 4 + i_1, Q[i_0 * 4 + i_1, k] * K[j_0 * 8 + j_1, k], T.float32(-0.0))
        for k in range(5):
            for i_1 in T.unroll(4):
                for j_1 in T.vectorized(8):
                    if i_0 * 4 + i_1 < 23 and j_0 * 8 + j_1 < 19:
                        M[i_0 * 4 + i_1, j_0 * 8 + j_1] = T.max(M[i_0 * 4 + i_1, j_0 * 8 + j_1], T.if_then_else(j_0 * 8 + j_1 + k > (i_0 * 4 + i_1) * 2, Q[i_0 * 4 + i_1, k], T.float32("-inf")))
        for k in range(5):
            for i_1 in T.unroll(4):
                for j_1 in T.vectorized(8):
                    if i_0 * 4 + i_1 < 23 and j_0 * 8 + j_1 < 19:
                        N[i_0 * 4 + i_1, j_0 * 8 + j_1] = T.if_then_else(j_0 * 8 + j_1 - k == i_0 * 4 + i_1 or k == 3, T.Cast("int32", k), T.int32(0)) + N[i_0 * 4 + i_1, j_0 * 8 + j_1]
)"},
      // Adding 0 to -0 gives 0, and the product of the first row is of zeros: nothing may be left out.
      {"sums_of_zeros",
       R"(
@T.prim_func
def zeros(S: T.Buffer((7, 6), "float32"), P: T.Buffer((7, 6), "float32")):
    for i, j in T.grid(7, 6):
        S[i, j] = T.float32(-0.0)
        P[i, j] = T.float32(-0.0)
    for k in range(2):
        for i in range(7):
            for j in T.vectorized(6):
                S[i, j] = S[i, j] + T.if_then_else(j <= i, T.float32(-0.0), T.float32(0.0))
                P[i, j] = P[i, j] + T.if_then_else(j <= i, T.float32(0.0), T.float32(-0.0))
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
  };
}

}  // namespace ardea::lower
