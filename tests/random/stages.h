#pragma once

#include <vector>

#include "tests/random/program_state.h"

/// The kinds of stages that a program of blocks is made of. Each function adds one stage (a block in its
/// loops, or the few blocks that belong together), reads what the program has so far or new arguments, and
/// publishes what it makes.

namespace ardea::random_programs {

// stages_elementwise.cc
void map_stage(
    ProgramState& state);  ///< element by element: broadcasts, transposes, lets, branches, two results
void reshape_stage(ProgramState& state);   ///< two dimensions to one, or one to two
void in_place_stage(ProgramState& state);  ///< a tensor updated where it lies
// stages_reduction.cc
void reduction_stage(ProgramState& state);  ///< sum, product, minimum or maximum over any dimensions
void argument_of_best_stage(
    ProgramState& state);              ///< position and value of the extreme: two results of one block
void scan_stage(ProgramState& state);  ///< a running combination: an ordered iterator
// stages_window.cc
void padded_window_stage(
    ProgramState& state);                 ///< a padded copy, and windows with strides and dilation over it
void stencil_stage(ProgramState& state);  ///< a few neighbours of each element
void border_stage(ProgramState& state);   ///< neighbours held or mirrored at the borders, in several rows
// stages_indirect.cc
void gather_stage(ProgramState& state);   ///< reads where another tensor says
void scatter_stage(ProgramState& state);  ///< adds up where another tensor says
// stages_nested.cc
void tiled_stage(ProgramState& state);    ///< a block around blocks, with memory of its own
void matched_stage(ProgramState& state);  ///< rows as matched sub-buffers
void fused_stage(ProgramState& state);  ///< a producer inside its consumer's loop: the allocation can shrink
// stages_vector.cc
void vector_stage(ProgramState& state);  ///< ramps and masks

struct StageKind {
  double weight;
  void (*write)(ProgramState&);
};

}  // namespace ardea::random_programs
