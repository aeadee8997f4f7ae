#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ardea/ir/expr.h"

/// The intrinsics that a Call may name: one table, which the parser, the printer, the interpreter and the
/// backends share.

namespace ardea {

enum class Effect {
  pure,    ///< may be moved, copied and dropped
  reads,   ///< reads memory: may be dropped, not moved across writes
  writes,  ///< must run exactly once, in order
};

/// How the type of a call follows from its arguments.
enum class ResultRule {
  same_as_first,   ///< and every argument has that type
  same_as_last,    ///< if_then_else: (bool, T, T)
  boolean,         ///< bool with the lanes of the first argument
  lanes_of_first,  ///< of them each an element of the last argument
  handle,
  none,    ///< an effect
  stated,  ///< the call says so itself: T.reinterpret("int32", x), T.call_registered("f", …, dtype="float32")
};

struct Intrinsic {
  std::string name;  ///< printed as T.name(…)
  int arity;         ///< -1: any number
  Effect effect;
  ResultRule result;
  bool floats_only;  ///< arguments must be floats
  std::string contract;
};

/// All that are built in, sorted by name.
std::span<const Intrinsic> intrinsics();

/// The intrinsic of that name, built in or registered, or nullptr.
const Intrinsic* find_intrinsic(std::string_view name);

/// What a registered intrinsic computes, said by other intrinsics and operators. The arguments are variables:
/// each may be used more than once. It is asked for every type and number of lanes anew.
using Meaning = std::function<Expr(const std::vector<Expr>& arguments)>;

/// From now on T.name(…) can be parsed, printed, verified, interpreted, bounded and compiled: it is its
/// meaning, on float16 and bfloat16 that meaning in float32, rounded once. It must be pure, with a result of
/// the first argument's type or bool. Error where the name is taken or means something else in programs, or
/// where the meaning has another type. Any thread may register; what is registered stays.
void register_intrinsic(Intrinsic row, Meaning meaning);

bool is_registered(const Intrinsic& op);

/// The meaning of a registered intrinsic for arguments of these types, without calls of registered ones.
/// Error where it has another type than the row says, or uses itself.
struct Expansion {
  std::vector<Var> parameters;
  Expr body;
};
Expansion expansion_of(const Intrinsic& op, const std::vector<DataType>& types);

/// e without calls of registered intrinsics.
Expr expand_registered(const Expr& e);

/// A call whose type follows from its arguments; Error on a wrong number or type of arguments.
Expr make_call(std::string_view name, std::vector<Expr> arguments);

/// A call of an intrinsic with ResultRule::stated.
Expr make_call(std::string_view name, DataType type, std::vector<Expr> arguments);

/// Whether evaluating e may write memory, synchronise or call out.
bool has_effect(const Expr& e);

}  // namespace ardea
