#pragma once

#include "ardea/stages/stage.h"

/// Schedules in TVM's stage style, over a graph of tensor expressions:
///
///   Schedule s = create_schedule({C});
///   auto [xo, xi] = s[C].split(op(C).axis[0], {.factor = 32});
///   s[B].compute_at(s[C], xo);
///   Function f = lower(s, {A, C}).function;
///
/// A call is recorded and its axes are checked; the program is transformed by lower (lower.h), step by step,
/// by the primitives of ardea/schedule. docs/stages.md is the user's page.

namespace ardea::stages {

class Schedule {
 public:
  /// The graph that the outputs need.
  explicit Schedule(const std::vector<te::Tensor>& outputs);

  /// The stage of a tensor of the graph, or of one that a directive below gave.
  Stage operator[](const te::Tensor& tensor) const;

  /// A copy of a tensor in memory of a scope ("shared", "register", "global"), in a stage of its own, for
  /// some of its readers.
  te::Tensor cache_read(const te::Tensor& tensor, const std::string& scope,
                        const std::vector<te::Tensor>& readers) const;
  /// The computation of a tensor in memory of a scope: it goes to the stage that is given back, with axes
  /// i.c, j.c and all of its reduce axes; the tensor's own stage copies. Comes before directives about the
  /// loops of the tensor, which could mean either.
  te::Tensor cache_write(const te::Tensor& tensor, const std::string& scope) const;

  /// B's reduction in two: partial results, one a value of a reduce leaf, in a stage of their own, whose
  /// tensor is given back; B combines them. What was done to the reduce axes before goes to the new stage.
  /// The new stage has the axis as a spatial one, at `factor_axis` among its axes; B reduces over axis.v.
  te::Tensor rfactor(const te::Tensor& tensor, const Axis& axis, std::int64_t factor_axis = 0) const;

  /// Every stage that is a map, is no output and has no directive of its own goes into its readers, where
  /// that is legal.
  void auto_inline() const;

  const Record& record() const { return *record_; }

 private:
  te::Tensor add_stage(StageRecord added, const te::Tensor& like, std::optional<BlockId> before) const;

  std::shared_ptr<Record> record_;
};

Schedule create_schedule(const std::vector<te::Tensor>& outputs);

/// TVM's name for Schedule::auto_inline.
void auto_inline_injective(const Schedule& s);

/// The directives, one a line, numbered as messages do.
std::string print(const Schedule& s);

}  // namespace ardea::stages
