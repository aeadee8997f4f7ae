#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/cli/program.h"
#include "ardea/interp/interpreter.h"
#include "ardea/measure/packed_weights.h"
#include "ardea/runtime/function.h"

namespace ardea::cli {

/// A program on the backend that `run --backend` chose: something to call on arguments.
struct Runnable {
  std::function<void(const std::vector<interp::Argument>&)> run;
  runtime::Function function = {};  ///< the same for the time evaluator; null for the interpreter
  double compile_s = 0;
};

/// "llvm", "c" or "interp"; Error on any other name.
Runnable on_backend(const Function& f, const std::string& backend);

/// The function of a prepacked program that packs its weights, on that backend; nothing for other programs.
std::optional<measure::PackedWeights> packed_weights(const Program& program, const std::string& backend);

std::vector<runtime::Value> values_of(const std::vector<interp::Argument>& arguments);

}  // namespace ardea::cli
