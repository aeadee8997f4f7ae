#include "ardea/compile/cuda_file.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/measure/error_bounds.h"
#include "ardea/ops/registry.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/error.h"
#include "ardea/support/subprocess.h"
#include "ardea/support/text_file.h"
#include "tests/support/folder.h"

/// Files that nvcc builds alone: built by it where it is, and everywhere by the host's compiler over a
/// stand-in for CUDA's runtime, where they run.

namespace ardea::compile {
namespace {

using test::Folder;

Function scheduled(const Function& f, const std::string& steps) {
  schedule::Schedule schedule(f);
  schedule.replay(schedule::parse_steps(steps, "steps"));
  return fold_literals(schedule.program());
}

Function workload(const std::string& op, std::vector<std::int64_t> sizes, DataType type) {
  ops::Workload wanted{.op = op, .sizes = std::move(sizes), .out = type};
  wanted.in = {type};
  return ops::create_function(ops::make_workload(std::move(wanted)), op);
}

HostReference reference_of(const Function& written) {
  measure::BoundedProgram bounded = measure::with_error_bounds(written);
  HostReference reference{.program = std::move(bounded.function), .places = {}};
  for (const measure::BoundedParameter& p : bounded.parameters)
    reference.places.push_back({p.value, p.bound});
  return reference;
}

const target::Target& gpu() {
  static const target::Target h200 = target::find("h200");
  return h200;
}

std::string example(const std::string& name) { return read_text_file(ARDEA_SOURCE_DIR "/examples/" + name); }

/// What it says and how it ends, built by the host's compiler.
ProcessResult built_and_run(const std::string& text) {
  const Folder folder;
  folder.write("program.cc", text);
  const ProcessResult built = run_process(
      {.program = ARDEA_HOST_COMPILER,
       .arguments = {"-std=c++17", "-w", "-I", ARDEA_STAND_IN_HEADERS, "program.cc", "-o", "program"},
       .folder = folder.path(),
       .time_limit_s = 120});
  if (!built.succeeded()) return built;
  return run_process(
      {.program = (folder.path() / "program").string(), .folder = folder.path(), .time_limit_s = 60});
}

TEST(CudaFile, checks_itself) {
  const Function product = workload("gemm", {64, 64, 64}, float32);
  const std::string text =
      cuda_file(scheduled(product, example("gemm_threads.py")), reference_of(product), gpu());
  const ProcessResult ran = built_and_run(text);
  EXPECT_TRUE(ran.succeeded()) << ran.description() << ran.out << ran.error;
  EXPECT_NE(ran.out.find("C: 0 of 4096 elements are wrong"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(" us a call, of 20 in a row"), std::string::npos) << ran.out;
}

/// Two kernels, and memory between them.
Function stages() {
  return arith::load_program(R"(
@T.prim_func
def stages(A: T.Buffer((37,), "int32"), B: T.Buffer((37,), "int32")):
    Z = T.alloc_buffer((37,), "int32")
    for i in T.serial(37):
        with T.block("Z"):
            v = T.axis.spatial(37, i)
            Z[v] = A[v] * 3
    for i in T.serial(37):
        with T.block("B"):
            v = T.axis.spatial(37, i)
            B[v] = Z[v] - 7
)",
                             "stages")
      .functions.at(0);
}

std::string by_threads(const std::vector<std::string>& blocks) {
  std::string steps;
  for (const std::string& block : blocks)
    steps += fmt::format(
        "i, = sch.get_loops(sch.get_block(\"{}\"))\nb, t = sch.split(i, [None, 8])\nsch.bind(b, "
        "\"blockIdx.x\")\nsch.bind(t, \"threadIdx.x\")\n",
        block);
  return steps;
}

TEST(CudaFile, has_memory_between_kernels_and_integers) {
  const std::string text =
      cuda_file(scheduled(stages(), by_threads({"Z", "B"})), reference_of(stages()), gpu());
  EXPECT_NE(text.find("require_success(cudaLaunchKernel(stages_kernel_1, "), std::string::npos) << text;
  EXPECT_NE(text.find("require_success(launch_early(stages_kernel_2, "), std::string::npos) << text;
  const ProcessResult ran = built_and_run(text);
  EXPECT_TRUE(ran.succeeded()) << ran.description() << ran.out << ran.error;
  EXPECT_NE(ran.out.find("B: 0 of 37 elements are wrong"), std::string::npos) << ran.out;
}

TEST(CudaFile, ends_with_one_where_an_element_is_wrong) {
  const Function product = workload("gemm", {64, 64, 64}, float32);
  Function other = arith::load_program(R"(
@T.prim_func
def gemm(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] + B[vi, vj]
)",
                                       "other")
                       .functions.at(0);
  const ProcessResult ran =
      built_and_run(cuda_file(scheduled(product, example("gemm_threads.py")), reference_of(other), gpu()));
  EXPECT_EQ(ran.code, 1) << ran.out << ran.error;
  EXPECT_NE(ran.out.find("C[0] is "), std::string::npos) << ran.out;
}

TEST(CudaFile, is_taken_by_nvcc) {
  std::string nvcc;
  for (const char* program : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (nvcc.empty() && run_process({program, {"--version"}}).succeeded()) nvcc = program;
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is neither on PATH nor in /usr/local/cuda";
  const Folder folder;
  // Built by the command that the file begins with, for sooner without -O2.
  const auto expect_taken = [&](const Function& written, const std::string& steps) {
    const Function made = scheduled(written, steps);
    const std::string text = cuda_file(made, reference_of(written), gpu());
    folder.write(made.name + ".cu", text);
    const std::size_t begin = text.find("nvcc ") + 5;
    std::istringstream words(text.substr(begin, text.find(" && ", begin) - begin));
    Command request{.program = nvcc, .arguments = {}, .folder = folder.path(), .time_limit_s = 120};
    for (std::string word; words >> word;) request.arguments.push_back(word == "-O2" ? "-O0" : word);
    request.arguments.insert(request.arguments.end(), {"-Werror", "all-warnings"});
    const ProcessResult result = run_process(request);
    EXPECT_TRUE(result.succeeded()) << made.name << ": " << result.out << result.error;
  };
  expect_taken(workload("gemm", {64, 64, 64}, float32), example("gemm_threads.py"));
  expect_taken(stages(), by_threads({"Z", "B"}));
  // Narrow floats have headers of their own.
  const Function narrow = arith::load_program(R"(
@T.prim_func
def halves(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "bfloat16")):
    for i in T.serial(64):
        with T.block("B"):
            v = T.axis.spatial(64, i)
            B[v] = T.Cast("bfloat16", A[v] * T.float16(2.0))
)",
                                              "halves")
                              .functions.at(0);
  expect_taken(narrow, R"(
i, = sch.get_loops(sch.get_block("B"))
sch.bind(i, "threadIdx.x")
)");
  Function by_groups = workload("gemm", {128, 64, 128}, float16);
  by_groups.name = "groups";
  for (const char* array : {"A", "B", "C"}) by_groups = promise_alignment(by_groups, array, 16, "test");
  expect_taken(by_groups, example("gemm_wgmma.py"));
}

TEST(CudaFile, is_refused_where_only_a_call_knows_a_number) {
  const Function f = arith::load_program(R"(
@T.prim_func
def copy(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in T.thread_binding(n, thread="blockIdx.x"):
        with T.block("B"):
            v = T.axis.spatial(n, i)
            B[v] = A[v]
)",
                                         "copy")
                         .functions.at(0);
  try {
    cuda_file(f, {}, gpu());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "copy: a .cu file calls the program itself, and the size n of A is only known to a call; "
                 "write numbers, or ask for so, c and h");
  }
}

}  // namespace
}  // namespace ardea::compile
