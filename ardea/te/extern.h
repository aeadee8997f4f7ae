#pragma once

#include <functional>

#include "ardea/te/tensor.h"

namespace ardea::te {

struct TensorType {
  std::string name;
  Shape shape;
  DataType type = float32;
};

/// A stage written by hand: `body` gives the statement that fills the outputs from the inputs. (A
/// FunctionBuilder, or text by hybrid.h, writes one.)
std::vector<Tensor> external(
    std::string name, const std::vector<Tensor>& inputs, const std::vector<TensorType>& outputs,
    const std::function<Stmt(const std::vector<Buffer>& inputs, const std::vector<Buffer>& outputs)>& body);

/// A stage that calls the C++ function registered under `function` (runtime/tensor_function.h registers one
/// that takes arrays: the inputs, then the outputs).
std::vector<Tensor> call_registered(std::string name, const std::string& function,
                                    const std::vector<Tensor>& inputs,
                                    const std::vector<TensorType>& outputs);

}  // namespace ardea::te
