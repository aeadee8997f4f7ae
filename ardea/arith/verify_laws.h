#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "ardea/arith/regions.h"
#include "ardea/arith/unchanged.h"
#include "ardea/arith/verify.h"

/// The laws of docs/ir.md in groups. Each group may count on the groups before it, so that a later one never
/// meets a program that an earlier one refuses.

namespace ardea::arith {

/// Collects violations of one function.
class Report {
 public:
  explicit Report(std::string function) : function_(std::move(function)) {}

  template <class... Args>
  void add(const char* law, fmt::format_string<Args...> format, Args&&... args) {
    violations_.push_back({law, function_ + ": " + fmt::format(format, std::forward<Args>(args)...)});
  }
  /// The same of a law of which it is not known whether it holds, where not `refuted`.
  template <class... Args>
  void add_proof(bool refuted, const char* law, fmt::format_string<Args...> format, Args&&... args) {
    add(law, format, std::forward<Args>(args)...);
    violations_.back().refuted = refuted;
  }
  bool clean() const { return violations_.empty(); }
  std::vector<Violation> take() { return std::move(violations_); }

 private:
  std::string function_;
  std::vector<Violation> violations_;
};

void check_scopes(const Function& f,
                  Report& report);  // every part present, every name defined once and before use
void check_types(const Function& f, Report& report);    // every node typed as its maker would
void check_buffers(const Function& f, Report& report);  // shapes, scopes, sizes; threads
/// Bindings in their domains, declared regions true.
void check_blocks(const Function& f, const Unchanged& known, Report& report);
/// Nothing provably outside its buffer.
void check_ranges(const Function& f, const Unchanged& known, Report& report);

/// What stands between a block and the block around it.
struct Surroundings {
  const Analyzer& shared;               ///< what the block may count on: no loops, no conditions
  const std::vector<LoopRange>& loops;  ///< outermost first
  const std::vector<Expr>& conditions;  ///< it runs where all of them hold
  /// What names in them stand for, in the order of their definitions.
  const std::vector<std::pair<Var, Expr>>& lets;
};

/// Parts of check_blocks: the kinds of the iterators are true, by the inside of the block; reductions count
/// every term once, by the loops around it.
void check_iterator_kinds(const Block& block, const Analyzer& shared, Report& report);
void check_counts_once(const Block& block, const Surroundings& around, Report& report);

/// The statement's first line, shortened: for messages.
std::string brief(const Stmt& s);
/// "A[i, 0:4], B[j]", or "nothing".
std::string listed(const std::vector<BufferRegion>& regions);

}  // namespace ardea::arith
