#pragma once

#include <unordered_map>

#include "ardea/ir/traverse.h"

namespace ardea {

using Substitution = std::unordered_map<Var, Expr>;

/// Every use of a variable of the map replaced by its value; buffers whose shapes mention one are replaced
/// too.
Expr substitute(const Expr& e, const Substitution& values);
Stmt substitute(const Stmt& s, const Substitution& values);
Function substitute(const Function& f, const Substitution& values);
Expr substitute(const Expr& e, const Var& var, const Expr& value);
Stmt substitute(const Stmt& s, const Var& var, const Expr& value);

/// Every mention of a buffer of the map replaced.
Stmt substitute_buffers(const Stmt& s, const std::unordered_map<Buffer, Buffer>& buffers);

/// The variables that s uses and does not define, in the order of first use.
std::vector<Var> free_variables(const Expr& e);
std::vector<Var> free_variables(const Stmt& s);
bool uses(const Expr& e, const Var& var);
bool uses(const Stmt& s, const Var& var);

/// A copy in which every variable, buffer and block that s itself defines is a new one: for primitives that
/// copy code.
Stmt fresh_copy(const Stmt& s);

}  // namespace ardea
