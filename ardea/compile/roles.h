#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea::compile {

/// What a program does with an argument, by the first access in program order. Scalars are inputs.
enum class Role {
  input,     ///< only read
  output,    ///< written before it is read
  in_place,  ///< read, then written; or handed, by its address, to a function that may do both
};
std::string to_string(Role role);

/// One for each parameter.
std::vector<Role> argument_roles(const Function& f);

}  // namespace ardea::compile
