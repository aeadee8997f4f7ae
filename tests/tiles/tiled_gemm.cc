#include "tests/tiles/tiled_gemm.h"

#include <fmt/core.h>

#include "ardea/arith/load.h"
#include "ardea/limits/register_tile.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"

namespace ardea::tiles {

int Gemm::kernels() const {
  const int rows_of_tiles = (m >= rows ? 1 : 0) + (has_bottom() ? 1 : 0);
  const int columns_of_tiles = (n >= columns ? 1 : 0) + (has_right() ? 1 : 0);
  return rows_of_tiles * columns_of_tiles;
}

int Gemm::loops() const { return 1 + (k % steps != 0 ? 1 : 0); }

Gemm tile_for(const target::Target& target, std::int64_t steps) {
  Gemm gemm;
  gemm.steps = steps;
  const std::int64_t lanes = target.vector_bits / 32;
  gemm.columns = lanes * (target.vector_registers >= 32 && lanes <= 4 ? 3 : 2);
  const auto registers = [&](std::int64_t rows) {
    return limits::registers_of({rows, gemm.columns, float32, steps > 1}, target);
  };
  while (registers(gemm.rows + 1) <= target.vector_registers) ++gemm.rows;
  return gemm;
}

Gemm random_gemm(std::uint64_t seed, const target::Target& target) {
  Random random(seed);
  Gemm gemm = tile_for(target, random.integer(0, 1) == 0 ? 1 : 4);
  // Panels so large that they come from the heap: on the stack they would be what no loop may touch.
  const auto extent = [&](std::int64_t tile) {
    const std::int64_t whole = tile * random.integer(8, 11);
    return whole + (random.integer(0, 5) == 0 ? 0 : random.integer(1, tile - 1));
  };
  gemm.m = extent(gemm.rows);
  gemm.n = extent(gemm.columns);
  // A rest of one step would be no loop.
  do gemm.k = random.integer(300, 700);
  while (gemm.steps > 1 && gemm.k % gemm.steps == 1);
  return gemm;
}

std::string program_text(const Gemm& gemm) {
  const auto size = [&](std::int64_t value, const char* name) {
    return gemm.symbolic ? std::string(name) : std::to_string(value);
  };
  return fmt::format(
      R"(
@T.prim_func
def gemm(a: T.handle, b: T.handle, c: T.handle):
    T.func_attr({{"tir.noalias": T.bool(True)}})
{sizes}    A = T.match_buffer(a, ({m}, {k}), "float32")
    B = T.match_buffer(b, ({k}, {n}), "float32")
    C = T.match_buffer(c, ({m}, {n}), "float32")
    for i, j, k in T.grid({m}, {n}, {k}):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)",
      fmt::arg("sizes", gemm.symbolic ? "    m = T.int64()\n    n = T.int64()\n    kk = T.int64()\n" : ""),
      fmt::arg("m", size(gemm.m, "m")), fmt::arg("n", size(gemm.n, "n")), fmt::arg("k", size(gemm.k, "kk")));
}

/// As examples/gemm_tile.py, which is for one tile.
std::string steps_text(const Gemm& gemm) {
  std::string text = fmt::format(R"steps(
b = sch.get_block("C")
pa = sch.transform_layout(b, "A", "lambda i, k: (i // {0}, k, i % {0})", pad_value=0.0)
pb = sch.transform_layout(b, "B", "lambda k, j: (j // {1}, k, j % {1})", pad_value=0.0)
out = sch.cache_write(b, 0, "register")
i, j, k = sch.get_loops(b)
io, ii = sch.split(i, [None, {0}])
jo, ji = sch.split(j, [None, {1}])
sch.reorder(jo, io, k, ii, ji)
sch.reverse_compute_at(out, io)
first = sch.decompose_reduction(b, k)
sch.unroll(ii)
sch.vectorize(ji)
*outer, fi, fj = sch.get_loops(first)
sch.unroll(fi)
sch.vectorize(fj)
*outer, oi, oj = sch.get_loops(out)
sch.unroll(oi)
sch.vectorize(oj)
*outer, pj = sch.get_loops(pb)
sch.vectorize(pj)
)steps",
                                 gemm.rows, gemm.columns);
  if (gemm.steps > 1)
    text += fmt::format("ko, ki{} = sch.split(k, [None, {}], tail=\"cut\")\nsch.unroll(ki)\n",
                        gemm.k % gemm.steps == 0 ? "" : ", rest", gemm.steps);
  return text;
}

Function scheduled(const Gemm& gemm) {
  schedule::Schedule s(arith::load_program(program_text(gemm), "gemm").functions[0]);
  s.replay(schedule::parse_steps(steps_text(gemm), "steps"));
  return s.program();
}

std::string describe(const Gemm& gemm) {
  return fmt::format("{} x {} x {} in tiles of {} x {}, {} steps at once", gemm.m, gemm.n, gemm.k, gemm.rows,
                     gemm.columns, gemm.steps);
}

}  // namespace ardea::tiles
