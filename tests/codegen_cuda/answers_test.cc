#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/load.h"
#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/gpu/split_kernels.h"
#include "ardea/lower/pipeline.h"
#include "ardea/runtime/registry.h"
#include "ardea/support/subprocess.h"
#include "ardea/support/text_file.h"
#include "tests/codegen_cuda/programs.h"
#include "tests/support/folder.h"
#include "thread_programs.h"

/// The kernels' text computes what the interpreter does, to the bit: compiled for this machine behind
/// cuda_on_cpu.h, and launched by the interpreter, which runs the host's part. What only a GPU shows, its own
/// compiler's and its memory's ways, is not seen here.

namespace ardea::codegen {

namespace {

/// Calls the kernel with arrays and numbers, each by its address.
std::string launcher_of(const lower::Kernel& kernel) {
  std::string call;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const DataType type = kernel.arguments[i].type();
    if (i > 0) call += ", ";
    call += type.is_handle() ? fmt::format("AnyArray{{arguments[{}]}}", i)
                             : fmt::format("({}int{}_t)*(const int64_t*)arguments[{}]",
                                           type.is_uint() ? "u" : "", type.bits, i);
  }
  return fmt::format(
      "extern \"C\" void launch_{0}(const int64_t* grid, const int64_t* block, void** arguments) {{\n"
      "  launch(grid, block, [&] {{ {0}({1}); }});\n}}\n",
      kernel.name, call);
}

using Launcher = void (*)(const std::int64_t*, const std::int64_t*, void**);

/// The kernel as a function that the host's part calls.
runtime::Function launched(const lower::Kernel& kernel, Launcher launcher) {
  const auto call = [kernel, launcher](std::string_view, std::span<const runtime::Value> values) {
    std::vector<std::int64_t> numbers(values.size());
    std::vector<void*> arguments;
    Substitution known;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Var& var = kernel.arguments[i];
      if (var.type().is_handle()) {
        arguments.push_back(values[i].as<void*>());
        continue;
      }
      numbers[i] = values[i].as<std::int64_t>();
      arguments.push_back(&numbers[i]);
      known.emplace(var, make_int(numbers[i], var.type()));
    }
    std::int64_t grid[3], block[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid[axis] = constant_int(arith::Analyzer().simplify(substitute(kernel.grid[axis], known))).value();
      block[axis] = constant_int(kernel.block[axis]).value();
    }
    launcher(grid, block, arguments.data());
    return runtime::Value(std::int64_t{0});
  };
  return {kernel.name, call};
}

struct Case {
  lower::Program program;
  Function function;
};

std::vector<Case> cases() {
  std::vector<Case> all = {{{"scheduled_product", ""}, scheduled_product()},
                           {{"types", ""}, types_program()}};
  all[1].program.largest_integer = 6;
  all.push_back({{"pipelined_product", ""}, pipelined_product()});
  for (const Function& f : scheduled_rows()) all.push_back({{f.name, ""}, f});
  for (const lower::ThreadProgram& one : lower::thread_programs())
    all.push_back({one.program, lower::function_of(one.program)});
  return all;
}

/// A GPU that copies at once: processors have no instructions for copies that are under way.
const target::Target& without_copy_engines() {
  static const target::Target plain = [] {
    target::Target made = gpu();
    made.gpu->copy_engines.clear();
    return made;
  }();
  return plain;
}

TEST(CudaAnswers, are_the_interpreters_to_the_bit) {
  const test::Folder folder;
  std::vector<Function> lowered;
  std::vector<lower::SplitProgram> split;
  std::string launchers;
  const std::vector<Case> all = cases();
  for (const Case& one : all) {
    lowered.push_back(lower::lower(one.function, without_copy_engines()));
    split.push_back(lower::split_kernels(lowered.back(), without_copy_engines()));
    for (const lower::Kernel& kernel : split.back().kernels) launchers += launcher_of(kernel);
  }
  const std::string shim =
      read_text_file(std::string(ARDEA_SOURCE_DIR) + "/tests/codegen_cuda/cuda_on_cpu.h");
  for (const char* header : {"cuda_fp16.h", "cuda_bf16.h"}) std::ofstream(folder.path() / header) << "\n";
  std::ofstream(folder.path() / "kernels.cc")
      << shim << cuda_source(lowered, without_copy_engines(), {.contract = false}) << launchers;
  const ProcessResult compiled =
      run_process({ARDEA_CXX_COMPILER,
                   {"-std=c++20", "-O0", "-ffp-contract=off", "-fno-strict-aliasing", "-w", "-I.", "-shared",
                    "-fPIC", "-o", "kernels.so", "kernels.cc", "-pthread"},
                   folder.path()});
  ASSERT_TRUE(compiled.succeeded()) << compiled.error;
  void* library = dlopen((folder.path() / "kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const lower::Kernel& kernel : split[i].kernels) {
      const auto launcher = reinterpret_cast<Launcher>(dlsym(library, ("launch_" + kernel.name).c_str()));
      ASSERT_NE(launcher, nullptr);
      runtime::register_function(kernel.name, launched(kernel, launcher), true);
    }
    const auto given = lower::arguments_of(all[i].function, all[i].program, 3);
    std::vector<interp::Argument> wanted = lower::copies(given), got = lower::copies(given);
    // The same arithmetic: functions such as exp are nearly what the interpreter makes of them.
    interp::run(lowered[i], wanted);
    interp::run(split[i].host, got);
    EXPECT_EQ(lower::difference(wanted, got, 0), "") << all[i].program.name << "\n" << print(split[i].host);
  }
}

}  // namespace

}  // namespace ardea::codegen
