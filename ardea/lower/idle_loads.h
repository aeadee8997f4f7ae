#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/stmt.h"

namespace ardea::lower {

/// A mask of lanes that is arithmetic on variables: equal where these are.
bool is_plain_mask(const Expr& mask);

bool is_same_mask(const Expr& a, const Expr& b);

/// The loads of a statement that stand under the mask of the store they feed, and whose other lanes reach
/// nothing but the lanes that the store leaves out: these are idle. A condition around one store alone is
/// part of its mask, the same for all lanes.
class IdleLoads {
 public:
  explicit IdleLoads(const Stmt& body);

  /// Whether a plain condition stands around it alone.
  bool has_condition(const Store& store) const { return conditions_.contains(&store); }
  /// The mask of an access of so many lanes that is, or feeds, `store`: what is written on it and the
  /// condition around the store; empty where there is neither.
  Expr mask_of(const Expr& written, const Store& store, int lanes) const;

  bool contains(const Expr& e) const { return idle_.contains(e) && !busy_.contains(e); }
  bool empty() const { return idle_.empty(); }

 private:
  void visit(const Expr& e, const Expr& mask, std::unordered_set<Expr>& seen);
  /// Nodes are shared: a load that is idle here may not be elsewhere.
  void busy(const Expr& e);

  std::unordered_map<const Store*, Expr> conditions_;
  std::unordered_set<Expr> idle_, busy_;
};

}  // namespace ardea::lower
