#include "ardea/rules/analysis/epilogue.h"

#include <algorithm>

#include "ardea/rules/analysis/stage.h"
#include "ardea/schedule/program/touches.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// Whether the indices are the stage's iterators, of which those of one value are 0.
bool are_its_place(const std::vector<Expr>& indices, const Stage& stage) {
  if (indices.size() != stage.iterators.size()) return false;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool is_iterator = indices[i].is<VarNode>() && Var(indices[i]) == stage.iterators[i];
    if (!is_iterator && (stage.extents[i] != 1 || !is_zero(indices[i]))) return false;
  }
  return true;
}

/// Whether the stage makes an element of each element of the buffer, at the same place.
bool takes_one_by_one(const Stage& stage, const Buffer& buffer) {
  if (stage.reduces() || !are_its_place(stage.indices, stage)) return false;
  bool takes = false;
  for (const Load& load : stage.loads) {
    if (load.buffer != buffer) continue;
    if (!are_its_place(load.indices, stage)) return false;
    takes = true;
  }
  return takes;
}

/// The block that alone writes the buffer, where the stage alone reads it.
std::optional<schedule::BlockRef> only_maker(const Function& program, const Buffer& buffer,
                                             const schedule::BlockRef& reader) {
  if (is_parameter(program, buffer)) return std::nullopt;
  std::optional<schedule::BlockRef> maker;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    const Block& block = path.block();
    if (writes(block, buffer)) {
      if (maker) return std::nullopt;
      maker = schedule::BlockRef{block.id};
    } else if (reads(block, buffer) && block.id != reader.id) {
      return std::nullopt;
    }
  }
  return maker;
}

/// Whether all else that the stage reads is there before `maker` makes what it takes: then it can do its work
/// where the elements are made.
bool is_ready_before(const Function& program, const Stage& stage, const schedule::BlockRef& maker) {
  const schedule::Path made = *schedule::path_to(program, maker);
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    if (path.block().id == maker.id || schedule::stands_before(path, made)) continue;
    for (const Load& load : stage.loads)
      if (writes(path.block(), load.buffer)) return false;
  }
  return true;
}

/// The stage whose elements this one takes; of two, none.
std::optional<schedule::BlockRef> stage_before(const Function& program, const schedule::BlockRef& last) {
  const auto stage = plain_stage(program, last, Lengths::any);
  if (!stage) return std::nullopt;
  std::optional<schedule::BlockRef> found;
  for (const Load& load : stage->loads) {
    const auto maker = only_maker(program, load.buffer, last);
    if (!maker || !takes_one_by_one(*stage, load.buffer) || !is_ready_before(program, *stage, *maker))
      continue;
    if (found && *found != *maker) return std::nullopt;
    found = maker;
  }
  return found;
}

}  // namespace

std::optional<Epilogue> epilogue_before(const Function& program, const schedule::BlockRef& last) {
  Epilogue found;
  auto before = stage_before(program, last);
  while (before) {
    const auto stage = plain_stage(program, *before, Lengths::any);
    if (!stage) return std::nullopt;
    if (stage->reduces()) {
      found.maker = *before;
      return found;
    }
    found.between.insert(found.between.begin(), *before);
    before = stage_before(program, *before);
  }
  return std::nullopt;
}

std::optional<schedule::BlockRef> elementwise_consumer(const Function& program,
                                                       const schedule::BlockRef& maker) {
  const auto stage = plain_stage(program, maker, Lengths::any);
  if (!stage || is_parameter(program, stage->out)) return std::nullopt;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    const schedule::BlockRef block{path.block().id};
    if (block == maker || !reads(path.block(), stage->out)) continue;
    const auto reader = plain_stage(program, block, Lengths::any);
    if (!reader || !takes_one_by_one(*reader, stage->out)) return std::nullopt;
    if (only_maker(program, stage->out, block) != maker || !is_ready_before(program, *reader, maker))
      return std::nullopt;
    return block;
  }
  return std::nullopt;
}

}  // namespace ardea::rules
