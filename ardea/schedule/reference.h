#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "ardea/ir/stmt.h"

/// What the arguments and results of primitives refer to. References are identities: they stay valid through
/// every step that keeps what they name.

namespace ardea::schedule {

/// A loop is its variable.
struct LoopRef {
  Var var;
  friend bool operator==(const LoopRef&, const LoopRef&) = default;
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
