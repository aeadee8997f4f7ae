#pragma once

#include <set>
#include <string>
#include <unordered_set>

namespace ardea::codegen::cuda {

/// The small device functions that a text needs, each defined where it is asked for by some kernel.
class Helpers {
 public:
  /// The name of the helper, which is defined from now on.
  std::string need(const std::string& name);
  /// float16 numbers are used.
  void need_half() { has_half_ = true; }
  bool has_half() const { return has_half_; }

  /// The definitions, in the order in which they use each other.
  std::string text() const;

  /// What kernels must not call their own things: C++'s words, CUDA's variables, and all helpers.
  static const std::unordered_set<std::string>& taken_names();

 private:
  std::set<std::string> needed_;
  bool has_half_ = false;
};

}  // namespace ardea::codegen::cuda
