#pragma once

#include <optional>

#include "ardea/schedule/analysis/own_memory.h"
#include "ardea/schedule/program/refer.h"

/// Loops whose iterations run at the same time.

namespace ardea::schedule {

/// Parallel, vectorized and thread loops; the others run one iteration after the other.
bool is_concurrent(ForKind kind);

/// Refused where the iterations of the loop, run as `kind` says, touch the same memory in a way that needs an
/// order, or are not proved not to: the sentence tells which. Memory that each iteration has for itself is
/// none. `thread`: what the loop is to be bound to, where it is not yet.
std::optional<Refusal> refuse_carried(const Function& f, const FoundLoop& found, ForKind kind,
                                      const std::string& thread = {});

/// The block in the loop whose reduction it runs over.
struct ReducedBy {
  const Block* block = nullptr;
  Var iterator;
};
std::optional<ReducedBy> reduced_by(const For& loop);

/// Whether the threads that run the iterations of the loop can combine what they make: the block that reduces
/// over it updates a result by an operation that takes its parts in any order, and stands alone in the loops
/// that it reduces over, so that lowering gives each thread a part. `path` leads to the loop.
bool threads_can_combine(const Path& path, const std::string& thread);

/// The refusal of running the loop's iterations at the same time, and where they reduce the way out of it.
std::optional<Refusal> with_rfactor(std::optional<Refusal> refusal, const For& loop);

/// For the step that made `after` of `before`: refused where memory that each iteration of a concurrent loop
/// had for itself is now shared, and they would meet there.
std::optional<Refusal> refuse_lost_privacy(OwnMemory& before, OwnMemory& after);

/// The same for every concurrent loop around the last statement of the path: for steps that put code there.
std::optional<Refusal> refuse_races_around(const Function& f, const Path& path);

}  // namespace ardea::schedule
