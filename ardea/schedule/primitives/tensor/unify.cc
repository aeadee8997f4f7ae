#include "ardea/schedule/primitives/tensor/unify.h"

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"

namespace ardea::schedule {

namespace {

bool is_commutative(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::mul:
    case BinaryOp::min:
    case BinaryOp::max:
    case BinaryOp::eq:
    case BinaryOp::ne:
    case BinaryOp::logical_and:
    case BinaryOp::logical_or:
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return true;
    default: return false;
  }
}

/// What can be paired in several ways.
using Ways = std::vector<AccessPairs>;

class Unifying {
 public:
  /// Most that a person waits for: an instruction has a handful of operations.
  static constexpr std::size_t most_ways = 64;

  Ways ways(const Expr& formal, const Expr& actual, std::size_t depth) {
    Ways found;
    if (formal.type() == actual.type()) found = ways_of_node(formal, actual, depth + 1);
    // The deepest pair that differs is where both stop being the same.
    if (found.empty() && (!difference_.formal.defined() || depth > depth_)) {
      difference_ = {formal, actual};
      depth_ = depth;
    }
    if (found.size() > most_ways) found.resize(most_ways);
    return found;
  }
  const Difference& difference() const { return difference_; }

 private:
  static Ways joined(const Ways& a, const Ways& b) {
    Ways all;
    for (const AccessPairs& x : a)
      for (const AccessPairs& y : b) {
        all.push_back(x);
        all.back().insert(all.back().end(), y.begin(), y.end());
      }
    return all;
  }
  static void append(Ways& all, Ways more) { all.insert(all.end(), more.begin(), more.end()); }

  Ways both(const Expr& a, const Expr& x, const Expr& b, const Expr& y, std::size_t depth) {
    const Ways first = ways(a, x, depth);
    return first.empty() ? first : joined(first, ways(b, y, depth));
  }

  Ways ways_of_node(const Expr& formal, const Expr& actual, std::size_t depth) {
    if (const auto* load = formal.as<Load>()) {
      const auto* other = actual.as<Load>();
      if (other == nullptr || load->predicate.defined() || other->predicate.defined()) return {};
      return {{{load->buffer, other->buffer, load->indices, other->indices}}};
    }
    if (const auto* cast = formal.as<Cast>()) {
      const auto* other = actual.as<Cast>();
      return other == nullptr ? Ways{} : ways(cast->value, other->value, depth);
    }
    if (const auto* binary = formal.as<Binary>()) {
      const auto* other = actual.as<Binary>();
      if (other == nullptr || binary->op != other->op) return {};
      Ways found = both(binary->left, other->left, binary->right, other->right, depth);
      if (is_commutative(binary->op))
        append(found, both(binary->left, other->right, binary->right, other->left, depth));
      return found;
    }
    if (const auto* call = formal.as<Call>()) return ways_of_call(*call, actual, depth);
    return structurally_equal(formal, actual) ? Ways{{}} : Ways{};
  }

  Ways ways_of_call(const Call& call, const Expr& actual, std::size_t depth) {
    const auto* other = actual.as<Call>();
    const auto* sum = actual.as<Binary>();
    if (call.op->name == "fma" && sum != nullptr && sum->op == BinaryOp::add) {
      Ways found;
      for (const auto& [product, rest] : {std::pair(sum->right, sum->left), std::pair(sum->left, sum->right)})
        if (const auto* factors = product.as<Binary>(); factors != nullptr && factors->op == BinaryOp::mul)
          append(found, ways_of_fma(call.arguments, {factors->left, factors->right, rest}, depth));
      return found;
    }
    if (other == nullptr || other->op != call.op || other->arguments.size() != call.arguments.size())
      return {};
    if (call.op->name == "fma") return ways_of_fma(call.arguments, other->arguments, depth);
    Ways found = {{}};
    for (std::size_t i = 0; i < call.arguments.size() && !found.empty(); ++i)
      found = joined(found, ways(call.arguments[i], other->arguments[i], depth));
    return found;
  }

  Ways ways_of_fma(const std::vector<Expr>& formal, const std::vector<Expr>& actual, std::size_t depth) {
    const Ways rest = ways(formal[2], actual[2], depth);
    if (rest.empty()) return {};
    Ways products = both(formal[0], actual[0], formal[1], actual[1], depth);
    append(products, both(formal[0], actual[1], formal[1], actual[0], depth));
    return joined(rest, products);
  }

  Difference difference_;
  std::size_t depth_ = 0;
};

/// Whether every formal buffer stands for one buffer throughout.
bool is_consistent(const std::vector<AccessPair>& pairs) {
  for (const AccessPair& a : pairs)
    for (const AccessPair& b : pairs)
      if (a.formal == b.formal && !(a.actual == b.actual)) return false;
  return true;
}

}  // namespace

std::vector<AccessPairs> unify(const Store& formal, const Store& actual, Difference& difference) {
  Unifying unifying;
  const AccessPair stored{formal.buffer, actual.buffer, formal.indices, actual.indices};
  std::vector<AccessPairs> found;
  for (const AccessPairs& way : unifying.ways(formal.value, actual.value, 0)) {
    found.push_back({stored});
    found.back().insert(found.back().end(), way.begin(), way.end());
  }
  difference = unifying.difference();
  if (!found.empty())
    difference = {make_load(formal.buffer, formal.indices), make_load(actual.buffer, actual.indices)};
  std::erase_if(
      found, [&](const AccessPairs& pairs) { return actual.predicate.defined() || !is_consistent(pairs); });
  return found;
}

}  // namespace ardea::schedule
