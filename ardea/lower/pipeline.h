#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Lowering: a program of blocks becomes flat loops that a backend can emit, by a table of passes.

namespace ardea::lower {

struct Pass {
  std::string name;       ///< as `ardea show --pass NAME` takes it
  std::string invariant;  ///< what holds after it
  Function (*run)(const Function&, const target::Target&);
};

/// The passes for a target, in order, each with the reason for its place where the order matters.
const std::vector<Pass>& pipeline(const target::Target& target);

/// f after every pass. In Debug builds each step is verified.
Function lower(const Function& f, const target::Target& target);
/// f after the passes up to and including `last`; Error with the names where there is no such pass.
Function lower_until(const Function& f, const target::Target& target, const std::string& last);

}  // namespace ardea::lower
