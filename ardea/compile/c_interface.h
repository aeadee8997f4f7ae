#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/compile/roles.h"
#include "ardea/ir/function.h"

/// How a C program calls a compiled function: docs/linking.md.

namespace ardea::compile {

struct CParameter {
  std::string name;  ///< an identifier, unique in its function
  std::string type;  ///< "const float*", "int32_t"
  std::string note;  ///< "input, float32[64, 64], address a multiple of 64"
  Role role = Role::input;
  std::int64_t alignment_bytes = 1;  ///< of an array: its address is a multiple
};

/// int NAME(pointers and scalars in the order of the parameters, then the symbolic sizes, then the stream)
struct CFunction {
  Function function;         ///< the program; its name is the C name, so that sentences begin with it
  std::string program_name;  ///< its name in the program
  std::vector<CParameter> parameters;       ///< one a parameter of the function
  std::vector<Var> sizes;                   ///< symbolic extents and strides, in order of first use
  std::vector<CParameter> size_parameters;  ///< one a size
  std::optional<CParameter> stream = {};    ///< the last of all, where it runs on a GPU

  const std::string& name() const { return function.name; }
  std::string error_name() const { return name() + "_error"; }
  std::string declaration() const;  ///< without the semicolon
};

/// One a function of the module. Error where `prefix` + name cannot be a C function's name, or two names are
/// the same. On a GPU arrays are its memory, and each function takes a stream.
std::vector<CFunction> c_interface(const Module& m, const std::string& prefix, bool on_gpu = false);

}  // namespace ardea::compile
