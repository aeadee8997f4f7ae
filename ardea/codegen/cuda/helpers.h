#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "ardea/support/data_type.h"

namespace ardea::codegen::cuda {

/// What kernels call the arguments by which they know arrays that a unit copies boxes of: this and a number.
inline constexpr auto tensor_map_name = "tensor_map_";

/// The small device functions that a text needs, each defined where it is asked for by some kernel.
class Helpers {
 public:
  /// The name of the helper, which is defined from now on.
  std::string need(const std::string& name);
  /// The name of a function that runs a tensor instruction: `text` defines it as $function.
  std::string instruction(const std::string& name, const std::string& text);
  /// Numbers of the type are used: float16 and bfloat16 have headers of their own.
  void need_type(DataType type);
  /// The lines that include them.
  std::string includes() const;

  /// The definitions, in the order in which they use each other.
  std::string text() const;

  /// What kernels must not call their own things: C++'s words, CUDA's variables, and all helpers.
  static const std::unordered_set<std::string>& taken_names();

 private:
  std::set<std::string> needed_;
  std::map<std::string, std::string> instructions_;  ///< by the name of the function
  bool has_float16_ = false, has_bfloat16_ = false;
};

}  // namespace ardea::codegen::cuda
