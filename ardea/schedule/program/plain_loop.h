#pragma once

#include <optional>

#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

/// Steps that reshape a loop take serial ones without annotations (what was said about the loop would be
/// lost, or said about another) whose bounds are not read from memory (the body may change it).
std::optional<Refusal> refuse_unless_plain(const For& loop);

/// The last of these alone.
std::optional<Refusal> refuse_bounds_in_memory(const For& loop);

/// Steps that say how a loop runs take serial ones, annotated or not.
std::optional<Refusal> refuse_unless_serial(const For& loop);

/// "parallel", "vectorized", …: how messages call a kind of loop.
std::string kind_name(ForKind kind);

}  // namespace ardea::schedule
