#include "ardea/limits/lane_counts.h"

#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/traverse.h"

namespace ardea::limits {

namespace {

/// The vectorized loop of Y[j] = `value` with the types of the buffers.
For loop_of(const std::string& value) {
  const std::string text =
      "@T.prim_func\ndef f(X: T.Buffer((64,), \"float32\"), Y: T.Buffer((64,), \"float32\")):\n"
      "    for j in T.vectorized(64):\n        Y[j] = " +
      value + "\n";
  const Function f = arith::load_program(text, "lanes").functions.at(0);
  std::optional<For> found;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>()) found = *loop;
  });
  return *found;
}

std::vector<std::vector<std::int64_t>> pieces(const std::string& value, std::int64_t extent,
                                              const char* target) {
  const target::Target machine = target::find(target);
  const For loop = loop_of(value);
  std::vector<std::vector<std::int64_t>> found;
  for (const LanePiece& p :
       lane_pieces(extent, 32, width_of(loop, machine), rest_of(loop.body, 32, machine), machine))
    found.push_back({p.rounds, p.lanes, p.used});
  return found;
}

using Pieces = std::vector<std::vector<std::int64_t>>;

TEST(LaneCounts, steps_of_functions_alternate_between_narrow_registers) {
  EXPECT_EQ(pieces("T.exp(X[j])", 64, "neoverse-v1"), (Pieces{{4, 16, 16}}));
  EXPECT_EQ(pieces("T.exp(X[j])", 16, "neoverse-v1"), (Pieces{{1, 16, 16}}));
  EXPECT_EQ(pieces("T.exp(X[j])", 59, "neoverse-v1"), (Pieces{{3, 16, 16}, {2, 4, 4}, {1, 2, 2}, {1, 1, 1}}));
}

TEST(LaneCounts, other_bodies_and_machines_have_vectors_of_one_register) {
  EXPECT_EQ(pieces("X[j] + X[j]", 64, "neoverse-v1"), (Pieces{{16, 4, 4}}));
  EXPECT_EQ(pieces("T.exp(X[j])", 64, "skylake-avx512"), (Pieces{{4, 16, 16}}));
  EXPECT_EQ(pieces("T.exp(X[j])", 64, "avx2"), (Pieces{{8, 8, 8}}));
}

}  // namespace

}  // namespace ardea::limits
