#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace ardea::test {

/// gemm: C[i, j] is the sum of A[i, k] * B[k, j] in float32, as a program in text form.
inline std::string product_text(std::int64_t m, std::int64_t k, std::int64_t n) {
  return fmt::format(R"(
@T.prim_func
def gemm(A: T.Buffer(({0}, {1}), "float32"), B: T.Buffer(({1}, {2}), "float32"), C: T.Buffer(({0}, {2}), "float32")):
    for i, j, k in T.grid({0}, {2}, {1}):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)",
                     m, k, n);
}

}  // namespace ardea::test
