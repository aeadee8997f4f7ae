#include "ardea/lower/gpu/joined_dimensions.h"

#include <algorithm>
#include <optional>

#include "ardea/ir/equal.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

namespace {

const Binary* division(const Expr& e, BinaryOp op, std::int64_t by) {
  const auto* binary = e.as<Binary>();
  return binary != nullptr && binary->op == op && constant_int(binary->right) == by ? binary : nullptr;
}

/// The number of which these are quotient and remainder.
std::optional<Expr> number_of(const Expr& high, const Expr& low, std::int64_t radix) {
  const Binary* rest = division(low, BinaryOp::floor_mod, radix);
  if (rest == nullptr) return std::nullopt;
  const Expr& number = rest->left;
  const auto is_quotient = [&](const Expr& e) {
    const Binary* quotient = division(e, BinaryOp::floor_div, radix);
    return quotient != nullptr && structurally_equal(quotient->left, number);
  };
  if (is_quotient(high)) return number;
  const auto* digit = high.as<Binary>();
  if (digit == nullptr || digit->op != BinaryOp::floor_mod || !is_quotient(digit->left)) return std::nullopt;
  const auto count = constant_int(digit->right);
  if (!count || *count < 1) return std::nullopt;
  return floor_mod(number, make_int(*count * radix, number.type()));
}

struct Joined {
  std::vector<Expr> indices;
  std::vector<std::size_t> dimensions;
};

/// From the last one on, so that what two are is a remainder for the one before.
Joined joined(const Buffer& buffer, std::vector<Expr> indices) {
  Joined out{std::move(indices), {}};
  if (!is_compact(buffer)) return out;
  std::optional<std::int64_t> radix;
  for (std::size_t d = buffer->shape.size(); d-- > 0;) {
    const auto extent = constant_int(buffer->shape[d]);
    if (d + 1 < buffer->shape.size() && radix && *radix > 0)
      if (const auto number = number_of(out.indices[d], out.indices[d + 1], *radix)) {
        out.indices[d] = *number;
        out.indices.erase(out.indices.begin() + static_cast<std::ptrdiff_t>(d) + 1);
        out.dimensions.push_back(d);
        radix = extent ? std::optional(*extent * *radix) : std::nullopt;
        continue;
      }
    radix = extent;
  }
  return out;
}

}  // namespace

const Buffer& JoinedDimensions::view(const Buffer& whole, const std::vector<std::size_t>& dimensions) {
  const auto known = std::find_if(views_.begin(), views_.end(), [&](const View& one) {
    return one.whole == whole && one.dimensions == dimensions;
  });
  if (known != views_.end()) return known->joined;
  BufferNode node = *whole;
  for (const std::size_t d : dimensions) {
    const auto next = node.shape.begin() + static_cast<std::ptrdiff_t>(d) + 1;
    node.shape[d] = multiply_index(node.shape[d], *next);
    node.shape.erase(next);
  }
  return views_.emplace_back(View{whole, Buffer(std::move(node)), dimensions}).joined;
}

Stmt JoinedDimensions::in(const Stmt& s) {
  Rewriter rewriter;
  rewriter.expr_after = [&](const Expr& e) -> Expr {
    const auto* load = e.as<Load>();
    if (load == nullptr) return e;
    const Joined now = joined(load->buffer, load->indices);
    return now.dimensions.empty()
               ? e
               : make_load(view(load->buffer, now.dimensions), now.indices, load->predicate);
  };
  rewriter.stmt_after = [&](const Stmt& part) -> Stmt {
    const auto* store = part.as<Store>();
    if (store == nullptr) return part;
    const Joined now = joined(store->buffer, store->indices);
    if (now.dimensions.empty()) return part;
    Store out = *store;
    out.buffer = view(store->buffer, now.dimensions);
    out.indices = now.indices;
    return out;
  };
  return rewrite(s, rewriter);
}

}  // namespace ardea::lower
