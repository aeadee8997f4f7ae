#include "ardea/lower/gpu/kernel_boxes.h"

#include <algorithm>
#include <tuple>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

bool have_one_form(const BoxCopy& a, const BoxCopy& b) {
  const auto form = [](const BoxCopy& box) {
    return std::tuple(box.outers, box.rows, box.columns, box.box_rows, box.box_columns, box.is_swizzled);
  };
  return form(a) == form(b);
}

bool have_one_form(const WindowCopy& a, const WindowCopy& b) {
  const auto form = [](const WindowCopy& copy) {
    return std::tie(copy.images, copy.extents, copy.channels, copy.lower, copy.upper, copy.steps,
                    copy.box_windows, copy.box_channels, copy.is_swizzled);
  };
  return form(a) == form(b);
}

}  // namespace

bool BoxedArray::is_alike(const BoxedArray& other) const {
  if (array != other.array || type != other.type || part.index() != other.part.index()) return false;
  if (const auto* box = std::get_if<BoxCopy>(&part))
    return have_one_form(*box, std::get<BoxCopy>(other.part));
  return have_one_form(std::get<WindowCopy>(part), std::get<WindowCopy>(other.part));
}

std::optional<BoxedArray> boxed_array(const Call& call) {
  auto box = box_copy_of(call);
  auto windows = window_copy_of(call);
  if (!box && !windows) return std::nullopt;
  const auto* from = call.arguments[1].as<Call>();
  ensure(from != nullptr && from->op->name == "address_of", "T.{} copies from no address", call.op->name);
  const Buffer& buffer = from->arguments[0].as<Load>()->buffer;
  if (box) {
    box->outer = box->row = box->column = {};
    return BoxedArray{buffer->data, buffer->type, *box};
  }
  windows->image = windows->channel = {};
  windows->corner.clear(), windows->tap.clear();
  return BoxedArray{buffer->data, buffer->type, *windows};
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
