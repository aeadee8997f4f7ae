#pragma once

#include "ardea/rules/rule.h"

/// Products on a unit that works out of scratchpads: rules that take one step of the way each, in the order
/// in which they stand here. Their names are Heron's, where it has them.

namespace ardea::rules {

/// Operands go to the memories that the unit takes them from, each to its own, padded and packed into its
/// tiles.
Rule add_multi_scope_scratchpad();
/// On their way they rest in all memories between, outermost first.
Rule add_multi_level_scratchpad();
/// Sums are made where the unit makes them, and stored when they are complete.
Rule add_cache_stage();
/// Whose columns, or rows, virtual threads share.
Rule virtual_threads();
/// Loops over tiles, in parts that the memories hold.
Rule multi_level_tiling();
/// In which loop each copy is made.
Rule compute_locations();
/// What is left inside is an instruction each.
Rule tensorize_tiles_of_scratchpads();

}  // namespace ardea::rules
