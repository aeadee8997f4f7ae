#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

namespace ardea::lower {

/// A condition that must hold before a statement runs, and what to say where it does not.
struct Check {
  Expr holds;
  std::string sentence;      ///< with a {} for each value
  std::vector<Expr> values;  ///< evaluated only where `holds` is false
};

/// What must hold for the loads that evaluating `e` performs, in the order in which they are performed: a
/// check may load what the checks before it have shown to be safe. Loads that are evaluated only under a
/// condition are checked under it. What `facts` prove is left out.
void add_load_checks(const std::string& function, const Expr& e, const arith::Analyzer& facts,
                     std::vector<Check>& checks);

/// The same for the place that a store writes (its indices' own loads are add_load_checks' business).
void add_store_checks(const std::string& function, const Store& store, const arith::Analyzer& facts,
                      std::vector<Check>& checks);

}  // namespace ardea::lower
