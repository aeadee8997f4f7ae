#pragma once

#include <string>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea {

/// A parameter is a scalar, or a handle whose memory `buffer` describes.
struct Parameter {
  Var var;
  Buffer buffer = {};  ///< empty for a scalar
};

/// A tensor program. Extents that are variables of no scalar parameter ("symbolic shapes") are read from the
/// shapes of the arrays at the call: each must be a whole extent of some parameter.
struct Function {
  std::string name = "main";
  std::vector<Parameter> parameters;
  Attributes attributes = {};
  Stmt body;
  /// Conditions on symbolic extents and scalar parameters that the body counts on. A call that does not
  /// fulfil one is an error.
  std::vector<Expr> assumptions = {};
};

/// Functions by name, in the order written. A module without a name prints its functions bare.
struct Module {
  std::string name = {};
  std::vector<Function> functions;

  const Function* find(const std::string& function_name) const;
};

/// The variables that stand for symbolic extents: used in the parameters' buffers and defined by no
/// parameter, in the order of their first use.
std::vector<Var> shape_variables(const Function& f);

/// The block that holds the body of a function in block form (its id is the root's), or nullptr for a lowered
/// function.
const Block* root_block(const Function& f);

}  // namespace ardea
