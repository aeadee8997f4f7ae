#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/ir/print_expr.h"

namespace ardea {

/// Statements as indented lines.
class StmtPrinter {
 public:
  StmtPrinter(PrintNames& names, bool exact, int indent)
      : names_(names), exprs_(names, exact), indent_(indent) {}

  /// The lines of a suite. A definition in its last place stands on a line and holds for the lines after it.
  void suite(const Stmt& s);
  void line(const std::string& text);
  void buffer_line(const Buffer& buffer, const std::string& maker, const std::string& source = "");
  ExprPrinter& exprs() { return exprs_; }
  const std::string& text() const { return text_; }

 private:
  void inner_suite(const Stmt& s);
  void statement(const Stmt& s, bool last);
  void store(const Store& node);
  void loop(const For& node);
  std::string loop_head(const For& node);
  void branch(const If& node, const char* keyword);
  void let(const LetStmt& node, bool last);
  void allocate(const Allocate& node, bool last);
  void view(const DeclareBuffer& node, bool last);
  void evaluate(const Expr& value);
  void with(const std::string& maker, const std::string& name, const Stmt& body);

  // Blocks: print_block.cc.
  void block(const Block& node);
  void iterators(const Block& node);
  bool remaps(const Block& node) const;
  std::string regions(const std::vector<BufferRegion>& regions);

  PrintNames& names_;
  ExprPrinter exprs_;
  int indent_;
  std::string text_;
  std::unordered_map<Expr, Range> loops_;  ///< the ranges of the loops around
};

/// Whether the rest of the suite is the statement's body.
bool is_definition(const Stmt& s);

}  // namespace ardea
