#include "ardea/arith/content.h"

#include <algorithm>
#include <bit>

#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

/// Index expressions have a dozen nodes; each use of a shared node counts.
constexpr int most_nodes = 64;

class ContentHash {
 public:
  std::uint64_t value() const { return state_; }

  /// Whether the expression has one.
  bool add(const Expr& e) {
    if (!e.defined()) return word(1);
    if (++nodes_ > most_nodes) return false;
    const DataType type = e.type();
    word(static_cast<std::uint64_t>(e.variant().index()) << 56 ^ static_cast<std::uint64_t>(type.code) << 40 ^
         static_cast<std::uint64_t>(type.bits) << 24 ^ static_cast<std::uint64_t>(type.lanes));
    return std::visit(
        overloaded{
            [&](const IntImm& n) { return word(static_cast<std::uint64_t>(n.value)); },
            [&](const FloatImm& n) { return word(std::bit_cast<std::uint64_t>(n.value)); },
            [&](const StringImm& n) { return word(std::hash<std::string>()(n.value)); },
            [&](const VarNode&) { return address(e.get()); },
            [&](const Cast& n) { return add(n.value); },
            [&](const Unary& n) { return word(static_cast<std::uint64_t>(n.op)) && add(n.operand); },
            [&](const Binary& n) {
              return word(static_cast<std::uint64_t>(n.op)) && add(n.left) && add(n.right);
            },
            [&](const Select& n) { return add(n.condition) && add(n.when_true) && add(n.when_false); },
            [&](const Let&) { return false; },
            [&](const Load& n) { return address(n.buffer.get()) && add(n.indices) && add(n.predicate); },
            [&](const Call& n) { return address(n.op) && add(n.arguments); },
            [&](const Ramp& n) { return add(n.base) && add(n.stride); },
            [&](const Broadcast& n) { return add(n.value); },
            [&](const Shuffle& n) {
              for (const std::int64_t index : n.indices) word(static_cast<std::uint64_t>(index));
              return add(n.vectors);
            },
        },
        e.variant());
  }

 private:
  bool add(const std::vector<Expr>& list) {
    word(list.size());
    return std::all_of(list.begin(), list.end(), [&](const Expr& e) { return add(e); });
  }
  bool address(const void* at) { return word(reinterpret_cast<std::uintptr_t>(at)); }
  bool word(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
    return true;
  }

  std::uint64_t state_ = 0;
  int nodes_ = 0;
};

bool same_lists(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_content);
}

}  // namespace

std::optional<std::uint64_t> content_hash(const Expr& e) {
  ContentHash hash;
  return hash.add(e) ? std::optional(hash.value()) : std::nullopt;
}

bool same_content(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (!a.defined() || !b.defined() || a.type() != b.type() || a.variant().index() != b.variant().index())
    return false;
  return std::visit(
      overloaded{
          [&](const IntImm& n) { return n.value == b.as<IntImm>()->value; },
          [&](const FloatImm& n) {
            return std::bit_cast<std::uint64_t>(n.value) ==
                   std::bit_cast<std::uint64_t>(b.as<FloatImm>()->value);
          },
          [&](const StringImm& n) { return n.value == b.as<StringImm>()->value; },
          [&](const VarNode&) { return false; },
          [&](const Cast& n) { return same_content(n.value, b.as<Cast>()->value); },
          [&](const Unary& n) {
            return n.op == b.as<Unary>()->op && same_content(n.operand, b.as<Unary>()->operand);
          },
          [&](const Binary& n) {
            const Binary& other = *b.as<Binary>();
            return n.op == other.op && same_content(n.left, other.left) && same_content(n.right, other.right);
          },
          [&](const Select& n) {
            const Select& other = *b.as<Select>();
            return same_content(n.condition, other.condition) && same_content(n.when_true, other.when_true) &&
                   same_content(n.when_false, other.when_false);
          },
          [&](const Let&) { return false; },
          [&](const Load& n) {
            const Load& other = *b.as<Load>();
            return n.buffer == other.buffer && same_lists(n.indices, other.indices) &&
                   same_content(n.predicate, other.predicate);
          },
          [&](const Call& n) {
            return n.op == b.as<Call>()->op && same_lists(n.arguments, b.as<Call>()->arguments);
          },
          [&](const Ramp& n) {
            return same_content(n.base, b.as<Ramp>()->base) && same_content(n.stride, b.as<Ramp>()->stride);
          },
          [&](const Broadcast& n) { return same_content(n.value, b.as<Broadcast>()->value); },
          [&](const Shuffle& n) {
            const Shuffle& other = *b.as<Shuffle>();
            return n.indices == other.indices && same_lists(n.vectors, other.vectors);
          },
      },
      a.variant());
}

}  // namespace ardea::arith
