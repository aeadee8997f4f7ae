#include "ardea/arith/load.h"

namespace ardea::arith {
namespace {

/// Loops fused by hand over symbolic extents: the quotient stays in its domain because the fused loop does.
TEST(FusedBindings, stay_in_symbolic_domains) {
  const auto program = [](const std::string& extent, const std::string& rows, const std::string& columns) {
    return "@T.prim_func\ndef f(x: T.handle, y: T.handle):\n    n = T.int64()\n    m = T.int64()\n"
           "    X = T.match_buffer(x, (n, m), \"float32\")\n    Y = T.match_buffer(y, (" +
           rows + ", " + columns + "), \"float32\")\n    for i in range(" + extent +
           "):\n        with T.block(\"b\"):\n"
           "            v0 = T.axis.spatial(" +
           rows + ", i // " + columns + ")\n            v1 = T.axis.spatial(" + columns + ", i % " + columns +
           ")\n            Y[v0, v1] = X[0, 0]\n";
  };
  EXPECT_NO_THROW(load_program(program("9 * n", "9", "n"), "constant rows"));
  EXPECT_NO_THROW(load_program(program("n * 3", "n", "3"), "constant columns"));
  EXPECT_NO_THROW(load_program(program("m * m", "m", "m"), "a square"));
  EXPECT_NO_THROW(load_program(program("n * m", "n", "m"), "two extents"));
  EXPECT_ANY_THROW(load_program(program("9 * n + 1", "9", "n"), "one too many"));
}

}  // namespace
}  // namespace ardea::arith
