#pragma once

#include <variant>

#include "ardea/schedule/analysis/reducer.h"
#include "ardea/schedule/context.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// A block that reduces, with loops around it such that its whole reduction happens inside them, or where
/// that is asked for a part of it: they run each instance once, and the one that runs the init comes first
/// for its elements.
struct ReductionNest {
  Path path;                      ///< to the block
  std::size_t first = 0;          ///< where in the path the outermost of the loops stands
  std::vector<const For*> loops;  ///< outermost first
  std::vector<Expr> conditions;   ///< that must all hold for the block to run
  arith::Analyzer facts;          ///< outside the loops
  /// Of a part: the condition on the loops outside under which the init runs; else it does so for no element.
  Expr begins = {};

  const Block& block() const { return path.block(); }
  Path outside() const { return path.upto(first); }
  bool feeds(const For& loop, IteratorKind kind) const;
  /// Whether the condition is about loops that reduce.
  bool is_about_reduction(const Expr& condition) const;
  /// facts, and the ranges of the loops that feed spatial iterators. (Not of others, such as those of one
  /// iteration: where their ranges are known, they run.)
  arith::Analyzer facts_of_spatial_loops() const;
};

/// Where in the path the loops begin that hold nothing but its last statement.
std::size_t nest_begin(const Path& path);

/// What the nest's block combines by. Refused where that is not known, and where the block has buffers of its
/// own.
Result<Reducer> reducer_of(const ReductionNest& nest);

enum class Share { whole, part };
/// Whether each condition must be about one kind of loops. One that is about spatial and reduce loops
/// together (a triangle: k <= i) holds, like any about loops that reduce, for every element where they begin:
/// so the init still comes first for all of them, and which elements there are is said by the other
/// conditions alone.
enum class Conditions { apart, mixed };

/// The block at the end of `path` with its loops from path[first] inwards. Refused as
///   not_a_reduction, reduce_loop_outside (of the whole), something_between, loop_feeds_both, bounds_depend,
///   condition_mixes, instances_repeat, start_is_not_first.
Result<ReductionNest> reduction_nest(const Function& f, const Path& path, std::size_t first, Context& context,
                                     Share share = Share::whole, Conditions conditions = Conditions::apart);

/// A block's name that no other block of the program has: `wanted`, or with _1, _2, … behind it.
std::string free_block_name(const Function& f, const std::string& wanted);

}  // namespace ardea::schedule
