#include "ardea/rules/scratchpad/matrix_unit.h"

#include <algorithm>
#include <optional>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/traverse.h"

namespace ardea::rules {

namespace {

/// An operand of an instruction as its meaning uses it.
struct Access {
  Buffer buffer;
  std::vector<Var> indices;
  const intrin::Operand* operand = nullptr;

  bool uses(const Var& v) const { return std::find(indices.begin(), indices.end(), v) != indices.end(); }
  std::vector<std::int64_t> shape() const {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : buffer->shape) shape.push_back(constant_int(extent).value_or(0));
    return shape;
  }
};

/// Nothing where an index is no plain variable, or the buffer no parameter.
std::optional<Access> access_of(const intrin::Instruction& record, const Buffer& buffer,
                                const std::vector<Expr>& indices) {
  Access access{buffer, {}};
  for (const Expr& index : indices) {
    if (!index.is<VarNode>()) return std::nullopt;
    access.indices.emplace_back(index);
  }
  for (std::size_t i = 0; i < record.meaning.parameters.size() && i < record.operands.size(); ++i)
    if (record.meaning.parameters[i].buffer == buffer) access.operand = &record.operands[i];
  return access.operand != nullptr ? std::optional(access) : std::nullopt;
}

/// The one store of a meaning whose parameters are all buffers.
const Store* only_store(const intrin::Instruction& record) {
  if (record.meaning.parameters.size() != record.operands.size()) return nullptr;
  const Store* found = nullptr;
  int count = 0;
  visit_stmts(record.meaning.body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) {
      found = store;
      ++count;
    }
  });
  return count == 1 ? found : nullptr;
}

Expr without_casts(Expr e) {
  while (const auto* cast = e.as<Cast>()) e = cast->value;
  return e;
}

std::optional<Access> loaded(const intrin::Instruction& record, const Expr& e) {
  const Expr value = without_casts(e);
  const auto* load = value.as<Load>();
  return load != nullptr ? access_of(record, load->buffer, load->indices) : std::nullopt;
}

/// What an instruction is, as far as these rules can use it.
struct Copy {
  Access to, from;
  const intrin::Instruction* record;
};
struct Reset {
  Access of;
  const intrin::Instruction* record;
};

struct Records {
  std::vector<Copy> copies;
  std::vector<Reset> resets;
  std::vector<const intrin::Instruction*> others;
};

Records records_of(const target::Target& target) {
  Records all;
  for (const std::string& name : intrin::instruction_names()) {
    const intrin::Instruction& record = intrin::find_instruction(name);
    const Store* store = only_store(record);
    if (store == nullptr || record.required_feature.empty() || !target.has(record.required_feature)) continue;
    const auto to = access_of(record, store->buffer, store->indices);
    if (!to) continue;
    const auto from = loaded(record, store->value);
    if (from && from->indices == to->indices && from->buffer != to->buffer)
      all.copies.push_back({*to, *from, &record});
    else if (is_zero(store->value))
      all.resets.push_back({*to, &record});
    else
      all.others.push_back(&record);
  }
  return all;
}

/// Whether the copy engines, where the record names some, can move a tile of so many bytes.
bool can_be_copied(const Access& tile, const target::Accelerator& machine) {
  std::int64_t bytes = tile.buffer->type.bytes();
  for (const std::int64_t extent : tile.shape()) bytes *= extent;
  return machine.copy_engines.empty() ||
         std::any_of(
             machine.copy_engines.begin(), machine.copy_engines.end(), [&](const target::CopyEngine& engine) {
               return bytes % engine.granule_bytes == 0 && (!engine.max_bytes || bytes <= *engine.max_bytes);
             });
}

constexpr auto memory_scope = "global";

/// The hops that bring a tile from memory to where `tile` is, the fewest; nothing where no copies lead there.
std::optional<std::vector<Hop>> way_to(const Access& tile, const std::string& scope, const Records& records,
                                       const target::Accelerator& machine) {
  std::vector<std::pair<std::string, std::vector<Hop>>> reached = {{scope, {}}};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const auto [at, hops] = reached[next];
    if (at == memory_scope) return hops;
    for (const Copy& copy : records.copies) {
      const bool fits = copy.to.operand->scope == at && copy.to.shape() == tile.shape() &&
                        copy.to.buffer->type == tile.buffer->type &&
                        copy.from.buffer->type == tile.buffer->type && can_be_copied(copy.to, machine);
      const std::string& from = copy.from.operand->scope;
      const bool is_known =
          std::any_of(reached.begin(), reached.end(), [&](const auto& known) { return known.first == from; });
      if (!fits || is_known || (from != memory_scope && machine.scratchpad(from) == nullptr)) continue;
      std::vector<Hop> longer = hops;
      longer.insert(longer.begin(), {at, copy.record->name});
      reached.emplace_back(from, std::move(longer));
    }
  }
  return std::nullopt;
}

/// C[…] = C[…] + A[…] · B[…], and which index is which axis.
std::optional<MatrixUnit> unit_of(const intrin::Instruction& record, const Records& records,
                                  const target::Accelerator& machine) {
  const Store& store = *only_store(record);
  const auto* sum = store.value.as<Binary>();
  const auto* before = sum != nullptr && sum->op == BinaryOp::add ? sum->left.as<Load>() : nullptr;
  const auto* term = before != nullptr ? sum->right.as<Binary>() : nullptr;
  if (term == nullptr || term->op != BinaryOp::mul || before->buffer != store.buffer) return std::nullopt;
  const auto c = access_of(record, store.buffer, store.indices), a = loaded(record, term->left),
             b = loaded(record, term->right);
  if (!c || !a || !b) return std::nullopt;
  MatrixUnit unit;
  unit.product = record.name;
  const auto operand = [&](const Access& access) -> std::optional<UnitOperand> {
    if (machine.scratchpad(access.operand->scope) == nullptr) return std::nullopt;
    UnitOperand found{access.operand->scope, access.buffer->type, {}};
    for (std::size_t i = 0; i < access.indices.size(); ++i) {
      const Var& v = access.indices[i];
      const int uses = (c->uses(v) ? 1 : 0) + (a->uses(v) ? 2 : 0) + (b->uses(v) ? 4 : 0);
      constexpr int row = 1 + 2, column = 1 + 4, depth = 2 + 4;
      if (uses != row && uses != column && uses != depth) return std::nullopt;
      const UnitAxis axis = uses == row ? UnitAxis::row : uses == column ? UnitAxis::column : UnitAxis::depth;
      if (std::find(found.axes.begin(), found.axes.end(), axis) != found.axes.end()) return std::nullopt;
      found.axes.push_back(axis);
      unit.extents[static_cast<std::size_t>(axis)] = access.shape()[i];
    }
    return found;
  };
  const auto sums = operand(*c), left = operand(*a), right = operand(*b);
  if (!sums || !left || !right || right->axes.size() != 2) return std::nullopt;
  unit.sums = *sums;
  unit.left = *left;
  unit.right = *right;
  const auto to_left = way_to(*a, left->scope, records, machine),
             to_right = way_to(*b, right->scope, records, machine);
  if (!to_left || !to_right) return std::nullopt;
  unit.to_left = *to_left;
  unit.to_right = *to_right;
  for (const Reset& reset : records.resets)
    if (reset.of.operand->scope == sums->scope && reset.of.shape() == c->shape())
      unit.reset = reset.record->name;
  for (const Copy& copy : records.copies)
    if (copy.from.operand->scope == sums->scope && copy.to.operand->scope == memory_scope &&
        copy.from.shape() == c->shape() && can_be_copied(copy.to, machine))
      unit.stores.emplace_back(copy.to.buffer->type, copy.record->name);
  if (unit.reset.empty() || unit.stores.empty()) return std::nullopt;
  return unit;
}

}  // namespace

std::vector<std::int64_t> MatrixUnit::tile(const UnitOperand& operand) const {
  std::vector<std::int64_t> sizes;
  for (const UnitAxis axis : operand.axes) sizes.push_back(extent(axis));
  return sizes;
}

const std::string* MatrixUnit::store(DataType type) const {
  for (const auto& [stored, instruction] : stores)
    if (stored == type) return &instruction;
  return nullptr;
}

std::vector<MatrixUnit> matrix_units(const target::Target& target) {
  std::vector<MatrixUnit> units;
  if (!target.accelerator) return units;
  const Records records = records_of(target);
  for (const intrin::Instruction* record : records.others)
    if (auto unit = unit_of(*record, records, *target.accelerator)) units.push_back(*std::move(unit));
  return units;
}

}  // namespace ardea::rules
