#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/lower/pipeline.h"
#include "ardea/runtime/module.h"
#include "ardea/target/target.h"

/// Function + target → module.

namespace ardea::compile {

struct Options {
  /// Let the backend fuse a*b+c into one rounding. Off gives the interpreter's bits.
  bool contract = true;
  int optimization_level = 3;
  /// Call the C library for every approximate function, as the attribute "library_functions" of a Function
  /// does, instead of computing it in place (docs/functions.md): slower, and the interpreter's answers in
  /// float64.
  bool library_functions = false;
  /// Passes of the caller's own, each at its place among those of lowering (docs/lowering.md).
  lower::Options lowering = {};
  /// Called with a sentence for each request that is not honoured, and each way round a fault of the C
  /// compiler; the answers are the same. Empty: nobody is told.
  std::function<void(const std::string&)> note = {};
};

/// "Ardea 0.1.0, LLVM 19.1.7": times of code that another version made say nothing about this one's.
std::string version();

/// Verifies, lowers, compiles and loads for this machine, or for the GPU in it (cuda_program.h). The module
/// has one packed function a Function of m. Error where the program is wrong or uses what the target lacks.
runtime::Module callable(const Module& m, const target::Target& target, const Options& options = {});
runtime::Function callable(const Function& f, const target::Target& target, const Options& options = {});

/// The same in two steps, for two processes: the code as a relocatable file's bytes, for any target, and its
/// functions of these names made callable. Error where this machine cannot run the target's code.
std::string object_code(const Module& m, const target::Target& target, const Options& options = {});
runtime::Module load_object(const std::string& object, const std::vector<std::string>& functions,
                            const target::Target& target);

/// The same code as text, for any target.
std::string llvm_ir(const Module& m, const target::Target& target, const Options& options = {});
std::string assembly(const Module& m, const target::Target& target, const Options& options = {});
/// As C11 (codegen/c/codegen_c.h), to read and to ship.
std::string c_source(const Module& m, const target::Target& target, const Options& options = {});
/// As CUDA C++ (codegen/cuda/codegen_cuda.h), for a GPU.
std::string cuda_source(const Module& m, const target::Target& target, const Options& options = {});

}  // namespace ardea::compile
