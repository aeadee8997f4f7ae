#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

namespace ardea::measure {

/// A function of somebody's shared library with the C signature that `ardea compile` would give f
/// (docs/linking.md): arrays as pointers and scalars by value, in the order of f's parameters, then the
/// symbolic sizes as int64_t. What it returns, nothing or an int, is not looked at: its answers are. Nothing
/// can check the signature; one that differs is undefined behaviour, as in C.
class LibraryCall {
 public:
  /// Error where the file cannot be opened or has no such symbol, or where there is no C compiler, which
  /// makes the call.
  LibraryCall(const Function& f, const std::filesystem::path& file, const std::string& symbol);

  /// One call on these arguments, whose memory it keeps.
  std::function<void()> on(const std::vector<interp::Argument>& arguments) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace ardea::measure
