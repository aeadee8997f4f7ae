#pragma once

#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/runtime/module.h"

namespace ardea::intrin {

/// Calls a compiled function with what the interpreter takes.
inline void call(const runtime::Function& f, const std::vector<interp::Argument>& arguments) {
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  f.call(values);
}

}  // namespace ardea::intrin
