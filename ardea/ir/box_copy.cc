#include "ardea/ir/box_copy.h"

#include "ardea/ir/intrinsics.h"

namespace ardea {

std::optional<BoxCopy> box_copy_of(const Call& call) {
  if (call.op->name != "async_copy_box") return std::nullopt;
  BoxCopy box{.outer = call.arguments[2], .row = call.arguments[3], .column = call.arguments[4]};
  std::size_t next = 5;
  for (std::int64_t* number : {&box.outers, &box.rows, &box.columns, &box.box_rows, &box.box_columns}) {
    const auto value = constant_int(call.arguments[next++]);
    if (!value || *value < 1) return std::nullopt;
    *number = *value;
  }
  const auto swizzled = constant_int(call.arguments[next]);
  if (!swizzled) return std::nullopt;
  box.is_swizzled = *swizzled != 0;
  return box;
}

bool is_copy_by_unit(const Call& call) {
  return call.op->name == "async_copy_box" || call.op->name == "async_copy_window";
}

Expr make_box_copy(const Expr& to, const Expr& from, const BoxCopy& box) {
  return make_call("async_copy_box", {to, from, box.outer, box.row, box.column, make_int(box.outers),
                                      make_int(box.rows), make_int(box.columns), make_int(box.box_rows),
                                      make_int(box.box_columns), make_int(box.is_swizzled ? 1 : 0)});
}

}  // namespace ardea
