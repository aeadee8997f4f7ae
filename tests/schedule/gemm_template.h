#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/schedule.h"

/// The product of matrices as templates tile it: for tests of schedules and of what their programs take.

namespace ardea::schedule {

/// The loops and the block of C = A · B, in a function; extents as text.
inline std::string gemm_nest(const std::string& m, const std::string& n, const std::string& k) {
  return fmt::format(R"(    for i, j, k in T.grid({}, {}, {}):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)",
                     m, n, k);
}

/// The factors of each axis, outermost first: three, three and two.
struct GemmFactors {
  std::vector<std::optional<Number>> i, j, k;
  bool exact = false;  ///< their products are the extents, which is required of them
};

struct GemmTiles {
  std::vector<LoopRef> i, j, k;
};

/// Two levels of tiles of C, in the inner of which the sums stay while k runs in two.
inline GemmTiles tile_gemm(Schedule& s, const BlockRef& product, const GemmFactors& factors) {
  const auto loops = s.get_loops(product);
  const auto split = [&](const LoopRef& loop, const std::vector<std::optional<Number>>& by) {
    return s.loops(Split{.loop = loop, .factors = by, .disable_predication = factors.exact});
  };
  GemmTiles tiles;
  tiles.i = split(loops[0], factors.i);
  tiles.j = split(loops[1], factors.j);
  tiles.k = split(loops[2], factors.k);
  const auto& [i, j, k] = tiles;
  s.apply(Reorder{{i[0], j[0], i[1], j[1], k[0], k[1], i[2], j[2]}});
  return tiles;
}

}  // namespace ardea::schedule
