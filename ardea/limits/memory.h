#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/limits/kept_box.h"

/// What a program's own memory takes, after each buffer has been cut down to what is touched of it
/// (kept_box.h), has its versions in pipelines and its aligned strides, and before memory is shared by
/// buffers that are not needed at the same time: an upper bound of what is in use then. Programs are those
/// whose allocations stand where lowering places them (lower/placed.h).

namespace ardea::limits {

struct Memory {
  Var data;
  std::string scope;
  DataType type;
  std::vector<Expr> shape;  ///< the number of versions first where there are several
  Expr row = {};            ///< of registers: kept_box.h
  Expr elements;            ///< gaps of aligned strides included
  Expr bytes;
};

/// Of every allocation, in the order of the program; one inside a loop counts once. Sizes are expressions
/// over the parameters of f alone: the most there is in any iteration.
std::vector<Memory> memory_of(const Function& f, const target::Target& target);

/// How many elements an allocation of that shape has, with what its alignment leaves free between rows.
/// `has_versions`: they are a dimension before those that the alignment speaks of.
Expr allocated_elements(const Allocate& allocate, const std::vector<Expr>& shape, bool has_versions);

/// The largest sum of `cost` over memory that is live at once, by the group it is counted in. A parallel loop
/// counts as one iteration: each thread has its own. So do virtual threads on a CPU, which runs them one
/// after the other; any other machine interleaves them, so that what each has counts for all.
using Cost = std::function<Expr(const Memory&)>;
using Group = std::function<std::string(const std::string& scope)>;  ///< empty: not counted
std::map<std::string, Expr> live(const Function& f, const std::vector<Memory>& memory, const Cost& cost,
                                 const Group& group, const target::Target& target);

/// Each scope by itself.
std::string own_group(const std::string& scope);

}  // namespace ardea::limits
