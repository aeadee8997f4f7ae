#include "ardea/arith/filled_alike.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ardea/arith/coverage.h"
#include "ardea/arith/inside.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

bool is_of_block(const Buffer& buffer) { return scope_rank(buffer->scope) == ScopeRank::block; }

/// What differs from one iteration of a loop to another: by its variable, by what is computed from it, and by
/// memory that the body writes. Memory of a block counts as alike until a store shows otherwise; what reads
/// it is looked at again then.
class Differing {
 public:
  explicit Differing(const For& loop) : body_(loop.body) {
    vars_.insert(loop.var);
    visit_stmts(body_, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) note_written(store->buffer);
      const auto* block = s.as<Block>();
      if (block == nullptr) return;
      for (const MatchBuffer& match : block->matches) {  // two names of one memory
        memory_.insert(match.buffer->data);
        memory_.insert(match.source.buffer->data);
      }
    });
    // What is behind an address that is given away, nobody knows.
    visit_exprs(body_, [&](const Expr& e) {
      const auto* call = e.as<Call>();
      if (call == nullptr) return;
      for (const Expr& argument : call->arguments) {
        const auto* load = argument.as<Load>();
        if (argument.is<VarNode>() && argument.type().is_handle()) memory_.insert(Var(argument));
        if (load != nullptr && call->op->name == "address_of") memory_.insert(load->buffer->data);
      }
    });
    for (std::size_t known = memory_.size() + 1; known != memory_.size();) {
      known = memory_.size();
      sources_.clear();
      visit(body_, false);
    }
  }

  bool holds(const Buffer& buffer) const { return memory_.contains(buffer->data); }

  /// The memory that the body writes and that what is stored in the buffer comes from, the buffer included.
  std::vector<Buffer> sources(const Buffer& buffer) const {
    std::vector<Buffer> all = {buffer};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto from = sources_.find(all[i]->data);
      if (from == sources_.end()) continue;
      for (const Buffer& one : from->second)
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }
    return all;
  }

 private:
  void note_written(const Buffer& buffer) {
    written_.insert(buffer->data);
    if (!is_of_block(buffer)) memory_.insert(buffer->data);
  }

  bool differs(const Expr& e) const {
    return e.defined() && any_expr(e, [&](const Expr& part) {
             if (part.is<VarNode>()) return vars_.contains(Var(part));
             const auto* load = part.as<Load>();
             return load != nullptr && memory_.contains(load->buffer->data);
           });
  }

  /// Of what decides whether and where something is stored. Memory that the body writes decides nothing that
  /// is followed here.
  bool decides_differently(const Expr& e) const {
    return differs(e) || (e.defined() && any_expr(e, [&](const Expr& part) {
                            const auto* load = part.as<Load>();
                            return load != nullptr && written_.contains(load->buffer->data);
                          }));
  }

  void define(const Var& var, bool different) {
    if (different) vars_.insert(var);
  }

  void visit(const Stmt& s, bool sometimes) {
    if (!s.defined()) return;
    std::visit(overloaded{
                   [&](const Store& store) { this->store(store, sometimes); },
                   [&](const For& loop) {
                     const bool different = decides_differently(loop.min) || decides_differently(loop.extent);
                     define(loop.var, different);
                     visit(loop.body, sometimes || different);
                   },
                   [&](const If& branch) {
                     const bool different = sometimes || decides_differently(branch.condition);
                     visit(branch.then_case, different);
                     visit(branch.else_case, different);
                   },
                   [&](const LetStmt& let) {
                     define(let.var, decides_differently(let.value));
                     visit(let.body, sometimes);
                   },
                   [&](const Block& block) { this->block(block, sometimes); },
                   [&](const auto&) {
                     for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { visit(part, sometimes); });
                   },
               },
               s.variant());
  }

  void block(const Block& block, bool sometimes) {
    const bool different = sometimes || decides_differently(block.predicate);
    bool starts_differ = different;
    for (const BlockIterator& iterator : block.iterators) {
      define(iterator.var, decides_differently(iterator.binding));
      starts_differ =
          starts_differ || (iterator.kind == IteratorKind::reduce && vars_.contains(iterator.var));
    }
    visit(block.init, starts_differ);
    visit(block.body, different);
  }

  void store(const Store& store, bool sometimes) {
    bool different = sometimes || decides_differently(store.predicate) || differs(store.value);
    for (const Expr& index : store.indices) different = different || decides_differently(index);
    if (different) memory_.insert(store.buffer->data);
    visit_exprs(store.value, [&](const Expr& part) {
      const auto* load = part.as<Load>();
      if (load != nullptr && written_.contains(load->buffer->data))
        sources_[store.buffer->data].push_back(load->buffer);
    });
  }

  const Stmt body_;
  std::unordered_set<Var> vars_, memory_, written_;
  std::unordered_map<Var, std::vector<Buffer>> sources_;
};

}  // namespace

bool only_fills_alike(const Stmt& part, const For& loop, const Analyzer& facts) {
  bool all = true;
  visit_stmts(part, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    all = all && (store == nullptr || filled_alike(loop, store->buffer, facts));
  });
  return all;
}

bool filled_alike(const For& loop, const Buffer& buffer, const Analyzer& facts) {
  if (!is_of_block(buffer)) return false;
  const Differing differing(loop);
  if (differing.holds(buffer)) return false;
  const Analyzer in_loop = inside(facts, loop);
  const std::vector<Buffer> sources = differing.sources(buffer);
  return std::all_of(sources.begin(), sources.end(), [&](const Buffer& source) {
    return reads_only_own_writes(loop.body, source, {loop.var}, in_loop);
  });
}

}  // namespace ardea::arith
