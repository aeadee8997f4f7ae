#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "ardea/compile/export_library.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/parse.h"
#include "ardea/runtime/array.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/text_file.h"
#include "tests/mistakes/said.h"

/// Mistakes in calls of what was compiled, in steps taken from C++, and in exports.

namespace ardea {
namespace {

using runtime::Array;

Function product() {
  return parse(read_text_file(ARDEA_SOURCE_DIR "/tests/mistakes/gemm.tir"), "gemm.tir").functions[0];
}

const runtime::Function& compiled() {
  static const runtime::Function f = compile::callable(product(), target::host());
  return f;
}

/// Of a symbolic size: Y[i] = X[i] for i in n.
const runtime::Function& symbolic() {
  static const runtime::Function f = compile::callable(parse(R"(
@T.prim_func
def copy(x: T.handle, y: T.handle, scale: T.float32):
    n = T.int64()
    X = T.match_buffer(x, (n,), "float32")
    Y = T.match_buffer(y, (n,), "float32")
    for i in range(n):
        Y[i] = X[i] * scale
)",
                                                             "copy.tir")
                                                           .functions[0],
                                                       target::host());
  return f;
}

Array a() { return Array::zeros({16, 8}, float32); }
Array b() { return Array::zeros({8, 12}, float32); }
Array c() { return Array::zeros({16, 12}, float32); }

const std::vector<CppMistake>& mistakes_in_calls() {
  static const std::vector<CppMistake> all = {
      {"an argument too few", [] { compiled()(a(), b()); }, "main: got 2 arguments, takes 3: A, B, C"},
      {"an argument too many", [] { compiled()(a(), b(), c(), c()); },
       "main: got 4 arguments, takes 3: A, B, C"},
      {"arguments in another order", [] { compiled()(b(), a(), c()); },
       "main: argument A (1 of 3): extent 1 is 8, expected 16"},
      {"another shape", [] { compiled()(a(), Array::zeros({8, 13}, float32), c()); },
       "main: argument B (2 of 3): extent 2 is 13, expected 12"},
      {"another rank", [] { compiled()(a(), Array::zeros({96}, float32), c()); },
       "main: argument B (2 of 3) has 1 dimensions, expected 2"},
      {"another type", [] { compiled()(Array::zeros({16, 8}, float64), b(), c()); },
       "main: argument A (1 of 3) has elements of float64, expected float32"},
      {"a number where an array belongs", [] { compiled()(a(), 4, c()); },
       "main: argument B (2 of 3) is an integer, expected a tensor"},
      {"an array that is none", [] { compiled()(a(), Array(), c()); },
       "main: argument B (2 of 3) is null, expected a tensor"},
      {"rows with gaps between them",
       [] {
         const Array wide = Array::zeros({16, 10}, float32);
         compiled()(Array::strided_view(wide.values<float>().data(), {16, 8}, {10, 1}, float32, 0, nullptr),
                    b(), c());
       },
       "main: argument A (1 of 3): the stride of dimension 1 is 10 elements, expected 8; pass a compact "
       "copy"},
      {"sizes that disagree", [] { symbolic()(Array::zeros({5}, float32), Array::zeros({6}, float32), 2.0); },
       "copy: argument Y (2 of 3): extent 1 is 6, expected 5 (n)"},
      {"an array where a number belongs",
       [] { symbolic()(Array::zeros({5}, float32), Array::zeros({5}, float32), c()); },
       "copy: argument scale (3 of 3) is a tensor, expected a float"},
      {"the interpreter called with another shape",
       [] { interp::run(product(), {a(), Array::zeros({8, 13}, float32), c()}); },
       "main: argument B (2 of 3): extent 2 is 13, expected 12"},
      {"an array of a negative extent", [] { Array::zeros({4, -1}, float32); },
       "Array::empty([4, -1], float32): extent 2 is -1, extents are 0 or more"},
      {"elements taken for another type", [] { a().values<double>(); },
       "Array::values<float64>: the array is float32[16, 8]"},
      {"an array larger than memory", [] { Array::zeros({1LL << 40, 1LL << 30}, float32); },
       "Array::empty([1099511627776, 1073741824], float32): the product of the extents overflows 64-bit "
       "sizes; use smaller extents"},
      {"a block that there is not", [] { schedule::Schedule(product()).get_block("D"); },
       "get_block(name=\"D\", func_name=\"main\"): there is no block \"D\"; the blocks are C; did you mean "
       "C?"},
      {"a loop that is gone",
       [] {
         schedule::Schedule s(product());
         const auto loops = s.get_loops(s.get_block("C"));
         s.split(loops[0], {schedule::none, 4});
         s.vectorize(loops[0]);
       },
       "vectorize(loop=i): loop i is gone: step 3, split(loop=i, factors=[None, 4], "
       "preserve_unit_iters=True, disable_predication=False), made i_0, i_1 of it"},
      {"a loop of another schedule",
       [] {
         schedule::Schedule s(product()), other(product());
         const auto loops = other.get_loops(other.get_block("C"));
         s.vectorize(loops[0]);
       },
       "vectorize(loop=i): loop i is not in the program main"},
      {"a program without threads called on a GPU",
       [] { compile::callable(product(), target::find("h200")); },
       "lower main: `C[i, j] = T.float32(0.0)` stands in no loop that is bound to threads, and target h200 "
       "computes nothing outside of them; bind a loop around it, as by sch.bind(loop, \"blockIdx.x\")"},
      {"a target that there is not", [] { target::find("avx1024"); },
       "target \"avx1024\" is not known; use one of host, a100, avx2, cascade-lake, cortex-a76, "
       "generic-aarch64, generic-x86_64, h100, h200, neoverse-n1, neoverse-v1, neoverse-v1-sve, neoverse-v2, "
       "sapphirerapids, skylake-avx512, t4, v100, vta, vta-out32 or the path of a .json file; did you mean "
       "avx2?"},
      {"a library of no name", [] { compile::export_library({{}, {}}, target::host(), {.folder = "out"}); },
       "export_library to \"out\": the program has no functions"},
      {"a library with a name that no file can have",
       [] { compile::export_library({{}, {product()}}, target::host(), {.name = "a/b", .folder = "out"}); },
       "--name \"a/b\": use letters, digits, '_', '-' and '.', a letter or digit first, 200 at most"},
  };
  return all;
}

TEST(MistakesInCpp, calls_steps_and_exports) {
  for (const CppMistake& m : mistakes_in_calls()) expect_said(m);
}

}  // namespace
}  // namespace ardea
