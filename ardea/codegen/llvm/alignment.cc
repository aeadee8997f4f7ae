#include "ardea/codegen/llvm/alignment.h"

#include <algorithm>

namespace ardea::codegen {

namespace {

constexpr std::int64_t largest_alignment = 4096;

}  // namespace

std::int64_t power_of_two_in(std::int64_t x) {
  return x == 0 ? largest_alignment : std::min(x & -x, largest_alignment);
}

std::int64_t known_divisor(const Expr& e, const std::unordered_map<Var, std::int64_t>& divisors) {
  if (const auto value = constant_int(e))
    return *value == INT64_MIN ? largest_alignment : power_of_two_in(*value);
  if (e.is<VarNode>()) {
    const auto found = divisors.find(Var(e));
    return found == divisors.end() ? 1 : found->second;
  }
  if (const auto* cast = e.as<Cast>(); cast != nullptr && cast->value.type().is_integer() &&
                                       e.type().is_integer() && e.type().bits >= cast->value.type().bits)
    return known_divisor(cast->value, divisors);
  const auto* binary = e.as<Binary>();
  if (binary == nullptr || !e.type().is_integer()) return 1;
  const std::int64_t left = known_divisor(binary->left, divisors),
                     right = known_divisor(binary->right, divisors);
  if (binary->op == BinaryOp::add || binary->op == BinaryOp::sub) return std::min(left, right);
  if (binary->op == BinaryOp::mul) return std::min(left * right, largest_alignment);
  return 1;
}

}  // namespace ardea::codegen
