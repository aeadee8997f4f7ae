#include <bit>
#include <unordered_set>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/window_copy.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// Whether units change places within the rows of such a buffer, and no row has one of another.
bool fits(const RowSwizzle& swizzle, const Buffer& buffer) {
  const auto columns = buffer->shape.size() < 2 ? std::nullopt : constant_int(buffer->shape.back());
  if (!columns || *columns % swizzle.unit != 0) return false;
  const std::int64_t units = *columns / swizzle.unit;
  return std::has_single_bit(static_cast<std::uint64_t>(units)) && swizzle.rows <= units;
}

std::vector<Expr> swizzled(const RowSwizzle& swizzle, std::vector<Expr> indices, std::int64_t columns) {
  const Expr row = indices[indices.size() - 2], column = indices.back();
  const auto number = [&](std::int64_t value) { return make_int(value, column.type()); };
  const Expr unit = make_binary(BinaryOp::bit_xor, floor_div(column, number(swizzle.unit)),
                                make_cast(column.type(), floor_mod(row, make_int(swizzle.rows, row.type()))));
  // Which changes nothing, and says how far it goes.
  const Expr place = make_binary(BinaryOp::bit_and, unit, number(columns / swizzle.unit - 1));
  indices.back() = place * number(swizzle.unit) + floor_mod(column, number(swizzle.unit));
  return indices;
}

const intrin::Instruction& record_of(const Call& call) {
  return intrin::find_instruction(call.arguments[0].as<StringImm>()->value);
}

const Load& operand_at(const Call& call, std::size_t argument) {
  return *call.arguments[argument].as<Call>()->arguments[0].as<Load>();
}

/// The view of such an allocation, where all who have addresses in it want its rows as they will lie; all
/// others count on rows that lie as they are.
Buffer swizzled_view(const Allocate& allocate, const RowSwizzle& swizzle) {
  const Buffer buffer = whole_view(allocate, Addresses::of_units);
  if (!buffer.defined() || !fits(swizzle, buffer)) return {};
  const RowSwizzle wanted = swizzle_of_tensor_units(buffer->type);
  const bool is_wanted = swizzle.rows == wanted.rows && swizzle.unit == wanted.unit &&
                         buffer->type.bytes(*constant_int(buffer->shape.back())) == tensor_row_bytes;
  bool is_known = true;
  visit_stmts(allocate.body, [&](const Stmt& s) {
    const Call* call = limits::instruction_call(s);
    if (call == nullptr) return;
    for (std::size_t i = 1; i < call->arguments.size(); ++i)
      if (call->arguments[i].type().is_handle() && operand_at(*call, i).buffer == buffer)
        is_known = is_known && is_wanted && !record_of(*call).on_swizzled_rows.empty();
  });
  return is_known ? buffer : Buffer{};
}

class Swizzling {
 public:
  Stmt run(const Stmt& s) {
    const Stmt out = map_children(s, Mapper{.stmt = [&](const Stmt& part) { return run(part); }});
    const auto* allocate = out.as<Allocate>();
    const auto swizzle = allocate == nullptr ? std::nullopt : row_swizzle(allocate->annotations);
    if (!swizzle) return out;
    Allocate moved = *allocate;
    moved.annotations.erase(row_swizzle_key);
    const Buffer buffer = swizzled_view(*allocate, *swizzle);
    if (!buffer.defined()) {
      moved.annotations[swizzle_refused_key] = Attribute{make_int(1)};
      return moved;
    }
    moved.annotations[swizzled_rows_key] = attribute_of(*swizzle);
    moved.body = with_places(moved.body, buffer, *swizzle);
    swizzled_.insert(buffer->data);
    return moved;
  }

  /// Instructions on rows that lie so are those that know it, and copies of boxes are told.
  Stmt with_units_on_swizzled_rows(const Stmt& s, const std::string& function) const {
    return rewrite(s, Rewriter{.stmt_after = [&](const Stmt& x) -> Stmt {
                     if (auto copy = unit_copy_to_swizzled_rows(x)) return *std::move(copy);
                     const Call* call = limits::instruction_call(x);
                     if (call == nullptr || record_of(*call).on_swizzled_rows.empty()) return x;
                     return on_swizzled_rows(*call, function);
                   }});
  }

 private:
  std::optional<Stmt> unit_copy_to_swizzled_rows(const Stmt& s) const {
    const auto* evaluate = s.as<Evaluate>();
    const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
    if (call == nullptr || !is_copy_by_unit(*call) || !swizzled_.contains(operand_at(*call, 0).buffer->data))
      return std::nullopt;
    const Expr &to = call->arguments[0], &from = call->arguments[1];
    if (auto box = box_copy_of(*call)) {
      box->is_swizzled = true;
      return Stmt(Evaluate{make_box_copy(to, from, *box)});
    }
    auto windows = window_copy_of(*call);
    if (!windows) return std::nullopt;
    windows->is_swizzled = true;
    return Stmt(Evaluate{make_window_copy(to, from, *windows)});
  }

  Stmt on_swizzled_rows(const Call& call, const std::string& function) const {
    const intrin::Instruction &named = record_of(call),
                              &lying = intrin::find_instruction(named.on_swizzled_rows);
    std::vector<Expr> arguments = {make_string(lying.name)};
    for (std::size_t i = 0; i < lying.meaning.parameters.size(); ++i) {
      arguments.push_back(call.arguments[i + 1]);
      const Buffer& buffer = operand_at(call, i + 1).buffer;
      if (buffer->scope != "shared") continue;
      require(swizzled_.contains(buffer->data) && have_strides(call, named, i, lying),
              "lower {}: {} reads rows of {} bytes that lie swizzled one behind the other, and those of {} "
              "do not; "
              "swizzle them by transform_layout, as lambda i, j: (i, j ^ (i % 8 * {}))",
              function, named.name, tensor_row_bytes, buffer->name,
              swizzle_of_tensor_units(buffer->type).unit);
    }
    return Evaluate{make_call(call.op->name, std::move(arguments))};
  }

  /// Whether the strides that the call gives are those that the instruction on rows as they lie counts on.
  static bool have_strides(const Call& call, const intrin::Instruction& named, std::size_t parameter,
                           const intrin::Instruction& lying) {
    const Buffer& buffer = lying.meaning.parameters[parameter].buffer;
    const std::vector<Expr> given = strides_of(named.meaning.parameters[parameter].buffer),
                            wanted = strides_of(buffer);
    for (std::size_t d = 0; d < given.size(); ++d)
      for (std::size_t i = 0; i < named.meaning.parameters.size(); ++i)
        if (given[d] == named.meaning.parameters[i].var && !is_one(buffer->shape[d]) &&
            constant_int(call.arguments[i + 1]) != constant_int(wanted[d]))
          return false;
    return true;
  }

  static Stmt with_places(const Stmt& body, const Buffer& buffer, const RowSwizzle& swizzle) {
    const std::int64_t columns = *constant_int(buffer->shape.back());
    std::unordered_set<Expr> addresses;  // which stay: of rows, not of elements
    visit_exprs(body, [&](const Expr& e) {
      const auto* call = e.as<Call>();
      if (call != nullptr && call->op->name == "address_of") addresses.insert(call->arguments[0]);
    });
    return rewrite(body, Rewriter{.expr = [&](const Expr& e) -> std::optional<Expr> {
                                    return addresses.contains(e) ? std::optional(e) : std::nullopt;
                                  },
                                  .expr_after = [&](const Expr& e) -> Expr {
                                    const auto* load = e.as<Load>();
                                    if (load == nullptr || load->buffer != buffer) return e;
                                    return make_load(buffer, swizzled(swizzle, load->indices, columns),
                                                     load->predicate);
                                  },
                                  .stmt_after = [&](const Stmt& x) -> Stmt {
                                    const auto* store = x.as<Store>();
                                    if (store == nullptr || store->buffer != buffer) return x;
                                    return make_store(buffer, swizzled(swizzle, store->indices, columns),
                                                      store->value, store->predicate);
                                  }});
  }

  std::unordered_set<Var> swizzled_;
};

}  // namespace

Function swizzle_rows(const Function& f, const target::Target&) {
  Function out = f;
  Swizzling swizzling;
  out.body = swizzling.run(f.body);
  out.body = swizzling.with_units_on_swizzled_rows(out.body, f.name);
  return out;
}

}  // namespace ardea::lower
