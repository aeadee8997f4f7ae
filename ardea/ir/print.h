#pragma once

#include <string>

#include "ardea/ir/function.h"

namespace ardea {

/// The TVMScript dialect: parse(print(p)) is p. Names are made unique by appending _1, _2, … where two things
/// in one scope share one.
std::string print(const Module& m);
std::string print(const Function& f);
/// Parts, for messages: free variables print by name, and names stay as they were given.
std::string print(const Stmt& s);
std::string print(const Expr& e);
std::string print(const BufferRegion& region);

}  // namespace ardea
