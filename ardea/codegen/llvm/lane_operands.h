#pragma once

namespace llvm {
class Function;
class ScalarEvolution;
}  // namespace llvm

namespace ardea::codegen {

/// Numbers that lie side by side and are each broadcast to the lanes of a vector are loaded as one vector, of
/// which instructions take a lane:
///
///   broadcast(load p), broadcast(load p + 1), …   ⇒   v = load a vector at p; lane 0 of v, lane 1 of v, …
///
/// For machines that multiply by a lane: beside them a load for each number is what a tile of sums waits for.
/// No more is read than before, and nothing over a store. Whether there was something to do.
bool load_lane_operands(llvm::Function& function, llvm::ScalarEvolution& evolution);

}  // namespace ardea::codegen
