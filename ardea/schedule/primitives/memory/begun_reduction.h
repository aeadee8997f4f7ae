#pragma once

#include <string>
#include <variant>

#include "ardea/schedule/context.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// A part of the program that contains some of the updates of a sum, and its init where they are the first.
struct BegunReduction {
  Stmt without_init;   ///< the part, whose block only updates
  Stmt first_updates;  ///< its first iterations alone: they update every element that the part updates
  Expr begins;         ///< a condition on the place: that the part would run the init, before all updates
};

/// The reduction into the buffer whose block stands in the part at the end of the path, in loops: it sets
/// each element to zero once and then adds to it. Else a clause that says what is in the way.
std::variant<BegunReduction, std::string> begun_reduction(const Function& f, const Path& path,
                                                          const Buffer& buffer, Context& context);

}  // namespace ardea::schedule
