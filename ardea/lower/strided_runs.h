#pragma once

#include <functional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

/// Vectors whose lanes lie some elements apart, as the stores of a run load them: what one pass or another
/// reads together in another way (transpose_tiles, join_strided_loads).

namespace ardea::lower {

/// A load of base, base + stride, …
struct StridedLoad {
  Expr load;
  const Load* access;
  const Ramp* lanes;
  std::vector<bool> runs = {};  ///< which lanes a mask lets run; empty where there is none
  std::int64_t offset = 0;      ///< of its base from that of another in its group

  bool has_mask() const { return !runs.empty(); }
};

/// Loads of one buffer, with the same lanes and the same stride, whose places differ by numbers that are
/// known; in their order.
using StridedGroup = std::vector<StridedLoad>;

/// What is read in place of loads: names for values, each of which may use those before it, and which name
/// a load becomes.
class ReadBefore {
 public:
  Var name(const std::string& name, const Expr& value);
  void replace(const StridedLoad& load, const Var& by) { names_.emplace_back(load.load, by); }

  /// As many elements of the group's buffer side by side as a vector has lanes, from the place on that lies
  /// `offset` and `rows` times the stride beyond that of the group's first load.
  Var row(const StridedGroup& group, std::int64_t offset, std::int64_t rows, const arith::Analyzer& facts);

 private:
  friend class StridedRun;
  std::vector<std::pair<Var, Expr>> values_;
  std::vector<std::pair<Expr, Var>> names_;
};

struct StridedRewrite {
  /// Whether the load is meant; its mask, if it has one, is known lane by lane.
  std::function<bool(const StridedLoad&)> accepts;
  /// Says what is read in place of some of the loads.
  std::function<void(const StridedGroup&, const arith::Analyzer&, ReadBefore&)> rewrite;
};

/// The program with all runs of stores rewritten: stores that follow each other, of which none writes what is
/// read in another way, and only loads that are made for certain.
Function rewrite_strided_runs(const Function& f, const StridedRewrite& how);

}  // namespace ardea::lower
