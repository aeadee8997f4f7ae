#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "ardea/ir/stmt.h"

/// What the arguments and results of primitives refer to. References are identities: they stay valid through
/// every step that keeps what they name.

namespace ardea::schedule {

/// A loop is its variable. Where a place for a block was sampled it may also be no loop at all: the block
/// then stays in loops of its own (root), or goes into its readers (inlined).
struct LoopRef {
  enum class Place { loop, root, inlined };
  Var var = {};
  Place place = Place::loop;
  /// Tells the result of one sampling step from those of others, and from the loop itself: another decision
  /// gives another loop.
  Var sample = {};
  friend bool operator==(const LoopRef& a, const LoopRef& b) { return a.var == b.var && a.place == b.place; }
};

struct BlockRef {
  BlockId id;
  friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

/// A number that a sampling step decided. By hand `value` is a constant; in a template it is a variable of
/// the space.
struct NumberRef {
  std::uint64_t id = 0;
  Expr value;
  static NumberRef fresh(Expr value);
  friend bool operator==(const NumberRef& a, const NumberRef& b) { return a.id == b.id; }
};

using Reference = std::variant<BlockRef, LoopRef, NumberRef>;

/// A number in an argument: written, or decided before.
using Number = std::variant<std::int64_t, NumberRef>;

/// As an expression of that type.
Expr value_of(const Number& number, DataType type);

/// A key that tells references apart, for tables.
std::string key_of(const Reference& reference);

}  // namespace ardea::schedule
