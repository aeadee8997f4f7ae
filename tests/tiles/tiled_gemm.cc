#include "tests/tiles/tiled_gemm.h"

#include <fmt/core.h>

#include "ardea/arith/load.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/target/register_tile.h"

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
    return target::registers_of({rows, gemm.columns, float32, steps > 1}, target);
  };
  while (registers(gemm.rows + 1) <= target.vector_registers) ++gemm.rows;
  return gemm;
}

Gemm random_gemm(std::uint64_t seed, const target::Target& target) {
  Random random(seed);
  Gemm gemm = tile_for(target, random.integer(0, 1) == 0 ? 1 : 4);
  // Panels so large that they come from the heap: on the stack they would be what no loop may touch.
  const auto extent = [&](std::int64_t tile) {
    return tile * random.integer(8, 11) + (random.integer(0, 5) == 0 ? 0 : random.integer(1, tile - 1));
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
  const auto panels = [&](std::int64_t value, const char* name, std::int64_t tile) {
    return gemm.symbolic ? fmt::format("({} + {}) // {}", name, tile - 1, tile)
                         : std::to_string((value + tile - 1) / tile);
  };
  return fmt::format(
      R"(
@T.prim_func
def gemm(a: T.handle, b: T.handle, c: T.handle):
    T.func_attr({{"tir.noalias": T.bool(True)}})
{sizes}    A = T.match_buffer(a, ({m}, {k}), "float32")
    B = T.match_buffer(b, ({k}, {n}), "float32")
    C = T.match_buffer(c, ({m}, {n}), "float32")
    PA = T.alloc_buffer(({mo}, {k}, {mr}), "float32")
    PB = T.alloc_buffer(({no}, {k}, {nr}), "float32")
    R = T.alloc_buffer(({m}, {n}), "float32", scope="register")
    for io, k, ii in T.grid({mo}, {k}, {mr}):
        with T.block("PA"):
            vo, vk, vi = T.axis.remap("SSS", [io, k, ii])
            PA[vo, vk, vi] = T.if_then_else(vo * {mr} + vi < {m}, A[vo * {mr} + vi, vk], T.float32(0.0))
    for jo, k, ji in T.grid({no}, {k}, {nr}):
        with T.block("PB"):
            vo, vk, vj = T.axis.remap("SSS", [jo, k, ji])
            PB[vo, vk, vj] = T.if_then_else(vo * {nr} + vj < {n}, B[vk, vo * {nr} + vj], T.float32(0.0))
    for i, j, k in T.grid({m}, {n}, {k}):
        with T.block("R"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                R[vi, vj] = T.float32(0.0)
            R[vi, vj] = R[vi, vj] + PA[vi // {mr}, vk, vi % {mr}] * PB[vj // {nr}, vk, vj % {nr}]
    for i, j in T.grid({m}, {n}):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = R[vi, vj]
)",
      fmt::arg("sizes", gemm.symbolic ? "    m = T.int64()\n    n = T.int64()\n    kk = T.int64()\n" : ""),
      fmt::arg("m", size(gemm.m, "m")), fmt::arg("n", size(gemm.n, "n")), fmt::arg("k", size(gemm.k, "kk")),
      fmt::arg("mr", gemm.rows), fmt::arg("nr", gemm.columns), fmt::arg("mo", panels(gemm.m, "m", gemm.rows)),
      fmt::arg("no", panels(gemm.n, "n", gemm.columns)));
}

std::string steps_text(const Gemm& gemm) {
  std::string text = fmt::format(R"(
r = sch.get_block("R")
i, j, k = sch.get_loops(r)
io, ii = sch.split(i, [None, {0}])
jo, ji = sch.split(j, [None, {1}])
sch.reorder(jo, io, k, ii, ji)
c = sch.get_block("C")
sch.reverse_compute_at(c, io)
first = sch.decompose_reduction(r, k)
sch.vectorize(ji)
sch.unroll(ii)
*outer, fi, fj = sch.get_loops(first)
sch.unroll(fi)
sch.vectorize(fj)
*outer, ci, cj = sch.get_loops(c)
sch.unroll(ci)
sch.vectorize(cj)
pb = sch.get_block("PB")
*outer, pj = sch.get_loops(pb)
sch.vectorize(pj)
)",
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
