#include "ardea/ir/layout.h"

#include <unordered_set>

#include "ardea/ir/box_copy.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea {

namespace {

Expr in_lanes(const Expr& e, int lanes) { return e.type().lanes == lanes ? e : make_broadcast(e, lanes); }

/// The product or sum of constants, where it fits.
std::optional<std::int64_t> folded_index(BinaryOp op, const Expr& a, const Expr& b) {
  const auto x = constant_int(a), y = constant_int(b);
  std::int64_t result = 0;
  if (!x || !y) return std::nullopt;
  const bool overflow =
      op == BinaryOp::add ? __builtin_add_overflow(*x, *y, &result) : __builtin_mul_overflow(*x, *y, &result);
  return overflow ? std::nullopt : std::optional(result);
}

Expr multiply_size(const Buffer& buffer, const Expr& a, const Expr& b) {
  const Expr product = multiply_index(a, fold_literals(b));
  require(product.is<IntImm>() || !a.is<IntImm>() || !b.is<IntImm>(),
          "buffer {}: its extents multiply to more elements than an int64 counts; make it smaller",
          buffer->name);
  return product;
}

}  // namespace

Expr as_index(const Expr& e) {
  if (const auto value = constant_int(e)) return make_int(*value);
  if (const auto* ramp = e.as<Ramp>())
    return make_ramp(as_index(ramp->base), as_index(ramp->stride), e.type().lanes);
  if (const auto* broadcast = e.as<Broadcast>())
    return make_broadcast(as_index(broadcast->value), e.type().lanes);
  return make_cast(int64.with_lanes(e.type().lanes), e);
}

Expr add_index(const Expr& left, const Expr& right) {
  const Expr a = as_index(left), b = as_index(right);
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (const auto sum = folded_index(BinaryOp::add, a, b)) return make_int(*sum);
  const auto* ramp = a.as<Ramp>();
  if (ramp != nullptr && b.type().is_scalar())
    return make_ramp(add_index(ramp->base, b), ramp->stride, a.type().lanes);
  if (a.type().is_scalar() && b.is<Ramp>()) return add_index(b, a);
  const int lanes = std::max(a.type().lanes, b.type().lanes);
  return in_lanes(a, lanes) + in_lanes(b, lanes);
}

Expr multiply_index(const Expr& left, const Expr& right) {
  const Expr a = as_index(left), b = as_index(right);
  if (is_one(a)) return b;
  if (is_one(b)) return a;
  if (const auto product = folded_index(BinaryOp::mul, a, b)) return make_int(*product);
  const auto* ramp = a.as<Ramp>();
  if (ramp != nullptr && b.type().is_scalar())
    return make_ramp(multiply_index(ramp->base, b), multiply_index(ramp->stride, b), a.type().lanes);
  if (a.type().is_scalar() && b.is<Ramp>()) return multiply_index(b, a);
  const int lanes = std::max(a.type().lanes, b.type().lanes);
  return in_lanes(a, lanes) * in_lanes(b, lanes);
}

std::vector<Expr> strides_of(const Buffer& buffer) {
  std::vector<Expr> strides;
  for (const Expr& stride : buffer->strides) strides.push_back(as_index(stride));
  if (!strides.empty()) return strides;
  strides.resize(buffer->shape.size());
  Expr stride = make_int(1);
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride = multiply_size(buffer, stride, buffer->shape[d]);
  }
  return strides;
}

Expr offset_of(const Buffer& buffer) {
  return buffer->element_offset.defined() ? as_index(buffer->element_offset) : make_int(0);
}

Expr flat_index(const Buffer& buffer, const std::vector<Expr>& indices) {
  const std::vector<Expr> strides = strides_of(buffer);
  Expr place = offset_of(buffer);
  for (std::size_t d = 0; d < indices.size(); ++d)
    place = add_index(place, multiply_index(indices[d], strides[d]));
  return place;
}

Expr flat_size(const Buffer& buffer) {
  Expr size = make_int(1);
  if (buffer->strides.empty()) {
    for (const Expr& extent : buffer->shape) size = multiply_size(buffer, size, extent);
  } else {
    for (std::size_t d = 0; d < buffer->shape.size(); ++d)
      size = add_index(size,
                       multiply_size(buffer, add_index(buffer->shape[d], make_int(-1)), buffer->strides[d]));
  }
  size = add_index(size, offset_of(buffer));
  multiply_size(buffer, size,
                make_int(std::max<std::int64_t>(buffer->type.bytes(), 1)));  // the bytes are counted too
  return size;
}

Buffer flat_view(const Buffer& buffer) {
  BufferNode flat = *buffer;
  flat.shape = {flat_size(buffer)};
  flat.strides = {};
  flat.element_offset = {};
  return Buffer(std::move(flat));
}

bool is_compact(const Buffer& buffer) {
  return buffer->strides.empty() && (!buffer->element_offset.defined() || is_zero(buffer->element_offset));
}

Buffer whole_view(const Allocate& allocate, Addresses allowed) {
  const auto* declare = allocate.body.as<DeclareBuffer>();
  if (declare == nullptr || declare->buffer->data != allocate.data || !is_compact(declare->buffer)) return {};
  for (const Buffer& b : buffers_in(declare->body))
    if (b->data == allocate.data && b != declare->buffer) return {};
  std::unordered_set<Expr> operands;
  if (allowed == Addresses::of_units)
    visit_exprs(declare->body, [&](const Expr& e) {
      const auto* call = e.as<Call>();
      if (call != nullptr && (call->op->name == "tensor_instruction" || is_copy_by_unit(*call)))
        operands.insert(call->arguments.begin(), call->arguments.end());
    });
  bool escapes = false;
  visit_exprs(declare->body, [&](const Expr& e) {
    escapes = escapes || e == allocate.data;
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "address_of" && !operands.contains(e))
      escapes = escapes || call->arguments[0].as<Load>()->buffer == declare->buffer;
  });
  return escapes ? Buffer{} : declare->buffer;
}

}  // namespace ardea
