#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ardea/arith/load.h"
#include "ardea/compile/cuda_code_file.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/runtime/cuda/device.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"

/// What launches kernels, on a GPU that is a part of this machine's memory (driver/driver.c): the host's part
/// of a program, its checks, memory between kernels, copies and errors. Kernels themselves, streams that run
/// beside each other and graphs are not here.

namespace ardea::compile {

namespace {

[[maybe_unused]] const int chosen = setenv("ARDEA_CUDA_DRIVER", ARDEA_TEST_DRIVER, 1);

const target::Target& gpu() {
  static const target::Target h200 = target::find("h200");
  return h200;
}

/// Y = 2 X + 1 by two kernels, with an array between them.
Function doubled() {
  return arith::load_program(R"(
@T.prim_func
def doubled(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n,))
    Y = T.match_buffer(y, (n,))
    Z = T.alloc_buffer((n,))
    for b in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("Z"):
                v = T.axis.spatial(n, b * 32 + t)
                T.where(b * 32 + t < n)
                Z[v] = X[v] * T.float32(2.0)
    for b in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("Y"):
                v = T.axis.spatial(n, b * 32 + t)
                T.where(b * 32 + t < n)
                Y[v] = Z[v] + T.float32(1.0)
)",
                             "doubled")
      .functions.at(0);
}

const CudaProgram& program() {
  static const CudaProgram all = [] {
    CudaCode code = cuda_plan(doubled(), gpu());
    code.cubin = "kernels for tests";
    return CudaProgram(code, gpu());
  }();
  return all;
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

runtime::Array counted(std::int64_t n) {
  const runtime::Array array = runtime::Array::zeros({n}, float32);
  for (std::int64_t i = 0; i < n; ++i) array.set_float(i, static_cast<double>(i));
  return array;
}

TEST(CudaRuntime, launches_kernels_on_arrays_of_the_host) {
  const runtime::Function function = program().function();
  for (const std::int64_t n : {1, 31, 32, 33, 97, 1000}) {
    const runtime::Array x = counted(n), y = runtime::Array::zeros({n}, float32);
    function(x, y);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(y.get_float(i), static_cast<double>(2 * i + 1)) << n;
  }
}

TEST(CudaRuntime, uses_arrays_of_the_device_in_place) {
  const runtime::Array x = counted(50), y = runtime::Array::zeros({50}, float32);
  const runtime::Array on_device = runtime::cuda::to_device(x),
                       result = runtime::cuda::empty_on_device({50}, float32);
  program().function()(on_device, result);
  runtime::cuda::copy_to_host(result, y);
  EXPECT_EQ(y.get_float(49), 99);
  EXPECT_EQ(error_of([&] { static_cast<void>(result.get_float(0)); }),
            "Array::get_float: float32[50] on a device, whose elements only its programs reach; copy it to "
            "the host "
            "first");
  EXPECT_EQ(error_of([&] { runtime::cuda::copy_to_host(result, runtime::Array::zeros({51}, float32)); }),
            "copy_to_host: the arrays are float32[51] on the host and float32[50] on a device; give compact "
            "ones of one "
            "shape and type");
}

/// What the driver counts.
std::int64_t (*counter_of_driver(const char* name))() {
  static void* const driver = dlopen(ARDEA_TEST_DRIVER, RTLD_NOW | RTLD_LOCAL);
  return driver == nullptr ? nullptr : reinterpret_cast<std::int64_t (*)()>(dlsym(driver, name));
}

TEST(CudaRuntime, lets_all_kernels_of_a_call_but_the_first_begin_early) {
  const auto early = counter_of_driver("fake_early_launches");
  ASSERT_NE(early, nullptr);
  const runtime::Function function = program().function();
  for (const std::int64_t n : {97, 0, 5}) {
    const std::int64_t before = early();
    function(counted(n), counted(n));
    EXPECT_EQ(early() - before, n == 0 ? 0 : 1) << n;
  }
}

TEST(CudaRuntime, lets_no_kernel_begin_early_before_which_the_call_has_launched_nothing) {
  const auto early = counter_of_driver("fake_early_launches");
  ASSERT_NE(early, nullptr);
  const std::vector<DataType> arguments = {handle_type, handle_type, int64};
  runtime::cuda::Launcher launcher(
      "kernels for tests", {{.name = "doubled_kernel_1", .arguments = arguments},
                            {.name = "doubled_kernel_2", .arguments = arguments, .begins_early = true}});
  const std::vector<runtime::Value> arrays = {runtime::cuda::to_device(counted(1)),
                                              runtime::cuda::to_device(counted(1))};
  const auto early_of = [&](std::int64_t blocks_of_first) {
    const std::int64_t before = early();
    const runtime::Function host("host", [&](std::string_view, std::span<const runtime::Value> values) {
      const auto data = [&](std::size_t i) { return runtime::Value(values[i].as<runtime::Array>().data()); };
      launcher.launch(0, {blocks_of_first, 1, 1}, std::vector{data(0), data(1), runtime::Value(1)});
      launcher.launch(1, {1, 1, 1}, std::vector{data(0), data(1), runtime::Value(1)});
      return runtime::Value();
    });
    launcher.call(host, arrays, nullptr);
    return early() - before;
  };
  EXPECT_EQ(early_of(1), 1);
  EXPECT_EQ(early_of(0), 0);
  EXPECT_EQ(early_of(1), 1);
}

TEST(CudaRuntime, gives_all_memory_back_but_what_lies_between_kernels) {
  const auto live = counter_of_driver("fake_live_allocations");
  ASSERT_NE(live, nullptr);
  const runtime::Function function = program().function();
  const runtime::Array x = counted(1000), y = counted(1000);
  function(x, y);
  const std::int64_t kept = live();
  for (const std::int64_t n : {1, 1000, 33}) function(counted(n), counted(n));
  EXPECT_EQ(live(), kept);
}

/// Kernels that copy boxes are told of the array by an argument behind their own.
TEST(CudaRuntime, tells_kernels_of_the_arrays_that_they_copy_boxes_of) {
  const Function f = arith::load_program(R"(
@T.prim_func
def boxed(X: T.Buffer((5, 24, 72), "float16"), Y: T.Buffer((64,), "float32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        Y[t] = T.Cast("float32", X[0, 0, t])
)",
                                         "boxed")
                         .functions.at(0);
  CudaCode code = cuda_plan(f, gpu());
  code.kernels.at(0).boxes = {{.argument = 0, .type = float16, .extents = {5, 24, 72}, .box = {8, 16}}};
  code.cubin = "kernels for tests";
  const CudaProgram boxed(code, gpu());
  const runtime::Array x = runtime::Array::zeros({5, 24, 72}, float16),
                       y = runtime::Array::zeros({64}, float32);
  boxed.function()(x, y);
  const std::vector<double> told = {
      1,  72, 24, 5, 144, 24 * 144,  // 16 bits; extents and strides, innermost first
      16, 8,  1,  1, 1,   1,         // the box, each element of it
      0,  3};                        // not swizzled; 256 bytes at a time
  for (std::size_t i = 0; i < told.size(); ++i)
    EXPECT_EQ(y.get_float(static_cast<std::int64_t>(i)), told[i]) << i;
}

TEST(CudaRuntime, tells_kernels_of_the_images_that_windows_go_through) {
  const Function f = arith::load_program(R"(
@T.prim_func
def windowed(X: T.Buffer((5, 9, 14, 64), "float16"), Y: T.Buffer((64,), "float32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        Y[t] = T.Cast("float32", X[0, 0, 0, t])
)",
                                         "windowed")
                         .functions.at(0);
  CudaCode code = cuda_plan(f, gpu());
  code.kernels.at(0).boxes = {
      {.argument = 0,
       .type = float16,
       .extents = {5, 9, 14, 64},
       .box = {48, 64},
       .is_swizzled = true,
       .windows = runtime::cuda::TensorWindows{.lower = {-1, -2}, .upper = {-3, 4}, .steps = {2, 3}}}};
  code.cubin = "kernels for tests";
  // A file keeps what it needs for that.
  code.kernels.at(0).begins_early = true;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "windowed";
  write_cuda_code(file, code);
  EXPECT_TRUE(read_cuda_code(file).kernels.at(0).begins_early);
  const CudaProgram windowed(read_cuda_code(file), gpu());
  const runtime::Array x = runtime::Array::zeros({5, 9, 14, 64}, float16),
                       y = runtime::Array::zeros({64}, float32);
  windowed.function()(x, y);
  const std::vector<double> told = {64,    14,     9, 5, 128, 128 * 14, 128 * 14 * 9,  // innermost first
                                    98099, 104097,                                     // corners, and 100
                                    64,    48,     3, 2, 3};  // channels, windows, steps; swizzled
  for (std::size_t i = 0; i < told.size(); ++i)
    EXPECT_EQ(y.get_float(static_cast<std::int64_t>(i)), told[i]) << i;
}

TEST(CudaRuntime, checks_arguments_as_programs_for_processors_do) {
  const runtime::Function function = program().function();
  EXPECT_EQ(error_of([&] { function(counted(8), runtime::Array::zeros({9}, float32)); }),
            "doubled: argument Y (2 of 2): extent 1 is 9, expected 8 (n)");
  EXPECT_EQ(error_of([&] { function(counted(8), runtime::Array::zeros({8}, int32)); }),
            "doubled: argument Y (2 of 2) has elements of int32, expected float32");
  EXPECT_EQ(error_of([&] { function(counted(8)); }), "doubled: got 1 arguments, takes 2: X, Y");
}

TEST(CudaRuntime, tells_what_the_driver_says) {
  const runtime::Function function = program().function();
  EXPECT_EQ(error_of([&] { function(counted(13), counted(13)); }),
            "doubled: the GPU's driver says unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)");
  EXPECT_EQ(error_of([&] { runtime::cuda::empty_on_device({1 << 20}, float32); }),
            "CUDA: 4194304 bytes for an array on a GPU for tests, of whose 1048576 bytes 1048576 are free: "
            "the GPU's "
            "driver says out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(
      error_of([&] { CudaProgram(cuda_plan(doubled(), target::find("a100")), target::find("a100")); }),
      "target a100: its code is for sm_80, and a GPU for tests here is of compute capability 9.0; choose its "
      "target");
  EXPECT_EQ(program().resources()[0].registers, 17);
}

}  // namespace

}  // namespace ardea::compile
