#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/subprocess.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"
#include "tests/codegen_cuda/programs.h"
#include "tests/support/folder.h"
#include "thread_programs.h"

/// The CUDA C++ of kernels: texts that were read and approved, and what nvcc says to all of them.

namespace ardea::codegen {

namespace {

std::string source_of(const Function& f, bool contract = true, const target::Target& target = gpu()) {
  return cuda_source(std::vector{lower::lower(f, target)}, target, {.contract = contract});
}

Function loaded(const std::string& text) { return arith::load_program(text, "test").functions.at(0); }

/// The text from its first kernel on.
std::string kernels_of(const std::string& text) {
  return text.substr(std::min(text.find("// grid"), text.size()));
}

struct GoldenKernel {
  std::string name;
  Function function;
};

std::vector<GoldenKernel> golden_kernels() {
  std::vector<GoldenKernel> all = {{"scheduled_product", scheduled_product()}};
  for (const lower::ThreadProgram& one : lower::thread_programs())
    for (const char* wanted : {"tiled_product", "open_sizes", "two_launches", "double_buffer"})
      if (one.program.name == wanted) all.push_back({wanted, lower::function_of(one.program)});
  return all;
}

/// With ARDEA_UPDATE_GOLDEN=1 in the environment they are written anew, to be read before they are believed.
TEST(CudaText, is_what_was_read_and_approved) {
  for (const GoldenKernel& kernel : golden_kernels()) {
    const std::string path =
        std::string(ARDEA_SOURCE_DIR) + "/tests/codegen_cuda/golden/" + kernel.name + ".cu";
    const std::string text = kernels_of(source_of(kernel.function));
    if (std::getenv("ARDEA_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    EXPECT_EQ(text, read_text_file(path)) << kernel.name;
  }
}

/// nvcc, where CUDA is installed; empty elsewhere.
std::string find_nvcc() {
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& program :
       {home == nullptr ? std::string("nvcc") : std::string(home) + "/bin/nvcc", std::string("nvcc"),
        std::string("/usr/local/cuda/bin/nvcc"), std::string("/usr/local/cuda-13.0/bin/nvcc")})
    if (run_process({program, {"--version"}}).succeeded()) return program;
  return "";
}

/// One text of all kernels.
std::string all_kernels(const target::Target& target) {
  std::vector<Function> functions = {lower::lower(scheduled_product(), target),
                                     lower::lower(types_program(), target)};
  for (const Function& f : scheduled_rows()) functions.push_back(lower::lower(f, target));
  for (const lower::ThreadProgram& one : lower::thread_programs())
    functions.push_back(lower::lower(lower::function_of(one.program), target));
  return cuda_source(functions, target, {});
}

TEST(CudaText, compiles_for_every_generation_without_a_warning) {
  const std::string nvcc = find_nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is neither on PATH nor in CUDA_HOME or /usr/local/cuda";
  const test::Folder folder;
  for (const char* name : {"a100", "h200"}) {
    const target::Target target = target::find(name);
    std::ofstream(folder.path() / "kernels.cu") << all_kernels(target);
    const ProcessResult result =
        run_process({nvcc,
                     {"-std=c++17", fmt::format("-arch={}", target.cpu), "-cubin", "-Werror", "all-warnings",
                      "-o", "kernels.cubin", "kernels.cu"},
                     folder.path()});
    EXPECT_TRUE(result.succeeded()) << name << ": " << result.out << result.error;
  }
}

TEST(CudaText, compiles_by_nvrtc_which_has_none_of_the_hosts_headers) {
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_NO_THROW(compile::cubin_of(all_kernels(gpu()), "sm_90a", true));
}

/// Three kernels: of the second one's arrays, W is what the first one has written, and X is nobody's result.
const char* const chain = R"(
@T.prim_func
def chain(X: T.Buffer((70,), "float32"), Y: T.Buffer((70,), "float32")):
    W = T.alloc_buffer((70,))
    V = T.alloc_buffer((70,))
    for t in T.thread_binding(70, thread="threadIdx.x"):
        with T.block("W"):
            v = T.axis.spatial(70, t)
            W[v] = X[v] * T.float32(2.0)
    for t in T.thread_binding(70, thread="threadIdx.x"):
        with T.block("V"):
            v = T.axis.spatial(70, t)
            V[v] = W[69 - v] + X[v]
    for t in T.thread_binding(70, thread="threadIdx.x"):
        with T.block("Y"):
            v = T.axis.spatial(70, t)
            Y[v] = V[69 - v] * W[v]
)";

/// Of each kernel its arrays, and what it says of other kernels; a line each.
std::string beside_others(const std::string& text) {
  std::string out;
  std::istringstream words(kernels_of(text));
  bool is_head = false;
  for (std::string word; words >> word;) {
    const std::size_t at = word.find("chain_kernel_");
    if (at != std::string::npos) word = "\n" + word.substr(at + 13);
    is_head = is_head || at != std::string::npos;
    if (is_head || word == "wait_for_kernels_before();" || word == "call_next_kernel();") out += " " + word;
    is_head = is_head && word != "{";
  }
  return out;
}

TEST(CudaText, lets_kernels_begin_early_which_wait_before_they_touch_what_others_write) {
  EXPECT_EQ(beside_others(source_of(loaded(chain))),
            " \n1(const float* __restrict__ X, float* __restrict__ W) {"
            " \n2(const float* __restrict__ X, float* __restrict__ V, const float* W) {"
            " wait_for_kernels_before();"
            " \n3(float* __restrict__ Y, const float* V, const float* W) { wait_for_kernels_before();");
}

/// Two kernels of so many threads, in blocks of 128.
std::string of_threads(int first, int second) {
  return beside_others(source_of(loaded(fmt::format(R"(
@T.prim_func
def chain(X: T.Buffer(({0},), "float32"), Y: T.Buffer(({1},), "float32")):
    W = T.alloc_buffer(({0},))
    for b in T.thread_binding({0} // 128, thread="blockIdx.x"):
        for t in T.thread_binding(128, thread="threadIdx.x"):
            with T.block("W"):
                v = T.axis.spatial({0}, b * 128 + t)
                W[v] = X[v] * T.float32(2.0)
    for b in T.thread_binding({1} // 128, thread="blockIdx.x"):
        for t in T.thread_binding(128, thread="threadIdx.x"):
            with T.block("Y"):
                v = T.axis.spatial({1}, b * 128 + t)
                Y[v] = W[v % {0}]
)",
                                                    first, second))));
}

// The default target has 132 multiprocessors, of four schedulers each.
TEST(CudaText, calls_a_kernel_at_once_that_has_warps_for_all_schedulers) {
  const std::string first = " \n1(const float* __restrict__ X, float* __restrict__ W) {",
                    second = " \n2(float* __restrict__ Y, const float* W) { wait_for_kernels_before();";
  EXPECT_EQ(of_threads(128, 132 * 128), first + " call_next_kernel();" + second);
  EXPECT_EQ(of_threads(132 * 128, 131 * 128), first + second);
}

TEST(CudaText, lets_kernels_begin_one_after_the_other_where_they_cannot_wait) {
  const std::string text = source_of(loaded(chain), true, target::find("a100"));
  EXPECT_EQ(text.find("griddepcontrol"), std::string::npos) << text;
  EXPECT_EQ(beside_others(text),
            " \n1(const float* __restrict__ X, float* __restrict__ W) {"
            " \n2(const float* __restrict__ X, float* __restrict__ V, const float* __restrict__ W) {"
            " \n3(float* __restrict__ Y, const float* __restrict__ V, const float* __restrict__ W) {");
  EXPECT_EQ(source_of(scheduled_product()).find("griddepcontrol"), std::string::npos);
}

TEST(CudaText, of_a_pipelined_product_waits_once_a_tile) {
  const std::string text = kernels_of(source_of(pipelined_product()));
  const std::size_t loop = text.find("for (int32_t k_0"), end = text.find("\n  }\n", loop);
  int waits = 0;
  for (std::size_t at = text.find("__syncthreads", loop); at < end; at = text.find("__syncthreads", at + 1))
    ++waits;
  EXPECT_EQ(waits, 1) << text;
}

TEST(CudaText, asks_for_every_rounding_where_it_must_not_fuse) {
  const Function f = loaded(R"(
@T.prim_func
def f(X: T.Buffer((8,), "float32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        X[t] = X[t] * T.float32(3.0) + T.float32(1.0)
)");
  EXPECT_NE(source_of(f, false).find("-arch=sm_90a -fmad=false"), std::string::npos);
  EXPECT_EQ(source_of(f, true).find("-fmad=false"), std::string::npos);
}

/// How rows of four numbers from `first` on are stored in an array with that promise.
std::string row_store(const std::string& promise, const std::string& first) {
  const std::string text = kernels_of(source_of(loaded(fmt::format(R"(
@T.prim_func
def rows(X: T.Buffer((64,), "float32"), Y: T.Buffer((67,), "float32"{})):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        for e in T.vectorized(4):
            Y[{} + e] = X[t]
)",
                                                                   promise, first))));
  return text.find("*(Pack<float,4>*)") != std::string::npos   ? "four at once"
         : text.find("*(Pack<float,2>*)") != std::string::npos ? "two at once"
                                                               : "one by one";
}

TEST(CudaText, moves_rows_at_once_only_where_their_place_is_proved) {
  EXPECT_EQ(row_store(", align=16", "t * 4"), "four at once");
  EXPECT_EQ(row_store(", align=16", "t * 8 + 4"), "four at once");
  EXPECT_EQ(row_store(", align=16", "t * 4 + 2"), "two at once");
  EXPECT_EQ(row_store(", align=16", "t * 4 + 1"), "one by one");
  EXPECT_EQ(row_store(", align=8", "t * 4"), "two at once");
  EXPECT_EQ(row_store("", "t * 4"), "one by one");
}

TEST(CudaText, moves_rows_or_zeros_at_once) {
  const auto& all = lower::thread_programs();
  const auto one = std::find_if(all.begin(), all.end(), [](const lower::ThreadProgram& program) {
    return program.program.name == "rows_or_zeros";
  });
  ASSERT_NE(one, all.end());
  const std::string text = kernels_of(source_of(lower::function_of(one->program)));
  EXPECT_NE(text.find(" ? *(const Pack<__half,8>*)("), std::string::npos) << text;
}

std::string refusal(const std::string& body, const std::string& machine = "h200") {
  try {
    const target::Target target = target::find(machine);
    const Function f = loaded(
        "@T.prim_func\ndef f(x: T.handle, Y: T.Buffer((70000,), \"float32\")):\n"
        "    n = T.int64()\n    X = T.match_buffer(x, (n,))\n" +
        body);
    cuda_source(std::vector{lower::lower(f, target)}, target, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CudaText, refuses_what_a_gpu_cannot_do) {
  EXPECT_EQ(
      refusal(R"(    for b in T.thread_binding(70000, thread="blockIdx.y"):
        Y[b] = T.float32(1.0)
)"),
      "lower f: blockIdx.y has 70000 blocks, there may be 65535; bind the loop to blockIdx.x, or split it");
  const std::string shared = R"(    for b in T.thread_binding(1, thread="blockIdx.x"):
        S = T.allocate([20000], "float32", "shared")
        S_1 = T.Buffer((20000,), data=S, scope="shared")
        for t in T.thread_binding(1000, thread="threadIdx.x"):
            for e in range(20):
                S_1[t * 20 + e] = T.float32(1.0)
            Y[t] = S_1[t * 20]
)";
  EXPECT_EQ(refusal(shared), "");
  EXPECT_EQ(
      refusal(shared, "t4"),
      "lower f: a block takes 80000 bytes of shared memory, target t4 has 65536; make the tiles smaller");
  EXPECT_EQ(
      refusal(R"(    for t in T.thread_binding(8, thread="threadIdx.x"):
        L = T.allocate([n], "float32", "local")
        L_1 = T.Buffer((n,), data=L, scope="local")
        for e in range(n):
            L_1[e] = X[e]
        Y[t] = L_1[n - 1]
)"),
      "f_kernel_1: L in scope local has an extent of n, but what a thread keeps has a size that is a number; "
      "split the loops over it by numbers");
  EXPECT_EQ(
      refusal(R"(    for t in T.thread_binding(8, thread="threadIdx.x"):
        T.evaluate(T.call_registered("say", t, dtype="int32"))
)"),
      "f_kernel_1: T.call_registered has no form in CUDA C++; take it out of the loops that are bound to "
      "threads");
  EXPECT_EQ(refusal("    for t in range(8):\n        Y[t] = T.float32(0.0)\n", "avx2"),
            "target avx2: CUDA C++ is for GPUs, this is cpu; choose one, such as h200");
}

}  // namespace

}  // namespace ardea::codegen
