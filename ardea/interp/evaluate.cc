#include <utility>

#include "ardea/interp/arithmetic.h"
#include "ardea/interp/executor.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

/// Expressions. Operands are evaluated from left to right; each node is a loop over its lanes.

namespace ardea::interp {

namespace {

template <class F>
Lanes each_lane(int count, const F& lane) {
  if (count == 1) return lane(0);
  Lanes result(count);
  for (int k = 0; k < count; ++k) result[k] = lane(k);
  return result;
}

bool is_scalar_integer(DataType type) { return type.lanes == 1 && (type.is_integer() || type.is_bool()); }

/// Whether `and` and `or` have their value from the left operand alone.
bool ends_with(const Binary& node, DataType type, std::int64_t left) {
  if (type != boolean) return false;
  return node.op == BinaryOp::logical_and ? left == 0 : node.op == BinaryOp::logical_or && left != 0;
}

}  // namespace

Lanes Executor::evaluate(const Expr& e) {
  if (shared_ == nullptr || !shared_->contains(e)) return evaluate_node(e);
  if (const auto known = shared_values_.find(e); known != shared_values_.end()) return known->second;
  Lanes value = evaluate_node(e);
  shared_values_.insert_or_assign(e, value);
  return value;
}

Lanes Executor::evaluate_whole(const Expr& e) {
  const SharedNodes::Set& shared = machine_.shared_nodes.of(e);
  if (shared.empty()) return evaluate(e);
  const SharedNodes::Set* const around = std::exchange(shared_, &shared);
  std::unordered_map<Expr, Lanes> values_around = std::exchange(shared_values_, {});
  Lanes value = evaluate(e);
  shared_ = around;
  shared_values_ = std::move(values_around);
  return value;
}

Lanes Executor::evaluate_node(const Expr& e) {
  const DataType type = e.type();
  return std::visit(overloaded{
                        [&](const IntImm& x) -> Lanes { return integer_lane(x.value); },
                        [&](const FloatImm& x) -> Lanes { return real_lane(x.value); },
                        [&](const StringImm& x) -> Lanes {
                          report(fmt::format("the string \"{}\" is no number", x.value));
                        },
                        [&](const VarNode&) -> Lanes { return value_of(e); },
                        [&](const Cast& x) -> Lanes {
                          const Lanes value = evaluate(x.value);
                          const DataType from = x.value.type().element(), to = type.element();
                          return each_lane(type.lanes, [&](int k) { return convert(value[k], from, to); });
                        },
                        [&](const Unary& x) -> Lanes {
                          const Lanes value = evaluate(x.operand);
                          return each_lane(type.lanes, [&](int k) {
                            if (x.op == UnaryOp::negate)
                              check_overflow(BinaryOp::sub, type.element(), integer_lane(0), value[k], e);
                            return apply(x.op, type.element(), value[k]);
                          });
                        },
                        [&](const Binary& x) -> Lanes { return evaluate_binary(x, e); },
                        [&](const Select& x) -> Lanes { return evaluate_select(x, type); },
                        [&](const Let& x) -> Lanes {
                          define(x.var, evaluate(x.value));
                          note_let(x.var, x.value);
                          Lanes value = evaluate(x.body);
                          forget(x.var);
                          return value;
                        },
                        [&](const Load& x) -> Lanes { return load(x, type); },
                        [&](const Call& x) -> Lanes { return evaluate_call(e, x); },
                        [&](const Ramp& x) -> Lanes {
                          const Lane base = evaluate(x.base)[0], stride = evaluate(x.stride)[0];
                          return each_lane(type.lanes, [&](int k) {
                            const Lane lane = integer_lane(wrap(k, type.element()));
                            check_overflow(BinaryOp::mul, type.element(), stride, lane, e);
                            const Lane distance = apply(BinaryOp::mul, type.element(), stride, lane);
                            check_overflow(BinaryOp::add, type.element(), base, distance, e);
                            return apply(BinaryOp::add, type.element(), base, distance);
                          });
                        },
                        [&](const Broadcast& x) -> Lanes {
                          const Lane value = evaluate(x.value)[0];
                          return each_lane(type.lanes, [&](int) { return value; });
                        },
                        [&](const Shuffle& x) -> Lanes { return evaluate_shuffle(x); },
                    },
                    e.variant());
}

const Lanes& Executor::value_of(const Expr& variable) const {
  const std::size_t slot = machine_.variables.find(variable);
  if (slot < values_.size() && !values_[slot].empty()) return values_[slot];
  report(fmt::format("the variable {} has no value here", variable.as<VarNode>()->name));
}

std::int64_t Executor::evaluate_integer(const Expr& e) {
  if (const auto* constant = e.as<IntImm>()) return constant->value;
  if (shared_ != nullptr) return evaluate(e)[0].integer;
  if (e.is<VarNode>()) return value_of(e)[0].integer;
  if (const auto* binary = e.as<Binary>(); binary != nullptr && is_scalar_integer(binary->left.type()))
    return evaluate_integers(*binary, e);
  return evaluate_node(e)[0].integer;
}

// Indices, bounds and guards, which most of a program's expressions are: no lanes are made for them.
std::int64_t Executor::evaluate_integers(const Binary& node, const Expr& e) {
  const std::int64_t left = evaluate_integer(node.left);
  if (ends_with(node, e.type(), left)) return left;
  const std::int64_t right = evaluate_integer(node.right);
  return apply_checked(node, e, integer_lane(left), integer_lane(right)).integer;
}

Lane Executor::apply_checked(const Binary& node, const Expr& e, Lane left, Lane right) const {
  const DataType operand = node.left.type().element();
  if (is_undefined(node.op, operand, right)) report(fmt::format("`{}` divides by zero", print(e)));
  check_overflow(node.op, operand, left, right, e);
  return apply(node.op, operand, left, right);
}

Lanes Executor::evaluate_binary(const Binary& node, const Expr& e) {
  const DataType type = e.type();
  const Lanes left = evaluate(node.left);
  if (ends_with(node, type, left[0].integer)) return left;
  const Lanes right = evaluate(node.right);
  return each_lane(type.lanes, [&](int k) { return apply_checked(node, e, left[k], right[k]); });
}

Lanes Executor::evaluate_select(const Select& node, DataType type) {
  const Lanes condition = evaluate(node.condition);
  Lanes when_true = evaluate(node.when_true), when_false = evaluate(node.when_false);
  if (condition.count() == 1) return condition[0].integer != 0 ? when_true : when_false;
  return each_lane(type.lanes,
                   [&](int k) { return condition[k].integer != 0 ? when_true[k] : when_false[k]; });
}

Lanes Executor::evaluate_shuffle(const Shuffle& node) {
  std::vector<Lane> all;
  for (const Expr& vector : node.vectors) {
    const Lanes lanes = evaluate(vector);
    for (int k = 0; k < lanes.count(); ++k) all.push_back(lanes[k]);
  }
  return each_lane(static_cast<int>(node.indices.size()), [&](int k) {
    return all[static_cast<std::size_t>(node.indices[static_cast<std::size_t>(k)])];
  });
}

}  // namespace ardea::interp
