#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Lowering: a program of blocks becomes flat loops that a backend can emit, by a table of passes.

namespace ardea::lower {

struct Pass {
  std::string name;       ///< as `ardea show --pass NAME` takes it
  std::string invariant;  ///< what holds after it
  std::function<Function(const Function&, const target::Target&)> run;
};

/// A pass of a user's own and its place: right after the pass named `after`, or before all where that is
/// empty. It must keep what the passes before it have established, and the meaning of the program. Error with
/// its name where it gives an empty body or leaves a part of a node out.
struct Insertion {
  std::string after;
  Pass pass;
};

struct Options {
  /// In order: of two after the same pass the first runs first, and a later one may stand after an earlier
  /// one.
  std::vector<Insertion> insertions = {};
};

/// The passes for a target, in order, each with the reason for its place where the order matters.
const std::vector<Pass>& pipeline(const target::Target& target);
/// The same with the user's own. Error with the names where one should stand after a pass that there is not,
/// has no name, has the name of another, or has no function.
std::vector<Pass> pipeline(const target::Target& target, const Options& options);

/// f after every pass. In Debug builds each step is verified, and an error names the pass that broke a law,
/// ours or the user's.
Function lower(const Function& f, const target::Target& target, const Options& options = {});
/// The same without the entry point: what its parameters' buffers and scalars are is not checked, and the
/// program can still be interpreted.
Function lower_unpacked(const Function& f, const target::Target& target, const Options& options = {});
/// f after the passes up to and including `last`; Error with the names where there is no such pass.
Function lower_until(const Function& f, const target::Target& target, const std::string& last,
                     const Options& options = {});

}  // namespace ardea::lower
