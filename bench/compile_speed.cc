#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/arith/scopes.h"
#include "ardea/codegen/llvm/codegen.h"
#include "ardea/compile/compile_by_c.h"
#include "ardea/lower/pipeline.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"
#include "tests/tiles/tiled_gemm.h"

/// How long the compiler takes for one candidate of a tuner: a trace of 40 instructions applied to a GEMM of
/// 1024³, and the result lowered; and LLVM's part of compiling that, by itself. Then the same of a GEMM with
/// packed operands and a register tile, with all its tails; and of a padded stencil, also by way of C.

namespace {

using namespace ardea;

const char* const gemm = R"(
@T.prim_func
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    for i, j, k in T.grid(1024, 1024, 1024):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

/// A script as tuners write it, with their annotations and samples: four levels of tiles, the init taken out,
/// every mark. Another primitive is another line.
const char* const steps = R"(
b = sch.get_block(name="C", func_name="main")
sch.annotate(block_or_loop=b, ann_key="tiling_structure", ann_val="SSRSRS")
i, j, k = sch.get_loops(block=b)
vi0, vi1, vi2, vi3 = sch.sample_perfect_tile(loop=i, n=4, max_innermost_factor=64, decision=[4, 8, 8, 4])
i0, i1, i2, i3 = sch.split(loop=i, factors=[vi0, vi1, vi2, vi3])
vj0, vj1, vj2, vj3 = sch.sample_perfect_tile(loop=j, n=4, max_innermost_factor=64, decision=[4, 4, 2, 32])
j0, j1, j2, j3 = sch.split(loop=j, factors=[vj0, vj1, vj2, vj3])
vk0, vk1 = sch.sample_perfect_tile(loop=k, n=2, max_innermost_factor=64, decision=[256, 4])
k0, k1 = sch.split(loop=k, factors=[vk0, vk1])
sch.reorder(i0, j0, i1, j1, k0, i2, j2, k1, i3, j3)
sch.annotate(block_or_loop=b, ann_key="parallel", ann_val=32)
sch.annotate(block_or_loop=b, ann_key="vectorize", ann_val=32)
v = sch.sample_categorical(candidates=[0, 16, 64, 512], probs=[0.25, 0.25, 0.25, 0.25], decision=2)
sch.annotate(block_or_loop=b, ann_key="unroll", ann_val=v)
b = sch.get_block(name="C", func_name="main")
sch.unannotate(block_or_loop=b, ann_key="parallel")
sch.unannotate(block_or_loop=b, ann_key="vectorize")
sch.unannotate(block_or_loop=b, ann_key="unroll")
i0, j0, i1, j1, k0, i2, j2, k1, i3, j3 = sch.get_loops(block=b)
tiles = sch.fuse(i0, j0, i1, j1)
sch.parallel(loop=tiles)
sch.vectorize(loop=j3)
sch.pragma(loop=tiles, pragma_type="auto_unroll_max_step", pragma_value=v)
sch.pragma(loop=tiles, pragma_type="unroll_explicit", pragma_value=1)
b = sch.get_block(name="C", func_name="main")
tiles, k0, i2, j2, k1, i3, j3 = sch.get_loops(block=b)
first = sch.decompose_reduction(block=b, loop=k0)
first = sch.get_block(name="C_init", func_name="main")
tiles, i2i, j2i, i3i, j3i = sch.get_loops(block=first)
rows = sch.fuse(i2i, j2i)
r0, r1 = sch.split(loop=rows, factors=[None, 2])
sch.annotate(block_or_loop=first, ann_key="role", ann_val="init")
u = sch.get_block(name="C_update", func_name="main")
tiles, k0, i2, j2, k1, i3, j3 = sch.get_loops(block=u)
sch.reorder(j2, i2)
k00, k01 = sch.split(loop=k0, factors=[None, 8])
sch.unroll(loop=i3)
sch.annotate(block_or_loop=u, ann_key="role", ann_val="update")
sch.get_consumers(block=first)
sch.get_producers(block=u)
)";

/// Two 3 x 3 sums over a padded image of any size, the first computed where the second needs it.
const char* const stencil = R"(
@T.prim_func
def blur(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m), "float32")
    C = T.match_buffer(b, (n, m), "float32")
    P = T.alloc_buffer((n + 2, m + 2), "float32")
    B = T.alloc_buffer((n, m), "float32")
    Q = T.alloc_buffer((n + 2, m + 2), "float32")
    for y, x in T.grid(n + 2, m + 2):
        with T.block("P"):
            vy, vx = T.axis.remap("SS", [y, x])
            P[vy, vx] = T.if_then_else(1 <= vy and vy < n + 1 and 1 <= vx and vx < m + 1, A[vy - 1, vx - 1], T.float32(0))
    for y, x, ry, rx in T.grid(n, m, 3, 3):
        with T.block("B"):
            vy, vx, vry, vrx = T.axis.remap("SSRR", [y, x, ry, rx])
            with T.init():
                B[vy, vx] = T.float32(0)
            B[vy, vx] = B[vy, vx] + P[vy + vry, vx + vrx]
    for y, x in T.grid(n + 2, m + 2):
        with T.block("Q"):
            vy, vx = T.axis.remap("SS", [y, x])
            Q[vy, vx] = T.if_then_else(1 <= vy and vy < n + 1 and 1 <= vx and vx < m + 1, B[vy - 1, vx - 1], T.float32(0))
    for y, x, ry, rx in T.grid(n, m, 3, 3):
        with T.block("C"):
            vy, vx, vry, vrx = T.axis.remap("SSRR", [y, x, ry, rx])
            with T.init():
                C[vy, vx] = T.float32(0)
            C[vy, vx] = C[vy, vx] + Q[vy + vry, vx + vrx]
)";

/// As somebody writes it who has just read about schedules: everything small unrolled, all else vectors,
/// padding and tails left to the compiler.
const char* const stencil_steps = R"(
q = sch.get_block("Q")
p = sch.get_block("P")
b = sch.get_block("B")
c = sch.get_block("C")
sch.compute_inline(p)
sch.compute_inline(q)
y, x, ry, rx = sch.get_loops(c)
yo, yi = sch.split(y, [None, 4])
xo, xi = sch.split(x, [None, 32])
sch.reorder(yo, xo, yi, ry, rx, xi)
sch.compute_at(b, xo)
sch.unroll(yi)
sch.unroll(ry)
sch.unroll(rx)
sch.vectorize(xi)
*o, by, bx, bry, brx = sch.get_loops(b)
bxo, bxi = sch.split(bx, [None, 8])
sch.reorder(bxo, bry, brx, bxi)
sch.unroll(bry)
sch.unroll(brx)
sch.vectorize(bxi)
)";

/// By the wall, and by the processors: on a machine that others use, only the second means something.
struct Times {
  std::vector<double> wall_ms = {}, processor_ms = {};
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Times measured(const std::function<void()>& run, int rounds) {
  run();  // tables that are made once, pages that are touched first
  Times times;
  for (int i = 0; i < rounds; ++i) {
    arith::forget_scopes();  // as for the first candidate of a process
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t busy = std::clock();
    run();
    times.processor_ms.push_back(1000.0 * static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC);
    times.wall_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

void report(const std::string& what, const Times& times) {
  fmt::print("| {} | {:.2f} | {:.2f} |\n", what, median(times.wall_ms), median(times.processor_ms));
}

/// Of all that is verified while `run` does its work, the median in ms of processor.
double verifying(const std::function<void()>& run, int rounds) {
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    arith::forget_scopes();
    const Timings timings;
    run();
    double seconds = 0;
    for (const Timings::Section& section : timings.sections())
      if (section.part == "verify") seconds += section.seconds;
    all.push_back(1e3 * seconds);
  }
  return median(all);
}

void report_verifying(const std::function<void()>& run, int rounds) {
  fmt::print("| of which verify | | {:.2f} |\n", verifying(run, rounds));
}

void report_passes(Function f, const target::Target& target, int rounds) {
  for (const lower::Pass& pass : lower::pipeline(target)) {
    report(pass.name, measured([&] { pass.run(f, target); }, rounds));
    f = pass.run(f, target);
  }
}

/// About 1000³, no extent a multiple of its tile.
tiles::Gemm with_all_tails(const target::Target& target) {
  tiles::Gemm gemm = tiles::tile_for(target, 1);
  gemm.m = gemm.n = gemm.k = 1000;
  while (!gemm.has_bottom()) ++gemm.m;
  while (!gemm.has_right()) ++gemm.n;
  return gemm;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  require(file.good(), "{}: cannot be read", path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The time of one candidate: its trace applied and lowered, and LLVM's part.");
  int rounds = 21;
  std::string target_name = "host", script;
  bool by_pass = false, without_llvm = false;
  app.add_option("--rounds", rounds, "medians are over so many runs")->check(CLI::PositiveNumber);
  app.add_option("--target", target_name, "what to compile for");
  app.add_option("--steps", script, "a script of steps for the program gemm, instead of the one built in");
  app.add_flag("--passes", by_pass, "also the time of every pass");
  app.add_flag("--without-llvm", without_llvm, "only what is ours, for a profiler");
  CLI11_PARSE(app, argc, argv);
  try {
    const target::Target target = target::find(target_name);
    const Function program = arith::load_program(gemm, "gemm").functions[0];
    const auto written = schedule::parse_steps(script.empty() ? steps : text_of(script), "steps");
    const auto scheduled = [&] {
      schedule::Schedule s(program);
      s.replay(written);
      return s.program();
    };
    const Function transformed = scheduled(), lowered = lower::lower(transformed, target);

    fmt::print("{} instructions\n\n| part | median ms | median ms of processor |\n| --- | --- | --- |\n",
               written.statements.size());
    report("trace", measured([&] { scheduled(); }, rounds));
    report("lowering", measured([&] { lower::lower(transformed, target); }, rounds));
    report("trace and lowering", measured([&] { lower::lower(scheduled(), target); }, rounds));
    report_verifying([&] { lower::lower(scheduled(), target); }, rounds);
    if (!without_llvm)
      report("LLVM", measured([&] { codegen::load("gemm", {&lowered, 1}, target, {}); }, rounds));
    if (by_pass) report_passes(transformed, target, rounds);

    const tiles::Gemm tiled = with_all_tails(target);
    const Function tile = tiles::scheduled(tiled), lowered_tile = lower::lower(tile, target);
    fmt::print("\n{}: {} kernels\n\n| part | median ms | median ms of processor |\n| --- | --- | --- |\n",
               tiles::describe(tiled), tiled.kernels());
    report("trace and lowering", measured([&] { lower::lower(tiles::scheduled(tiled), target); }, rounds));
    report_verifying([&] { lower::lower(tiles::scheduled(tiled), target); }, rounds);
    if (!without_llvm)
      report("LLVM", measured([&] { codegen::load("gemm", {&lowered_tile, 1}, target, {}); }, rounds));
    if (by_pass) report_passes(tile, target, rounds);

    const Function image = arith::load_program(stencil, "stencil").functions[0];
    const auto image_steps = schedule::parse_steps(stencil_steps, "stencil_steps");
    const auto scheduled_image = [&] {
      schedule::Schedule s(image);
      s.replay(image_steps);
      return s.program();
    };
    const Function tiles_of_image = scheduled_image(), lowered_image = lower::lower(tiles_of_image, target);
    const int fewer = std::min(rounds, 5);
    fmt::print(
        "\na padded stencil of two stages\n\n| part | median ms | median ms of processor |\n| --- | --- | "
        "--- |\n");
    report("trace and lowering", measured([&] { lower::lower(scheduled_image(), target); }, fewer));
    report_verifying([&] { lower::lower(scheduled_image(), target); }, fewer);
    if (!without_llvm) {
      report("LLVM", measured([&] { codegen::load("blur", {&lowered_image, 1}, target, {}); }, fewer));
      report("by the C compiler, all (its processor time is not ours)",
             measured([&] { compile::compile_by_c(tiles_of_image, target); }, 1));
    }
    if (by_pass) report_passes(tiles_of_image, target, fewer);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
