#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ardea/schedule/primitive.h"
#include "ardea/stages/axis.h"

/// What was said so far: the stages of a graph, their axes, and the directives in the order of the calls.
/// Nothing is done to a program before lower() (realise.h).

namespace ardea::stages {

/// When a directive is realised.
enum class Phase {
  graph,      ///< in call order: stages appear, or go into their readers
  place,      ///< a stage at a time, outputs first: the loops that it stands in
  loops,      ///< then its own loops, in call order
  memory,     ///< then what is said about its memory
  marks,      ///< when all loops are there: how they run
  pipeline,   ///< when reductions begin in a nest of their own: what runs ahead
  tensorize,  ///< last: what is an instruction has no loops any more
};

/// A step of the engine. An axis stands as the loop of its variable, a stage as the block of its id; the
/// results are loops, in the order of `made`.
struct Step {
  const schedule::Primitive* primitive = nullptr;
  std::vector<schedule::Argument> arguments;
  std::vector<Axis> made = {};
};
/// Stays in loops of its own.
struct AtRoot {};
/// The stage `made` holds partial results: over the axis, then the others that were spatial. Its own loops
/// are what is left of the reduction.
struct Factored {
  Axis axis;
  std::int64_t factor_axis = 0;
  BlockId made;
  std::vector<Axis> left;  ///< the axes of the stage itself after that
};

/// The stage `made` copies the tensor, and the readers read the copy.
struct CachedRead {
  te::Tensor tensor;
  std::string scope;
  std::vector<BlockId> readers;
  BlockId made;
};
/// The stage `made` computes what the stage computed, in memory of the scope; the stage copies it.
struct CachedWrite {
  std::string scope;
  BlockId made;
  std::vector<Axis> left;  ///< the axes of the stage itself after that
};

struct Directive {
  std::string call;  ///< s[C].split(i, factor=32)
  BlockId stage;
  Phase phase = Phase::loops;
  std::variant<Step, AtRoot, Factored, CachedRead, CachedWrite> action;
  /// Asked for by a rule, not for this stage: where it is refused, the stage stays as it is.
  bool where_possible = false;
};

/// "split", "rfactor", …
std::string name_of(const Directive& directive);

struct StageRecord {
  /// `made`: by a directive, not by an operation of the graph.
  enum class Kind { input, compute, cell, scan, external, made };
  BlockId id = BlockId::fresh();
  std::string name;
  Kind kind = Kind::compute;
  std::shared_ptr<const te::Operation> operation = {};  ///< what the user names it by
  bool is_output = false;
  std::vector<Axis> axis = {}, reduce_axis = {};  ///< where its loops begin
  std::vector<Axis> first_axes = {};              ///< the same, when the stage appeared
  std::vector<Axis> leaves = {};                  ///< its loops as they are now, outermost first
  std::optional<std::size_t> place = {};  ///< the directive that says where it stands; the last one counts
  std::string hint = {};                  ///< where an axis went that is not here any more
};

/// What became of an axis.
struct AxisRecord {
  BlockId stage;
  std::optional<std::size_t> consumed = {};  ///< by this directive
  std::vector<Axis> into = {};
  std::optional<std::size_t> marked = {};  ///< the last directive that says something about the loop
  std::optional<std::size_t> runs = {};    ///< the one that says how it runs
};

/// All of it. Stages are inputs first.
struct Record {
  std::vector<te::Tensor> outputs;
  std::vector<StageRecord> stages;
  std::unordered_map<std::shared_ptr<const te::Operation>, BlockId> by_operation;
  std::unordered_map<Var, AxisRecord> axes;
  std::vector<Directive> directives;

  StageRecord& stage(BlockId id);
  const StageRecord& stage(BlockId id) const;
  bool comes_before(BlockId a, BlockId b) const;
  /// "directive 3, s[C].split(i, factor=32)": index 2.
  std::string directive(std::size_t index) const;
  /// Adds the stage before another one, with its axes as leaves.
  void add(StageRecord added, std::optional<BlockId> before = {});

  // --- the rules of leaves: Error with the call, the axis, the directive and the leaves ---

  /// The axis is a loop of the stage as it is now.
  void require_leaf(const StageRecord& stage, const Axis& axis, const std::string& call) const;
  /// The same, and no directive counts on the axis as it is.
  void require_free(const StageRecord& stage, const Axis& axis, const std::string& call) const;
  /// `from`, consecutive leaves of the stage, become `into` by the directive that is recorded next.
  void replace_leaves(StageRecord& stage, const std::vector<Axis>& from, const std::vector<Axis>& into);
  /// The named leaves change places among themselves.
  static void reorder_leaves(StageRecord& stage, const std::vector<Axis>& order);
};

}  // namespace ardea::stages
