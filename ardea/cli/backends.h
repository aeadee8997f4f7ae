#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/cli/program.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/interp/interpreter.h"
#include "ardea/measure/packed_weights.h"
#include "ardea/runtime/function.h"

namespace ardea::cli {

/// What `--backend` means where it is not given: how the target's programs are compiled.
std::string backend_of(const target::Target& target);

/// A program on the backend that `run --backend` chose: something to call on arguments.
struct Runnable {
  std::function<void(const std::vector<interp::Argument>&)> run;
  runtime::Function function = {};  ///< the same for the time evaluator; null for the interpreter
  double compile_s = 0;
  std::optional<compile::CudaProgram> on_gpu = {};  ///< where the target is one, and not interpreted
};

/// "llvm", "c", "cuda" or "interp"; Error on any other name, and for a target that the backend has no code
/// for.
Runnable on_backend(const Function& f, const std::string& backend,
                    const target::Target& target = target::host());

/// The function of a prepacked program that packs its weights, on that backend; nothing for other programs.
std::optional<measure::PackedWeights> packed_weights(const Program& program, const std::string& backend,
                                                     const target::Target& target = target::host());

std::vector<runtime::Value> values_of(const std::vector<interp::Argument>& arguments);

}  // namespace ardea::cli
