#include "ardea/limits/lane_counts.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "ardea/ir/accuracy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::limits {

namespace {

int computed_bits(DataType type) {
  if (!type.is_integer() && !type.is_float()) return 8;
  return type.is_float() ? std::max<int>(type.bits, 32) : std::max<int>(type.bits, 8);
}

/// What is loaded, where the value is that or, by conditions, a constant.
const Load* moved(const Expr& value) {
  if (const auto* load = value.as<Load>()) return load;
  const auto* call = value.as<Call>();
  if (call == nullptr || call->op->name != "if_then_else") return nullptr;
  const Expr& otherwise = call->arguments[2];
  return otherwise.is<IntImm>() || otherwise.is<FloatImm>() ? moved(call->arguments[1]) : nullptr;
}

/// Whether all that is stored was loaded as it is, from memory to memory.
bool only_moves(const Stmt& body) {
  bool moves = true;
  visit_stmts(body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store == nullptr) return;
    const Load* load = moved(store->value);
    moves = moves && load != nullptr && load->buffer->type == store->buffer->type &&
            load->buffer->scope != register_scope && store->buffer->scope != register_scope;
  });
  return moves;
}

int widest_bits(const Stmt& body) {
  int widest = 8;
  const bool moves = only_moves(body);
  const auto note = [&](DataType type) {
    widest = std::max(widest, moves ? std::max<int>(type.bits, 8) : computed_bits(type));
  };
  visit_stmts(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) note(store->buffer->type);
  });
  // Casts of indices aside, which a load or store has in front of it: those are addresses.
  const std::function<void(const Expr&)> visit_value = [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) return note(load->buffer->type);
    if (e.is<Cast>()) note(e.type());
    for_each_child(e, visit_value);
  };
  visit_stmts(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) return visit_value(store->value);
    if (const auto* let = s.as<LetStmt>()) return visit_value(let->value);
  });
  return widest;
}

/// Of numbers in memory of the device or of a block; nothing where there is none.
std::optional<int> narrowest_moved(const Stmt& body) {
  std::optional<int> narrowest;
  for (const Buffer& buffer : buffers_in(body)) {
    const ScopeRank rank = scope_rank(buffer->scope).value_or(ScopeRank::device);
    if (rank != ScopeRank::device && rank != ScopeRank::block) continue;
    const int bits = std::max<int>(buffer->type.bits, 8);
    narrowest = std::min(narrowest.value_or(bits), bits);
  }
  return narrowest;
}

}  // namespace

int lane_bits(const Stmt& body, const target::Target& target) {
  const std::optional<int> moved = target.gpu ? narrowest_moved(body) : std::nullopt;
  return moved.value_or(widest_bits(body));
}

int register_lanes(int bits, const target::Target& target) {
  return std::max(2, static_cast<int>(std::bit_floor(static_cast<unsigned>(target.vector_bits / bits))));
}

bool has_lane_masks(int bits, const target::Target& target) {
  if (target.arch != target::Arch::x86_64) return false;
  if (bits < 32) return target.has("avx512bw");
  return target.has("avx512f") || target.has("avx2");
}

Width width_of(const For& loop, const target::Target& target) {
  constexpr int registers_of_loops = 4;  // more would leave no registers for anything else
  constexpr int bits_of_functions = 512, registers_for_functions = 32;
  bool loops = false, functions = false, has_tiles = false;
  visit_stmts(loop.body, [&](const Stmt& s) {
    loops = loops || s.is<For>();
    if (const auto* store = s.as<Store>()) has_tiles = has_tiles || store->buffer->scope == register_scope;
  });
  if (loops) return {registers_of_loops, false};
  visit_exprs(loop.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    functions = functions || (call != nullptr && find_accuracy(call->op->name) != nullptr);
    if (const auto* load = e.as<Load>(); load != nullptr && load->buffer->scope == register_scope)
      has_tiles = has_tiles || std::any_of(load->indices.begin(), load->indices.end(),
                                           [&](const Expr& index) { return uses(index, loop.var); });
  });
  if (!functions || has_tiles || target.vector_registers < registers_for_functions) return {1, false};
  return {std::max(1, bits_of_functions / target.vector_bits), true};
}

bool uses_registers(const Stmt& s) {
  const std::vector<Buffer> buffers = buffers_in(s);
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const Buffer& b) { return b->scope == register_scope; });
}

Rest rest_of(const Stmt& body, int bits, const target::Target& target) {
  const std::vector<Buffer> buffers = buffers_in(body);
  const auto tiles = std::count_if(buffers.begin(), buffers.end(),
                                   [](const Buffer& b) { return b->scope == register_scope; });
  const bool on_registers = tiles > 0, between_registers = tiles > 1 && tiles == std::ssize(buffers);
  if (has_lane_masks(bits, target)) return on_registers && !between_registers ? Rest::whole : Rest::masked;
  return on_registers ? Rest::masked : Rest::narrower;
}

std::vector<LanePiece> lane_pieces(std::int64_t extent, int bits, Width width, Rest rest,
                                   const target::Target& target) {
  const int whole = register_lanes(bits, target), widest = whole * width.registers;
  const auto is_power = std::has_single_bit(static_cast<std::uint64_t>(extent));
  if (is_power && extent <= widest && (rest != Rest::whole || extent >= whole))
    return {{1, static_cast<int>(extent), static_cast<int>(extent)}};
  std::vector<LanePiece> pieces;
  if (width.repeated && widest > whole && extent >= widest) {
    pieces.push_back({extent / widest, widest, widest});
    extent %= widest;
  }
  if (extent >= whole) pieces.push_back({extent / whole, whole, whole});
  auto left = static_cast<unsigned>(extent % whole);
  if (left == 0) return pieces;
  if (rest == Rest::whole) {
    pieces.push_back({1, whole, static_cast<int>(left)});
    return pieces;
  }
  if (left > 2 && !std::has_single_bit(left) && rest == Rest::masked) {
    pieces.push_back({1, static_cast<int>(std::bit_ceil(left)), static_cast<int>(left)});
    return pieces;
  }
  for (; left > 0; left -= std::bit_floor(left)) {
    const int lanes = static_cast<int>(std::bit_floor(left));
    pieces.push_back({1, lanes, lanes});
  }
  return pieces;
}

}  // namespace ardea::limits
