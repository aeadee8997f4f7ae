#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ardea/te/tensor.h"

namespace ardea::te {

/// What a hybrid function is called with: a tensor; a number, which is a constant of the text; an expression;
/// or a list of these, which the text indexes by constants.
struct HybridArgument {
  using List = std::vector<HybridArgument>;
  std::variant<Tensor, Expr, std::int64_t, double, List> value;

  HybridArgument(Tensor tensor) : value(std::move(tensor)) {}
  HybridArgument(Expr expr) : value(std::move(expr)) {}
  HybridArgument(const Var& var) : value(Expr(var)) {}
  HybridArgument(bool condition) : value(make_bool(condition)) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  HybridArgument(T number) : value(static_cast<std::int64_t>(number)) {}
  template <std::floating_point T>
  HybridArgument(T number) : value(static_cast<double>(number)) {}
  HybridArgument(List list) : value(std::move(list)) {}
  HybridArgument(const std::vector<Tensor>& tensors) : value(List(tensors.begin(), tensors.end())) {}
};

/// Reads `source`, one function in the hybrid dialect (docs/hybrid.md: loops, conditions, variables and local
/// arrays in Python's syntax), calls it with the arguments, and gives what it returns: the results of one
/// stage, whose body the text is. Error with the place, text:line:column, where the text is wrong;
/// `text_name` is what messages call it.
std::vector<Tensor> hybrid(std::string_view source, const std::vector<HybridArgument>& arguments,
                           const std::string& text_name = "hybrid");

}  // namespace ardea::te
