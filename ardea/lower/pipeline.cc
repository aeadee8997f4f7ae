#include "ardea/lower/pipeline.h"

#include <algorithm>

#include "ardea/arith/verify.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::lower {

namespace {

const std::vector<Pass>& cpu_pipeline() {
  static const std::vector<Pass> passes = {
      // First: whether content lives across a loop is read off the declared regions and the inits of blocks.
      {"place_allocations", "every allocation stands around the lowest statement that holds its uses",
       place_allocations},
      {"lower_init", "no block has an init", lower_init},
      // Before blocks_to_loops: a match belongs to its block.
      {"lower_match_buffer", "no block matches a buffer", lower_match_buffer},
      {"blocks_to_loops", "there are no blocks", blocks_to_loops},
      // Before check_accesses, so that the windows of instructions are checked as all other accesses are.
      {"lower_tensor_instructions", "every tensor instruction left has an implementation for the target",
       lower_tensor_instructions},
      // After blocks_to_loops: indices shift by expressions of the loops around, which a block may not name.
      {"compact_allocations", "an allocation without views is as large as the box that is touched",
       compact_allocations},
      // While buffers have their dimensions, by which iterations are told apart; before simplify, which makes
      // a constant of the index in the one iteration that a guard lets through.
      {"independent_lanes", "the iterations of a vectorized loop touch no memory in common",
       independent_lanes},
      {"simplify", "no loop runs once, no condition is decided", simplify},
      // While buffers have their dimensions: a flat index can be inside the memory and outside its row.
      {"check_accesses", "no access leaves its memory: what is not proved is tested", check_accesses},
      {"flatten_storage", "every buffer has one dimension, no strides and no offset", flatten_storage},
      // After check_accesses, whose proofs use the guards; before vectorize: a guard would become a mask.
      {"partition_loops", "guards of tails stand in loops of their own", partition_loops},
      // After check_accesses, whose tests are one an element: a mask has no bounds to prove them by. After
      // flatten_storage: whether an access is a row shows in its flat index.
      {"vectorize", "no loop is vectorized: its iterations are lanes of vectors, or it is serial", vectorize},
      // Before legalise_types, which asks whether a loop is parallel.
      {"serial_kinds", "loops are serial or parallel, parallel loops are not nested", serial_kinds},
      // After flatten_storage: flat indices are what can overflow.
      {"narrow_indices", "index arithmetic is int32 where all its values fit, int64 elsewhere",
       narrow_indices},
      {"legalise_types", "arithmetic is on bool, int8 to int64, float32 and float64", legalise_types},
      // After legalise_types: the rules see float32 and float64 only.
      {"lower_intrinsics", "every intrinsic has a direct form in the backend", lower_intrinsics},
      // Last: from here on the function is called through the ABI, not by its parameters.
      {"pack_arguments", "an entry point of the ABI that has checked its arguments", pack_arguments},
  };
  return passes;
}

Function run_verified(const Pass& pass, const Function& f, const target::Target& target) {
  Function out = pass.run(f, target);
#ifndef NDEBUG
  const std::vector<arith::Violation> violations = arith::verify(out);
  ensure(violations.empty(), "lower {}: {} broke the law {}: {}", f.name, pass.name,
         violations.empty() ? "" : violations[0].law, violations.empty() ? "" : violations[0].message);
#endif
  return out;
}

}  // namespace

const std::vector<Pass>& pipeline(const target::Target& target) {
  require(target.kind == target::Kind::cpu, "lower: target {} is {}, only CPU targets can be lowered for",
          target.name, target::to_string(target.kind));
  return cpu_pipeline();
}

Function lower(const Function& f, const target::Target& target) {
  return lower_until(f, target, pipeline(target).back().name);
}

Function lower_until(const Function& f, const target::Target& target, const std::string& last) {
  std::vector<std::string> names;
  for (const Pass& pass : pipeline(target)) names.push_back(pass.name);
  require(std::find(names.begin(), names.end(), last) != names.end(),
          "lower {}: there is no pass \"{}\"{}; the passes are {}", f.name, last, did_you_mean(last, names),
          join(names, ", "));
  Function out = f;
  for (const Pass& pass : pipeline(target)) {
    out = run_verified(pass, out, target);
    if (pass.name == last) break;
  }
  return out;
}

}  // namespace ardea::lower
