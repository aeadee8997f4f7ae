#pragma once

#include <functional>

#include "ardea/ir/function.h"

/// Walking and rebuilding programs. A pass that needs the whole walk uses visit_* or rewrite; one that needs
/// the context of a node (its loops, its block) recurses itself over map_children.

namespace ardea {

/// What to do with each direct part of a node. An absent function keeps the part.
struct Mapper {
  std::function<Expr(const Expr&)> expr = {};
  std::function<Stmt(const Stmt&)> stmt = {};
  /// Every mention of a buffer: loads, stores, regions, declarations, allocations, matches.
  std::function<Buffer(const Buffer&)> buffer = {};
  /// Every definition of a variable: let, for, allocate, block iterators.
  std::function<Var(const Var&)> definition = {};
};

/// The node over its mapped direct parts; the same node where no part changed. Bodies of buffers (shapes,
/// strides) are not entered: that is Mapper::buffer's business.
Expr map_children(const Expr& e, const Mapper& mapper);
Stmt map_children(const Stmt& s, const Mapper& mapper);

/// The buffer over mapped data, shape, strides and offset; the same buffer where none changed.
Buffer map_children(const Buffer& b, const std::function<Expr(const Expr&)>& expr);

void for_each_child(const Expr& e, const std::function<void(const Expr&)>& expr);
void for_each_child(const Stmt& s, const std::function<void(const Expr&)>& expr,
                    const std::function<void(const Stmt&)>& stmt);

/// Every expression in e, each shared node once, parents first.
void visit_exprs(const Expr& e, const std::function<void(const Expr&)>& f);
/// Every expression in s (regions, bindings, predicates and bounds included), each shared node once.
void visit_exprs(const Stmt& s, const std::function<void(const Expr&)>& f);
/// Whether `holds` for some expression in e, or in s. It is asked no further than that, of some nodes perhaps
/// more than once.
bool any_expr(const Expr& e, const std::function<bool(const Expr&)>& holds);
bool any_expr(const Stmt& s, const std::function<bool(const Expr&)>& holds);
/// Every statement in s, parents first. Shared statements are visited once.
void visit_stmts(const Stmt& s, const std::function<void(const Stmt&)>& f);
/// Every buffer that s mentions, once each, in order of first mention.
std::vector<Buffer> buffers_in(const Stmt& s);
std::vector<Buffer> buffers_in(const Expr& e);
/// The same of s without one of the statements inside it.
std::vector<Buffer> buffers_in(const Stmt& s, const Stmt& without);

/// Bottom-up and top-down rewriting of whole trees. Shared nodes are rewritten once and stay shared; an
/// unchanged node stays the same node.
struct Rewriter {
  /// Before the parts: a value replaces the node, whose parts are then not entered.
  std::function<std::optional<Expr>(const Expr&)> expr = {};
  std::function<std::optional<Stmt>(const Stmt&)> stmt = {};
  /// After the parts: gets the rebuilt node.
  std::function<Expr(const Expr&)> expr_after = {};
  std::function<Stmt(const Stmt&)> stmt_after = {};
  /// Replaces a buffer wherever it is mentioned. Where absent, a buffer whose data, shape, strides or offset
  /// the rewriter changes is replaced by a new one, the same one everywhere.
  std::function<std::optional<Buffer>(const Buffer&)> buffer = {};
  std::function<Var(const Var&)> definition = {};
};

Expr rewrite(const Expr& e, const Rewriter& rewriter);
Stmt rewrite(const Stmt& s, const Rewriter& rewriter);
/// Also the parameters' buffers.
Function rewrite(const Function& f, const Rewriter& rewriter);

/// The short form: f gives the replacement, or nothing.
Expr rewrite(const Expr& e, const std::function<std::optional<Expr>(const Expr&)>& f);
Stmt rewrite(const Stmt& s, const std::function<std::optional<Expr>(const Expr&)>& f);

}  // namespace ardea
