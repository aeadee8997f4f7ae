#include <dlfcn.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/compile/export_library.h"
#include "ardea/compile/toolchain.h"
#include "ardea/runtime/cuda/device.h"
#include "ardea/runtime/load_module.h"
#include "ardea/support/error.h"
#include "ardea/support/subprocess.h"
#include "ardea/support/text_file.h"
#include "tests/support/folder.h"

/// What export_library writes for a GPU, used from C programs that know nothing of Ardea. The stand-in's
/// memory is the host's, so that these programs need no driver of their own.

namespace ardea::compile {
namespace {

using test::Folder;

[[maybe_unused]] const bool stands_in = [] {
  setenv("ARDEA_CUDA_DRIVER", ARDEA_STAND_IN_DRIVER, 1);
  setenv("CUDA_HOME", ARDEA_STAND_IN_CUDA, 1);
  return true;
}();

/// Y = factor X + 1 by two kernels, with an array between them.
const char* const scaled = R"(
@T.prim_func
def scaled(x: T.handle, y: T.handle, factor: T.float32):
    n = T.int64()
    X = T.match_buffer(x, (n,))
    Y = T.match_buffer(y, (n,))
    Z = T.alloc_buffer((n,))
    for b in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("Z"):
                v = T.axis.spatial(n, b * 32 + t)
                T.where(b * 32 + t < n)
                Z[v] = X[v] * factor
    for b in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("Y"):
                v = T.axis.spatial(n, b * 32 + t)
                T.where(b * 32 + t < n)
                Y[v] = Z[v] + T.float32(1.0)
)";

const char* const main_text = R"(
#include <stdio.h>
#include "scaled.h"
static float X[97], Y[97];
int main(void) {
  int wrong = 0;
  for (int i = 0; i < 97; ++i) X[i] = (float)i;
  const int status = ardea_scaled(X, Y, 3.0f, 97, NULL);
  if (status != 0) return printf("%d: %s\n", status, ardea_scaled_error()), 0;
  for (int i = 0; i < 97; ++i) wrong += Y[i] != 3.0f * (float)i + 1.0f;
  printf("%d wrong\n", wrong);
  printf("%d: ", ardea_scaled(NULL, Y, 3.0f, 97, NULL));
  printf("%s\n", ardea_scaled_error());
  printf("%d\n", ardea_scaled(X, Y, 3.0f, 0, NULL));
  return 0;
}
)";

std::vector<std::filesystem::path> exported(const Folder& folder, ExportOptions options = {},
                                            const char* text = scaled) {
  options.folder = folder.path();
  return export_library(arith::load_program(text, "test.tir"), target::find("h200"), options);
}

ProcessResult strict_c(const Folder& folder, const std::vector<std::string>& arguments) {
  const CCompiler compiler = find_c_compiler(target::host().arch);
  Command command{.program = compiler.program, .arguments = compiler.arguments, .folder = folder.path()};
  for (const char* flag : {"-std=c11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"})
    command.arguments.emplace_back(flag);
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run_process(command);
}

std::string built_and_run(const Folder& folder, const std::string& with,
                          const std::map<std::string, std::string>& environment = {}) {
  folder.write("main.c", main_text);
  const ProcessResult built = strict_c(folder, {"main.c", with, "-Wl,-rpath," + folder.path().string(), "-lm",
                                                "-lpthread", "-ldl", "-o", "main"});
  if (!built.succeeded()) return "not compiled: " + built.error;
  const ProcessResult ran = run_process({.program = (folder.path() / "main").string(),
                                         .folder = folder.path(),
                                         .environment = environment,
                                         .time_limit_s = 60});
  return ran.succeeded() ? ran.out : "the program " + ran.description() + ": " + ran.out + ran.error;
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GpuLibrary, is_called_from_c_by_its_object_its_library_and_its_source) {
  const Folder folder;
  exported(folder);
  const std::string answer =
      "0 wrong\n"
      "1: ardea_scaled: argument X (1 of 3) has no memory: its data is null\n"
      "0\n";
  EXPECT_EQ(built_and_run(folder, "scaled.o"), answer);
  EXPECT_EQ(built_and_run(folder, "scaled.so"), answer);
  EXPECT_EQ(built_and_run(folder, "scaled.c"), answer);
  const std::string header = folder.read("scaled.h");
  for (const char* words :
       {"int ardea_scaled(const float* X, float* Y, float factor, int64_t n, void* stream);",
        "stream  the cudaStream_t or CUstream", "for h200 (sm_90a)", "2 where there is no\n * GPU"})
    EXPECT_NE(header.find(words), std::string::npos) << words << "\n" << header;
}

TEST(GpuLibrary, says_what_is_missing_or_fails_and_by_which_number) {
  const Folder folder;
  exported(folder);
  EXPECT_EQ(built_and_run(folder, "scaled.so", {{"ARDEA_CUDA_DRIVER", "/nowhere/libcuda.so"}}),
            "2: ardea_scaled: /nowhere/libcuda.so is not on this machine, it comes with NVIDIA's driver\n");
  EXPECT_EQ(built_and_run(folder, "scaled.so", {{"ARDEA_STAND_IN_FAILS", "cuLaunchKernel"}}),
            "3: ardea_scaled: ardea_scaled_kernel_1: the GPU's driver says unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED)\n");
  EXPECT_EQ(built_and_run(folder, "scaled.so", {{"ARDEA_STAND_IN_FAILS", "cuLibraryLoadData"}}),
            "3: ardea_scaled: its kernels for sm_90a: the GPU's driver says unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED)\n");
  EXPECT_EQ(built_and_run(folder, "scaled.so", {{"ARDEA_STAND_IN_FAILS", "cuMemAllocFromPoolAsync"}}),
            "3: ardea_scaled: memory between its kernels: the GPU's driver says unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED)\n");
}

TEST(GpuLibrary, lets_kernels_behind_the_first_begin_early_where_the_driver_can) {
  const Folder folder;
  exported(folder);
  EXPECT_EQ(built_and_run(folder, "scaled.so", {{"ARDEA_STAND_IN_FAILS", "cuLaunchKernelEx"}}),
            "3: ardea_scaled: ardea_scaled_kernel_2: the GPU's driver says unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED)\n");
  const std::string by_an_older_one =
      built_and_run(folder, "scaled.so",
                    {{"ARDEA_STAND_IN_FAILS", "cuLaunchKernelEx"}, {"ARDEA_STAND_IN_VERSION", "12020"}});
  EXPECT_TRUE(by_an_older_one.starts_with("0 wrong\n")) << by_an_older_one;
}

TEST(GpuLibrary, exports_the_documented_names_only) {
  const Folder folder;
  exported(folder);
  const ProcessResult names = run_process(
      {.program = "nm", .arguments = {"-D", "--defined-only", "scaled.so"}, .folder = folder.path()});
  ASSERT_TRUE(names.succeeded()) << names.error;
  std::vector<std::string> found;
  std::istringstream words(names.out);
  for (std::string address, kind, name; words >> address >> kind >> name;) found.push_back(name);
  EXPECT_EQ(found, (std::vector<std::string>{"ardea_library", "ardea_scaled", "ardea_scaled_error"}));
}

int number_of_driver(const char* name) {
  void* const driver = dlopen(ARDEA_STAND_IN_DRIVER, RTLD_NOW | RTLD_LOCAL);
  return driver == nullptr ? -1 : *static_cast<const int*>(dlsym(driver, name));
}

int loaded_modules() { return number_of_driver("stand_in_loaded_modules"); }

TEST(GpuLibrary, takes_its_kernels_with_it_when_it_is_unloaded) {
  const Folder folder;
  exported(folder);
  const int before = loaded_modules();
  {
    const runtime::Function function =
        runtime::load_module(folder.path() / "scaled.so").get_function("scaled");
    const runtime::Array x = runtime::cuda::to_device(runtime::Array::zeros({50}, float32));
    function(x, runtime::cuda::to_device(runtime::Array::zeros({50}, float32)), 2.0);
    EXPECT_EQ(loaded_modules(), before + 1);
  }
  EXPECT_EQ(loaded_modules(), before);
}

TEST(GpuLibrary, is_a_module_of_this_process_on_arrays_of_the_gpu) {
  const Folder folder;
  exported(folder);
  const runtime::Function function = runtime::load_module(folder.path() / "scaled.so").get_function("scaled");
  const runtime::Array x = runtime::Array::zeros({50}, float32), y = runtime::Array::zeros({50}, float32);
  for (int i = 0; i < 50; ++i) x.set_float(i, i);
  const runtime::Array on_device = runtime::cuda::to_device(x), result = runtime::cuda::to_device(y);
  const int before = number_of_driver("stand_in_early_launches");
  function(on_device, result, 2.0);
  runtime::cuda::copy_to_host(result, y);
  EXPECT_EQ(y.get_float(49), 99);
  EXPECT_EQ(number_of_driver("stand_in_early_launches"), before + 1);
  EXPECT_EQ(error_of([&] { function(on_device, result); }),
            "ardea_scaled: got 2 arguments, takes 3: X, Y, factor");
  EXPECT_EQ(error_of([&] {
              function(on_device, runtime::cuda::to_device(runtime::Array::zeros({51}, float32)), 2.0);
            }),
            "ardea_scaled: argument Y (2 of 3): extent 1 is 51, expected 50 (n)");
}

TEST(GpuLibrary, has_a_header_where_kernels_cannot_be_compiled) {
  const Folder folder;
  const auto files = exported(folder, {.files = {LibraryFile::header}});
  EXPECT_EQ(files.size(), 2U);
  EXPECT_NE(error_of([&] {
              export_library(arith::load_program(scaled, "test.tir"), target::find("vta"),
                             {.folder = folder.path()});
            }).find("only code for processors and GPUs can be linked"),
            std::string::npos);
}

}  // namespace
}  // namespace ardea::compile
