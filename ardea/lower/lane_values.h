#pragma once

#include <unordered_map>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/lane_code.h"

/// Expressions for all lanes of a vectorized loop at once (lane_code.h has the statements).

namespace ardea::lower {

/// Which lanes run: bool lanes, empty where all do.
struct LaneMask {
  Expr lanes;
  /// At least one lane is known to run, so that what is the same in all lanes may be evaluated as a scalar.
  bool some_run = true;
};

class LaneValues {
 public:
  LaneValues(const LaneLoop& loop, const target::Target& target);

  /// From here on the scalar variable `var`, whose value was `value`, is `vector` in the lanes.
  void define(const Var& var, const Expr& value, const Var& vector);

  /// Whether lanes may have different values of e.
  bool differs(const Expr& e) const;

  /// Whether e stays as it is: one value for all lanes that may be computed whichever of them run.
  bool stays_scalar(const Expr& e, const LaneMask& mask) const;

  /// Whether everything in e has a form for vectors.
  bool has_vector_form(const Expr& e) const;

  /// e in all lanes: itself where it stays a scalar, else a vector. `facts` hold in every lane, whether it
  /// runs or not: what only the mask promises is not among them.
  Expr at(const Expr& e, const LaneMask& mask, const arith::Analyzer& facts) const;

  /// The same, always a vector.
  Expr vector_at(const Expr& e, const LaneMask& mask, const arith::Analyzer& facts) const;

  Expr widened(const Expr& e) const;

  /// e as first + lane · stride, both the same for all lanes; nothing where it is not known to be so.
  struct Steps {
    Expr first, stride;
  };
  std::optional<Steps> steps_of(const Expr& e, const arith::Analyzer& facts) const;

  /// e as what it is in the first lane plus a number for each lane; nothing where that is not known.
  struct Offsets {
    Expr first;
    std::vector<std::int64_t> from_first;
  };
  std::optional<Offsets> offsets_of(const Expr& e, const arith::Analyzer& facts) const;

 private:
  friend class LaneEvaluation;
  bool call_has_vector_form(const Expr& e, const Call& call) const;

  const LaneLoop& loop_;
  const target::Target& target_;
  std::unordered_map<Var, Var> vectors_;
  Substitution arithmetic_;  ///< variables of vectors_ that are arithmetic on the loop's variable
};

/// Both masks: the lanes that `mask` lets run and where `condition` holds.
LaneMask narrowed(const LaneMask& mask, const Expr& condition);

}  // namespace ardea::lower
