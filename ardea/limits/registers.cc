#include "ardea/limits/registers.h"

#include <unordered_map>
#include <unordered_set>

#include "ardea/intrin/instruction.h"
#include "ardea/intrin/tile_registers.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/register_tile.h"

namespace ardea::limits {

namespace {

Expr rounded_up(const Expr& a, const Expr& b) { return floor_div(a + b - make_int(1), b); }

/// Elements side by side that are used together, and the registers that they fill.
struct Strip {
  Expr elements, registers;
};

/// The strips of every register buffer of a function.
class Strips {
 public:
  explicit Strips(const target::Target& target) : target_(target) {}

  void visit(const Stmt& s) {
    const auto* loop = s.as<For>();
    const bool is_vector = loop != nullptr && loop->kind == ForKind::vectorized;
    if (is_vector) vectors_.push_back(loop);
    if (const auto* store = s.as<Store>()) note(store->buffer, store->indices);
    if (const Call* call = instruction_call(s)) note_operands(*call);
    for_each_child(
        s,
        [&](const Expr& e) {
          visit_exprs(e, [&](const Expr& x) {
            if (const auto* load = x.as<Load>()) note(load->buffer, load->indices);
          });
        },
        [&](const Stmt& part) { visit(part); });
    if (is_vector) vectors_.pop_back();
  }

  /// An operand is one whole register: what else uses the memory uses lanes of it.
  const std::vector<Strip>& of(const Var& data) {
    return operands_.contains(data) ? operands_[data] : strips_[data];
  }

 private:
  void note(const Buffer& buffer, const std::vector<Expr>& indices) {
    if (buffer->scope != register_scope || indices.empty()) return;
    for (const For* loop : vectors_) {
      if (!uses(indices.back(), loop->var)) continue;
      const Expr extent = as_index(loop->extent);
      const Expr lanes = make_int(register_lanes(lane_bits(loop->body, target_), target_));
      strips_[buffer->data].push_back({extent, rounded_up(extent, lanes)});
    }
  }

  void note_operands(const Call& call) {
    const Function& meaning = intrin::find_instruction(call.arguments[0].as<StringImm>()->value).meaning;
    for (std::size_t i = 0; i < meaning.parameters.size(); ++i) {
      const Buffer& formal = meaning.parameters[i].buffer;
      const auto* address = formal.defined() ? call.arguments.at(i + 1).as<Call>() : nullptr;
      const auto* corner = address != nullptr ? address->arguments[0].as<Load>() : nullptr;
      const auto elements = formal.defined() ? constant_int(flat_size(formal)) : std::nullopt;
      if (corner == nullptr || !elements || corner->buffer->scope != register_scope) continue;
      const DataType vector = formal->type.with_lanes(static_cast<int>(*elements));
      operands_[corner->buffer->data].push_back(
          {make_int(*elements), make_int(registers_of(vector, target_))});
    }
  }

  const target::Target& target_;
  std::vector<const For*> vectors_;  ///< around what is visited
  std::unordered_map<Var, std::vector<Strip>> strips_, operands_;
};

/// An element that is used alone next to a strip is a lane of it.
Expr registers_in(const Memory& memory, const std::vector<Strip>& strips, const arith::Analyzer& facts) {
  Expr rows = make_int(1);
  for (std::size_t d = 0; d + 1 < memory.shape.size(); ++d) rows = multiply_index(rows, memory.shape[d]);
  const Expr row = memory.row.defined() ? memory.row : make_int(1);
  Expr most = strips.empty() ? row : Expr();
  for (const Strip& strip : strips) {
    const Expr count = rounded_up(row, strip.elements) * strip.registers;
    most = !most.defined() || facts.proves(most <= count) ? count : facts.simplify(max(most, count));
  }
  return facts.simplify(rows * most);
}

}  // namespace

Expr vector_registers(const Function& f, const std::vector<Memory>& memory, const target::Target& target) {
  const arith::Analyzer facts = arith::facts_of(f);
  Strips strips(target);
  strips.visit(f.body);
  std::unordered_map<Var, Expr> registers;
  for (const Memory& one : memory)
    if (one.scope == register_scope) registers[one.data] = registers_in(one, strips.of(one.data), facts);
  Expr most = make_int(0);
  if (registers.empty()) return most;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr || loop->kind == ForKind::vectorized || loop->kind == ForKind::unrolled) return;
    std::unordered_set<Var> own;
    visit_stmts(loop->body, [&](const Stmt& part) {
      if (const auto* allocate = part.as<Allocate>()) own.insert(allocate->data);
    });
    Expr taken = make_int(0);
    for (const Buffer& buffer : buffers_in(loop->body))
      if (registers.contains(buffer->data) && own.insert(buffer->data).second)
        taken = taken + registers.at(buffer->data);
    if (!facts.proves(taken <= most)) most = facts.simplify(max(most, taken));
  });
  return most;
}

std::int64_t tiles_in(std::int64_t bytes) { return (bytes + intrin::tile_bytes - 1) / intrin::tile_bytes; }

Expr tiles_in(const Expr& bytes) { return rounded_up(bytes, make_int(intrin::tile_bytes)); }

Expr tile_registers(const Function& f, const std::vector<Memory>& memory, const target::Target& target) {
  const auto sums = live(f, memory, [](const Memory& one) { return tiles_in(one.bytes); }, own_group, target);
  const auto tiles = sums.find(tile_scope);
  return tiles == sums.end() ? make_int(0) : tiles->second;
}

}  // namespace ardea::limits
