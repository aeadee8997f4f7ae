#pragma once

#include "ardea/ir/builder.h"

namespace ardea {

/// C[m, n] = Σ A[m, k] · B[k, n] in block form.
inline Function gemm_program(std::int64_t m, std::int64_t k, std::int64_t n) {
  FunctionBuilder f("gemm");
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{m, k}),
               b = f.parameter("B", std::vector<std::int64_t>{k, n}),
               c = f.parameter("C", std::vector<std::int64_t>{m, n});
  f.grid({"i", "j", "r"}, {make_int(m), make_int(n), make_int(k)}, [&](const std::vector<Var>& loops) {
    f.block("C", [&](BlockBuilder& block) {
      const Var i = block.spatial("vi", make_int(m), loops[0]);
      const Var j = block.spatial("vj", make_int(n), loops[1]);
      const Var r = block.reduce("vr", make_int(k), loops[2]);
      block.init([&] { f.store(c, {i, j}, make_float(0)); });
      f.store(c, {i, j}, make_load(c, {i, j}) + make_load(a, {i, r}) * make_load(b, {r, j}));
    });
  });
  return f.build();
}

}  // namespace ardea
