#pragma once

#include <optional>

#include "ardea/schedule/refer.h"

/// Loops whose iterations run at the same time.

namespace ardea::schedule {

/// Parallel, vectorized and thread loops; the others run one iteration after the other.
bool is_concurrent(ForKind kind);

/// Refused where the iterations of the loop touch the same memory in a way that needs an order.
std::optional<Refusal> refuse_carried(const FoundLoop& found);

/// The same for every concurrent loop around the last statement of the path: for steps that put code there.
std::optional<Refusal> refuse_races_around(const Function& f, const Path& path);

}  // namespace ardea::schedule
