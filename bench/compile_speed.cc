#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/codegen/llvm/codegen.h"
#include "ardea/lower/pipeline.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/error.h"

/// How long the compiler takes for one candidate of a tuner: a trace of 40 instructions applied to a GEMM of
/// 1024³, and the result lowered; and LLVM's part of compiling that, by itself.

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

/// A script as users write it: another primitive is another line. Tiles that divide, tiles that leave a tail,
/// loops that are taken apart and put together again, and every mark.
const char* const steps = R"(
b = sch.get_block("C")
i, j, k = sch.get_loops(b)
i0, i_rest = sch.split(i, [None, 128])
i1, i_tile = sch.split(i_rest, [None, 32])
i2, i3 = sch.split(i_tile, [None, 4])
j0, j_rest = sch.split(j, [None, 256])
j1, j_tile = sch.split(j_rest, [None, 64])
j2, j3 = sch.split(j_tile, [None, 16])
k0, k_rest = sch.split(k, [None, 256])
k1, k2 = sch.split(k_rest, [None, 4])
sch.reorder(i0, j0, i1, j1, i2, j2, i3, j3, k0, k1, k2)
sch.reorder(k0, i2, j2)
sch.reorder(k1, i3, j3)
sch.reorder(i1, j0)
sch.reorder(j0, i1)
sch.reorder(j0, i1)
tiles = sch.fuse(i1, j1)
sch.reorder(i2, j2)
sch.reorder(j2, i2)
t0, t1 = sch.split(tiles, [None, 4])
sch.reorder(t1, t0)
sch.reorder(t0, t1)
tiles = sch.fuse(t0, t1)
k10, k11 = sch.split(k1, [None, 3])
sch.reorder(i3, k11)
sch.reorder(k11, i3)
k1 = sch.fuse(k10, k11)
j30, j31 = sch.split(j3, [None, 8])
i30, i31 = sch.split(i3, [None, 2])
sch.reorder(i30, j30, i31, j31)
sch.reorder(k2, i30, j30, i31, j31)
sch.annotate(i0, "pragma_auto_unroll_max_step", 64)
sch.annotate(i0, "pragma_unroll_explicit", 1)
sch.annotate(i2, "tile_level", 2)
sch.parallel(i0)
sch.vectorize(j31)
sch.unroll(i31)
sch.unroll(j30)
sch.unroll(i30)
*_, innermost = sch.get_loops(b)
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
               written.size());
    report("trace", measured([&] { scheduled(); }, rounds));
    report("lowering", measured([&] { lower::lower(transformed, target); }, rounds));
    report("trace and lowering", measured([&] { lower::lower(scheduled(), target); }, rounds));
    if (!without_llvm)
      report("LLVM", measured([&] { codegen::load("gemm", {&lowered, 1}, target, {}); }, rounds));
    if (!by_pass) return 0;
    Function f = transformed;
    for (const lower::Pass& pass : lower::pipeline(target)) {
      report(pass.name, measured([&] { pass.run(f, target); }, rounds));
      f = pass.run(f, target);
    }
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
