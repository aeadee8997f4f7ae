#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/te/tensor.h"

namespace ardea::te {

/// A parameter of the function: a tensor (an input, or a result that the caller wants) or a scalar that the
/// expressions use.
using Argument = std::variant<Tensor, Var>;

/// The program of blocks that computes the tensors among `arguments`: one nest of loops with one block for
/// each operation, inputs first; what is no argument is allocated. Verified. Error where an input that is
/// read, or a scalar that is used, is no argument.
Function create_prim_func(const std::vector<Argument>& arguments, const std::string& name = "main");

/// Every operation that the tensors need, inputs first; the cell of a scan is inside its scan.
std::vector<std::shared_ptr<const Operation>> operations_of(const std::vector<Tensor>& tensors);

}  // namespace ardea::te
