#include "ardea/lower/pipeline.h"

#include <algorithm>

#include "ardea/arith/verify.h"
#include "ardea/ir/complete.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/support/timings.h"

namespace ardea::lower {

namespace {

const std::vector<Pass>& cpu_pipeline() {
  static const std::vector<Pass> passes = {
      // First: dependences are known best while there are blocks, and this is the program that schedules see:
      // what they have accepted is accepted here.
      {"plan_pipelines", "every loop that is to be a pipeline has stages that are proved to be legal",
       plan_pipelines},
      // Before lower_init: whether content lives across a loop is read off the declared regions and the inits
      // of blocks.
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
      // After blocks_to_loops: which version of a buffer is meant is an expression of the loop, which a block
      // may not name. After compact_allocations: versions are of what one iteration touches. Before simplify,
      // which joins sequences: each statement of the loop is still the one that the stages speak of.
      {"inject_software_pipeline", "no loop is a pipeline: it is filled before it and drained after it",
       inject_software_pipeline},
      // While buffers have their dimensions, by which iterations are told apart; before simplify, which makes
      // a constant of the index in the one iteration that a guard lets through.
      {"independent_iterations", "the iterations of a vectorized or parallel loop touch no memory in common",
       independent_iterations},
      {"simplify", "no loop runs once, no condition is decided", simplify},
      // While buffers have their dimensions: a flat index can be inside the memory and outside its row.
      {"check_accesses", "no access leaves its memory: what is not proved is tested", check_accesses},
      // After check_accesses, and all that tells accesses apart by their indices: places within rows are
      // harder to tell apart. Before align_strides: rows are as long as their elements.
      {"swizzle_rows", "elements of allocations lie within their rows as row_swizzle asks for", swizzle_rows},
      // After compact_allocations, because a stride has to hold what is left of the dimensions inside; after
      // check_accesses, which compares indices with extents, and elements between rows with nothing.
      {"align_strides", "strides of allocations are what buffer_dim_align asks for", align_strides},
      {"flatten_storage", "every buffer has one dimension, no strides and no offset", flatten_storage},
      // After flatten_storage: which element is written in place of which is one index. Before loops are cut
      // and become lanes: the element that an iteration touches still shows. After independent_iterations,
      // which
      // would find iterations meeting in memory that is shared.
      {"reuse_storage", "allocations that are not needed at the same time share memory", reuse_storage},
      // After check_accesses, whose proofs use the guards; before vectorize: a guard would become a mask.
      {"partition_loops", "guards of tails stand in loops of their own", partition_loops},
      // After check_accesses, whose tests are one an element: a mask has no bounds to prove them by. After
      // flatten_storage: whether an access is a row shows in its flat index.
      {"vectorize", "no loop is vectorized: its iterations are lanes of vectors, or it is serial", vectorize},
      // Before legalise_types, which asks whether a loop is parallel.
      {"serial_kinds", "loops are serial, parallel or unrolled, parallel loops are not nested", serial_kinds},
      // After flatten_storage: flat indices are what can overflow.
      {"narrow_indices", "index arithmetic is int32 where all its values fit, int64 elsewhere",
       narrow_indices},
      // After narrow_indices, which need not look at every copy.
      {"unroll_loops", "loops marked unrolled are written out, or left to the backend", unroll_loops},
      // After unroll_loops, which makes the indices of register buffers constant; before promote_registers,
      // which makes values of masked accesses.
      {"drop_masks", "masks of tails stand only where they matter", drop_masks},
      // After unroll_loops, which puts columns side by side; after drop_masks: what has a mask is no column.
      {"transpose_tiles", "columns that lie side by side are loaded by rows", transpose_tiles},
      // The same.
      {"join_strided_loads", "lanes two elements apart that overlap are read from rows that they share",
       join_strided_loads},
      // After unroll_loops, as above; before names hide the indices.
      {"promote_registers", "memory of scope register is slots of one vector each", promote_registers},
      // After narrow_indices: the names get the final types, and no pass has to look through them.
      {"hoist_invariants", "conditions, divisions and calls stand outside the loops that do not change them",
       hoist_invariants},
      {"eliminate_common_subexpressions", "what is computed twice has a name",
       eliminate_common_subexpressions},
      {"legalise_types", "arithmetic is on bool, int8 to int64, float32 and float64", legalise_types},
      // After legalise_types: the rules see float32 and float64 only.
      {"lower_intrinsics", "every intrinsic has a direct form in the backend", lower_intrinsics},
      // After all that looks at calls and addresses: a hint is neither in the way of a proof nor moved by
      // one.
      {"insert_prefetches", "no loop has the pragma prefetch: hints stand before the accesses",
       insert_prefetches},
      // Last: from here on the function is called through the ABI, not by its parameters. lower_unpacked ends
      // before
      // it.
      {"pack_arguments", "an entry point of the ABI that has checked its arguments", pack_arguments},
  };
  return passes;
}

/// One of the passes for CPUs; what is said there of their order holds for GPUs, too.
const Pass& shared_pass(const std::string& name) {
  const std::vector<Pass>& passes = cpu_pipeline();
  const auto at =
      std::find_if(passes.begin(), passes.end(), [&](const Pass& pass) { return pass.name == name; });
  ensure(at != passes.end(), "there is no pass {} for CPUs", name);
  return *at;
}

const std::vector<Pass>& gpu_pipeline() {
  static const std::vector<Pass> passes = {
      shared_pass("plan_pipelines"),
      // While blocks tell what is reduced, and before the memory of its parts is placed.
      {"spread_reductions", "of a reduction over threads each has a part, and a loop combines them",
       spread_reductions},
      shared_pass("place_allocations"),
      shared_pass("lower_init"),
      shared_pass("lower_match_buffer"),
      shared_pass("blocks_to_loops"),
      shared_pass("lower_tensor_instructions"),
      // Before pipelines are filled and drained: copies of their statements prove nothing more.
      {"independent_threads", "all stands in launches, whose threads touch no memory in common",
       independent_threads},
      shared_pass("compact_allocations"),
      shared_pass("inject_software_pipeline"),
      // After inject_software_pipeline, whose stages count the statements of a loop: barriers are more of
      // them.
      {"unify_thread_bindings",
       "a launch is one nest of loops over blocks and threads, which run concurrently",
       unify_thread_bindings},
      // Before drop_barriers, which decides on the barriers between warps, too.
      {"combine_by_shuffles", "threads combine the parts of a reduction together", combine_by_shuffles},
      // While buffers have their dimensions, by which threads are told apart.
      {"drop_barriers", "barriers stand only where threads may meet in memory", drop_barriers},
      // Behind all that moves or drops barriers; while buffers have their dimensions, the first of which is
      // the version.
      {"place_copy_waits", "barriers wait for what pipelines have begun to copy", place_copy_waits},
      // Behind place_copy_waits, whose waits say which barriers copies land before.
      {"narrow_barriers", "barriers that only lanes of one warp need wait for that warp alone",
       narrow_barriers},
      // Again: what a thread keeps for itself stands inside the loops over threads only now.
      {"compact_private_memory", "memory of one thread is as large as the box that it touches",
       compact_allocations},
      shared_pass("independent_iterations"),
      shared_pass("simplify"),
      shared_pass("check_accesses"),
      // Behind place_copy_waits; while arrays have their dimensions, and before rows are swizzled.
      {"box_copies", "a unit copies the boxes that are marked for it", box_copies},
      shared_pass("swizzle_rows"),
      shared_pass("align_strides"),
      shared_pass("flatten_storage"),
      shared_pass("partition_loops"),
      shared_pass("vectorize"),
      // After vectorize: how much a thread copies at once shows.
      {"async_copies", "what pipelines bring to shared memory comes while threads compute", async_copies},
      {"serial_kinds", "loops are serial, unrolled or bound to threads", serial_kinds},
      shared_pass("narrow_indices"),
      shared_pass("unroll_loops"),
      shared_pass("legalise_types"),
      shared_pass("lower_intrinsics"),
      // Last: which part of memory a block has is no longer read off the loops over blocks.
      {"order_blocks", "blocks that run at the same time share what they read", order_blocks},
  };
  return passes;
}

Function run_verified(const Pass& pass, const Function& f, const target::Target& target) {
  const TimedSection timed("lower", pass.name);
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
  require(
      target.kind != target::Kind::accelerator,
      "lower: target {} is an accelerator, whose programs only the interpreter runs; choose a CPU or a GPU",
      target.name);
  return target.kind == target::Kind::cuda ? gpu_pipeline() : cpu_pipeline();
}

namespace {

std::vector<std::string> names_of(const std::vector<Pass>& passes) {
  std::vector<std::string> names;
  for (const Pass& pass : passes) names.push_back(pass.name);
  return names;
}

/// The position of the pass called `name`; Error with all names where there is none.
std::size_t index_of_pass(const std::string& name, const std::vector<Pass>& passes, const std::string& who) {
  const std::vector<std::string> names = names_of(passes);
  const auto at = std::find(names.begin(), names.end(), name);
  require(at != names.end(), "{}: there is no pass \"{}\"{}; the passes are {}", who, name,
          did_you_mean(name, names), join(names, ", "));
  return static_cast<std::size_t>(at - names.begin());
}

void insert(std::vector<Pass>& passes, const Insertion& insertion) {
  const Pass& pass = insertion.pass;
  const std::string who = fmt::format("insert pass \"{}\"", pass.name);
  require(!pass.name.empty(), "insert pass: it has no name");
  require(pass.run != nullptr, "{}: it has no function", who);
  const std::vector<std::string> names = names_of(passes);
  require(std::find(names.begin(), names.end(), pass.name) == names.end(),
          "{}: there is a pass of that name already", who);
  std::size_t at = 0;
  if (!insertion.after.empty()) at = index_of_pass(insertion.after, passes, who) + 1;
  Pass checked = pass;
  checked.run = [pass](const Function& f, const target::Target& machine) {
    Function out = pass.run(f, machine);
    require_complete(out, fmt::format("lower {}: pass {}", f.name, pass.name));
    return out;
  };
  passes.insert(passes.begin() + static_cast<std::ptrdiff_t>(at), std::move(checked));
}

}  // namespace

std::vector<Pass> pipeline(const target::Target& target, const Options& options) {
  std::vector<Pass> passes = pipeline(target);
  // From the last on, so that of two after one pass the first ends up nearer to it; those that stand after
  // another insertion come when that is there.
  std::vector<bool> is_done(options.insertions.size(), false);
  const auto is_there = [&](const std::string& name) {
    const std::vector<std::string> names = names_of(passes);
    return name.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = options.insertions.size(); i-- > 0;) {
      if (is_done[i] || !is_there(options.insertions[i].after)) continue;
      insert(passes, options.insertions[i]);
      is_done[i] = progress = true;
    }
  }
  for (std::size_t i = 0; i < is_done.size(); ++i)
    if (!is_done[i]) insert(passes, options.insertions[i]);  // says what is wrong
  return passes;
}

Function lower(const Function& f, const target::Target& target, const Options& options) {
  require_complete(f, "lower");
  Function out = f;
  for (const Pass& pass : pipeline(target, options)) out = run_verified(pass, out, target);
  return out;
}

Function lower_unpacked(const Function& f, const target::Target& target, const Options& options) {
  require_complete(f, "lower");
  Function out = f;
  for (const Pass& pass : pipeline(target, options)) {
    if (pass.name == "pack_arguments") break;
    out = run_verified(pass, out, target);
  }
  return out;
}

Function lower_until(const Function& f, const target::Target& target, const std::string& last,
                     const Options& options) {
  const std::vector<Pass> passes = pipeline(target, options);
  const std::size_t end = index_of_pass(last, passes, "lower " + f.name) + 1;
  require_complete(f, "lower");
  Function out = f;
  for (std::size_t i = 0; i < end; ++i) out = run_verified(passes[i], out, target);
  return out;
}

}  // namespace ardea::lower
