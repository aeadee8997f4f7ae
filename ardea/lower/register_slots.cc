#include "ardea/lower/register_slots.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::lower {

namespace {

class Collection {
 public:
  Collection(const Allocate& allocation, const std::string& function)
      : data_(allocation.data), type_(allocation.type), function_(function) {}

  void visit(const Stmt& s) {
    if (const auto* store = s.as<Store>(); store != nullptr && store->buffer->data == data_)
      note(store->buffer, store->indices, {.is_written_in_part = !is_true(store->predicate)}, true);
    const auto* loop = s.as<For>();
    if (loop != nullptr) loops_.push_back(loop->var);
    for_each_child(s, [&](const Expr& e) { visit(e); }, [&](const Stmt& part) { visit(part); });
    if (loop != nullptr) loops_.pop_back();
  }

  /// Where two rows overlap, one of them is a part of the other.
  std::vector<Slot> take() {
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return a.slot.first != b.slot.first ? a.slot.first < b.slot.first : a.slot.lanes > b.slot.lanes;
    });
    std::vector<Slot> slots;
    for (const Row& row : rows_) {
      if (slots.empty() || row.slot.first >= slots.back().end()) {
        slots.push_back(row.slot);
        continue;
      }
      Slot& around = slots.back();
      require(
          row.slot.end() <= around.end(),
          "{}: the register buffer {} is used as [{}:{}] and as [{}:{}], which overlap: no vector register "
          "holds both; vectorize all loops over it alike",
          function_, data_.name(), around.first, around.end(), row.slot.first, row.slot.end());
      const bool is_part = row.slot.lanes < around.lanes;
      require(
          !is_part || !row.slot.is_addressed,
          "{}: a tensor instruction takes [{}:{}] of the register buffer {}, which is also used as [{}:{}]; "
          "an operand is one whole register",
          function_, row.slot.first, row.slot.end(), data_.name(), around.first, around.end());
      around.is_written_in_part |= row.slot.is_written_in_part || (is_part && row.is_store);
      around.is_addressed |= row.slot.is_addressed;
    }
    return slots;
  }

 private:
  struct Row {
    Slot slot;
    bool is_store;
  };

  void visit(const Expr& e) {
    visit_exprs(e, [&](const Expr& x) {
      const auto* call = x.as<Call>();
      if (call != nullptr && call->op->name == "tensor_instruction") return operands(*call);
      if (call != nullptr && call->op->name == "address_of") return address(*call);
      if (x == data_) escapes();
      if (const auto* load = x.as<Load>(); load != nullptr && load->buffer->data == data_)
        if (!addressed_.contains(x)) note(load->buffer, load->indices, {}, false);
    });
  }

  /// Parents come first, so that the loads under an operand are known when they are met.
  void operands(const Call& instruction) {
    for (std::size_t i = 1; i < instruction.arguments.size(); ++i) {
      const auto* call = instruction.arguments[i].as<Call>();
      const Load* corner =
          call != nullptr && call->op->name == "address_of" ? call->arguments[0].as<Load>() : nullptr;
      if (corner == nullptr || !(corner->buffer->data == data_)) continue;
      addressed_.insert(call->arguments[0]);
      note(corner->buffer, corner->indices,
           {.lanes = operand_extent(instruction, i), .is_written_in_part = true, .is_addressed = true}, true);
    }
  }

  void address(const Call& call) {
    const auto* corner = call.arguments[0].as<Load>();
    if (corner != nullptr && corner->buffer->data == data_ && !addressed_.contains(call.arguments[0]))
      escapes();
  }

  [[noreturn]] void escapes() const {
    fail(
        "{}: the address of the register buffer {} is given away, but registers have none; use scope "
        "\"local\"",
        function_, data_.name());
  }

  void note(const Buffer& buffer, const std::vector<Expr>& indices, Slot row, bool is_store) {
    require(buffer->type == type_ && indices.size() == 1,
            "{}: the register buffer {} of {} is viewed as {}; a register has one type", function_,
            data_.name(), to_string(type_), to_string(buffer->type));
    const auto range = constant_range(indices[0]);
    if (!range) not_constant(buffer, indices[0]);
    row.first = range->first;
    row.lanes = std::max(row.lanes, range->lanes);
    rows_.push_back({row, is_store});
  }

  [[noreturn]] void not_constant(const Buffer& buffer, const Expr& index) const {
    std::vector<std::string> unroll;
    for (const Var& var : free_variables(index))
      if (std::find(loops_.begin(), loops_.end(), var) != loops_.end()) unroll.push_back(var.name());
    const std::string access = fmt::format("{}[{}]", buffer->name, print(index));
    if (unroll.empty())
      fail(
          "{}: {} is not one row of the register buffer {} that is known at compile time; registers have no "
          "addresses: index it by constants and unrolled loops, or use scope \"local\"",
          function_, access, data_.name());
    fail(
        "{}: {} is in the register buffer {}, whose indices must be constant after unrolling; unroll the {} "
        "{}, "
        "or use scope \"local\"",
        function_, access, data_.name(), unroll.size() == 1 ? "loop" : "loops", join(unroll, " and "));
  }

  const Var data_;
  const DataType type_;
  const std::string& function_;
  std::vector<Var> loops_;  ///< around what is visited
  std::vector<Row> rows_;
  std::unordered_set<Expr> addressed_;
};

}  // namespace

std::optional<SlotRange> constant_range(const Expr& index) {
  if (const auto first = constant_int(index)) return SlotRange{*first, 1};
  const auto* ramp = index.as<Ramp>();
  const auto first = ramp != nullptr && is_one(ramp->stride) ? constant_int(ramp->base) : std::nullopt;
  return first ? std::optional(SlotRange{*first, index.type().lanes}) : std::nullopt;
}

std::int64_t operand_extent(const Call& instruction, std::size_t position) {
  const auto* name = instruction.arguments[0].as<StringImm>();
  ensure(name != nullptr, "a tensor instruction without a name");
  const Function& meaning = intrin::find_instruction(name->value).meaning;
  const Buffer& formal = meaning.parameters.at(position - 1).buffer;
  ensure(formal.defined(), "operand {} of {} is not a buffer", position, name->value);
  const auto extent = constant_int(flat_size(formal));
  return extent ? *extent : 1;
}

std::vector<Slot> slots_of(const Allocate& allocation, const std::string& function) {
  Collection collection(allocation, function);
  collection.visit(allocation.body);
  return collection.take();
}

}  // namespace ardea::lower
