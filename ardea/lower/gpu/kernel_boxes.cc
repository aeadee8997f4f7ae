#include "ardea/lower/gpu/kernel_boxes.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::lower {

bool BoxedArray::is_alike(const BoxedArray& other) const {
  const auto form = [](const BoxCopy& b) {
    return std::tuple(b.outers, b.rows, b.columns, b.box_rows, b.box_columns, b.is_swizzled);
  };
  return array == other.array && type == other.type && form(box) == form(other.box);
}

std::optional<BoxedArray> boxed_array(const Call& call) {
  auto box = box_copy_of(call);
  if (!box) return std::nullopt;
  const auto* from = call.arguments[1].as<Call>();
  ensure(from != nullptr && from->op->name == "address_of", "T.async_copy_box copies from no address");
  const Buffer& buffer = from->arguments[0].as<Load>()->buffer;
  box->outer = box->row = box->column = {};
  return BoxedArray{buffer->data, buffer->type, *box};
}

std::vector<BoxedArray> boxed_arrays(const Stmt& s) {
  std::vector<BoxedArray> all;
  visit_exprs(s, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    const auto one = call == nullptr ? std::nullopt : boxed_array(*call);
    if (one &&
        std::none_of(all.begin(), all.end(), [&](const BoxedArray& known) { return known.is_alike(*one); }))
      all.push_back(*one);
  });
  return all;
}

}  // namespace ardea::lower
