#pragma once

#include <initializer_list>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"
#include "ardea/schedule/program/reference.h"

namespace ardea::schedule {

/// The statements from the body of a function down to one inside, both included: where that one stands.
class Path {
 public:
  using const_iterator = std::vector<Stmt>::const_iterator;

  Path() = default;
  Path(std::initializer_list<Stmt> statements) : statements_(statements) {}

  bool empty() const { return statements_.empty(); }
  std::size_t size() const { return statements_.size(); }
  const Stmt& operator[](std::size_t depth) const { return statements_[depth]; }
  const Stmt& back() const { return statements_.back(); }
  /// All of them, outermost first.
  const std::vector<Stmt>& statements() const { return statements_; }
  const_iterator begin() const { return statements_.begin(); }
  const_iterator end() const { return statements_.end(); }
  void push_back(Stmt s) { statements_.push_back(std::move(s)); }
  void pop_back() { statements_.pop_back(); }
  bool operator==(const Path&) const = default;

  /// The way to its statement at that depth.
  Path upto(std::size_t depth) const;
  /// The way to the block around the last statement.
  Path block_around() const;

  /// The last statement as what it is.
  const For& loop() const { return *back().as<For>(); }
  const Block& block() const { return *back().as<Block>(); }

  /// The loops around the last statement, outermost first, up to the block around it.
  std::vector<LoopRef> loops() const;
  /// The loops on the way and the iterators of its blocks: what expressions there may vary with.
  std::vector<Var> variables() const;
  /// Whether the statement at that depth holds the end of `other`.
  bool holds(std::size_t depth, const Path& other) const;

  /// What holds where the last statement stands: sizes, loops around, block iterators, conditions. Without
  /// `unit_loops`, nothing is said of loops of one iteration, so that expressions keep their variables.
  arith::Analyzer facts(const Function& f, bool unit_loops = true) const;

 private:
  std::vector<Stmt> statements_;
};

}  // namespace ardea::schedule
