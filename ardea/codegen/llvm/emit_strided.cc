#include <llvm/Analysis/VectorUtils.h>

#include <algorithm>

#include "ardea/codegen/llvm/alignment.h"
#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/support/ceil_div.h"

/// Lanes that lie a few elements apart, as rows of neighbours and a choice among them: machines without an
/// instruction for it would read lane by lane, and those with one are no faster.

namespace ardea::codegen {

namespace {

/// Of what lies further apart, rows would hold more that nobody asked for than lanes.
constexpr std::int64_t widest_stride = 4;

std::int64_t floor_remainder(std::int64_t a, std::int64_t m) { return ((a % m) + m) % m; }

/// e mod m, where that is the same for all values of its variables. By induction: remainders of sums and
/// differences are those of the parts' remainders, a product with a multiple of m is one, and so is a
/// multiple of a power of two that m divides. A sum that wraps keeps its remainder where m divides 2^bits;
/// others must be shown not to wrap.
std::optional<std::int64_t> known_remainder(const Expr& e, std::int64_t m, Ranges& ranges,
                                            const std::unordered_map<Var, std::int64_t>& divisors) {
  if (const auto value = constant_int(e)) return floor_remainder(*value, m);
  if (known_divisor(e, divisors) % m == 0) return 0;
  if (const auto* cast = e.as<Cast>(); cast != nullptr && cast->value.type().is_integer() &&
                                       e.type().is_integer() && e.type().bits >= cast->value.type().bits)
    return known_remainder(cast->value, m, ranges, divisors);
  const auto* binary = e.as<Binary>();
  if (binary == nullptr || !e.type().is_integer() || !ranges.cannot_wrap(e)) return std::nullopt;
  const auto left = known_remainder(binary->left, m, ranges, divisors),
             right = known_remainder(binary->right, m, ranges, divisors);
  if (binary->op == BinaryOp::mul && (left == 0 || right == 0)) return 0;
  if (!left || !right) return std::nullopt;
  if (binary->op == BinaryOp::add) return floor_remainder(*left + *right, m);
  if (binary->op == BinaryOp::sub) return floor_remainder(*left - *right, m);
  return std::nullopt;
}

}  // namespace

/// Lanes at f, f + s, …, f + (n - 1) s. Lanes that fill the register are read from the group of s · n
/// neighbours that begins on a multiple of s, where all of the group is proved to lie in the buffer: other
/// lanes of the same group then cost no further read. Otherwise from rows between the first lane and the
/// last, which are all inside: the last row ends where the last lane is.
llvm::Value* Emitter::emit_strided_load(const Buffer& buffer, const Ramp& ramp, int lanes) {
  const auto stride = constant_int(ramp.stride);
  if (!stride || *stride < 2 || *stride > widest_stride) return nullptr;
  const std::int64_t apart = *stride;
  const std::int64_t whole = std::max<std::int64_t>(1, target_.vector_bits / (8 * buffer->type.bytes()));
  const auto extent = constant_int(buffer->shape[0]);
  const auto first = ranges_.of(ramp.base);
  const std::int64_t back = known_remainder(ramp.base, apart, ranges_, frame_.divisors).value_or(0);
  llvm::Type* element = memory_type(context_, buffer->type);
  llvm::Value* offset = emit_offset(buffer, {ramp.base});

  const auto read = [&](std::int64_t at, std::int64_t length) -> llvm::Value* {
    llvm::Value* place = builder_.CreateAdd(offset, integer(offset->getType(), at));
    return mark_aliasing(
        builder_.CreateAlignedLoad(with_lanes(element, static_cast<int>(length)),
                                   emit_address(buffer, place, true), element_alignment(buffer)),
        buffer);
  };
  const auto each = [&](llvm::Value* row, std::int64_t begin, std::int64_t count) {
    std::vector<int> places;
    for (std::int64_t i = 0; i < count; ++i) places.push_back(static_cast<int>(begin + i * apart));
    return builder_.CreateShuffleVector(row, places);
  };
  const auto lane_by_lane = [&](std::int64_t at, std::int64_t count) {
    llvm::Value* row =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(element, static_cast<unsigned>(count)));
    for (std::int64_t i = 0; i < count; ++i)
      row = builder_.CreateInsertElement(row, read(at + i * apart, 1), static_cast<std::uint64_t>(i));
    return row;
  };
  const auto from_group = [&](std::int64_t at, std::int64_t count) -> llvm::Value* {
    const bool is_inside = first && extent && first->low + at - back >= 0 &&
                           first->high <= *extent - (at - back + count * apart);
    if (!is_inside) return nullptr;
    if (apart > 2) return each(read(at - back, count * apart), back, count);
    // Two loads: of one that is twice as wide LLVM makes AArch64's ld2, which takes three times as long.
    llvm::Value *left = read(at - back, count), *right = read(at - back + count, count);
    return each(llvm::concatenateVectors(builder_, {left, right}), back, count);
  };
  const auto from_rows = [&](std::int64_t at, std::int64_t count) -> llvm::Value* {
    const std::int64_t reach = (count - 1) * apart + 1, rows = ceil_div(reach, count);
    if (rows >= count) return lane_by_lane(at, count);
    std::vector<llvm::Value*> parts;
    for (std::int64_t i = 0; i + 1 < rows; ++i) parts.push_back(read(at + i * count, count));
    parts.push_back(read(at + reach - count, count));
    const std::int64_t overlap = rows * count - reach;
    std::vector<int> places;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool in_last = i * apart >= (rows - 1) * count;
      places.push_back(static_cast<int>(i * apart + (in_last ? overlap : 0)));
    }
    return builder_.CreateShuffleVector(llvm::concatenateVectors(builder_, parts), places);
  };

  std::vector<llvm::Value*> parts;
  for (std::int64_t lane = 0; lane < lanes; lane += whole) {
    const std::int64_t count = std::min<std::int64_t>(whole, lanes - lane), at = lane * apart;
    llvm::Value* part = count == whole ? from_group(at, count) : nullptr;
    parts.push_back(part != nullptr ? part : from_rows(at, count));
  }
  return llvm::concatenateVectors(builder_, parts);
}

}  // namespace ardea::codegen
