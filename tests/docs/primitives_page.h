#pragma once

#include <string>
#include <vector>

#include "ardea/schedule/schedule.h"

/// The page docs/primitives.md, made from examples/primitives: NAME.tir is a small program, NAME.py the
/// steps.

namespace ardea::docs {

/// The example of one primitive.
struct PrimitiveExample {
  const schedule::Primitive* primitive = nullptr;
  Function before;
  std::string steps;         ///< the script as it is written
  schedule::Schedule after;  ///< when all steps are taken
  std::string made;          ///< what the last step of this primitive gave, in words
};

/// Takes the steps of the example. Error where one is refused, where none is of this primitive, where a file
/// is missing.
PrimitiveExample primitive_example(const schedule::Primitive& primitive);

/// The names of the examples that are there, each once, in order.
std::vector<std::string> primitive_example_names();

/// All of the page.
std::string primitives_page();

}  // namespace ardea::docs
