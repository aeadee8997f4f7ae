#pragma once

#include <string>
#include <unordered_map>

#include "ardea/ir/expr.h"

namespace ardea::compile {

/// An extent or stride as a C expression of type int64_t over the C names of its variables, with the meaning
/// of docs/semantics.md. It may call the functions of c_extent_helpers. Error, with `where`, for what no
/// extent needs: loads and calls.
std::string c_extent(const Expr& e, const std::unordered_map<Expr, std::string>& names,
                     const std::string& where);

/// The C functions among ardea_extent_{div,mod,min,max} that `text` calls.
std::string c_extent_helpers(const std::string& text);

}  // namespace ardea::compile
