#include "ardea/schedule/primitives/memory/staged_window.h"

#include <fmt/core.h>

#include "ardea/ir/print.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

Result<BufferRegion> read_window_of(const Function& f, const TouchingPart& part, const IndexText& asked) {
  IndexNames names = size_names(f);
  for (const Var& var : part.around) names.emplace_back(var.name(), var);
  try {
    return BufferRegion{part.buffer, read_window(asked, names)};
  } catch (const Error& error) {
    return Refusal{"bad_window", error.what()};
  }
}

std::string shape_text(const Buffer& buffer) {
  std::vector<std::string> extents;
  for (const Expr& extent : buffer->shape) extents.push_back(print(extent));
  return "(" + join(extents, ", ") + ")";
}

}  // namespace

Result<BufferRegion> staged_window(const Function& f, const TouchingPart& part,
                                   const std::optional<IndexText>& asked, Context& context) {
  const auto& [name, buffer, touched, around, facts] = part;
  if (!asked) return arith::touched_box(touched, buffer, facts)->region;
  BufferRegion window = ARDEA_TRY(read_window_of(f, part, *asked));
  for (Range& range : window.region) range = {facts.simplify(range.min), facts.simplify(range.extent)};
  if (window.region.size() != buffer->shape.size())
    return Refusal{"rank_differs", fmt::format("the window has {} dimensions, and {} has {}",
                                               window.region.size(), buffer->name, buffer->shape.size())};
  const auto lies_in = [&](const BufferRegion& inner, const BufferRegion& outer) {
    return arith::contains(outer, inner, facts) == arith::Proof::proved;
  };
  for (const auto* boxes : {&touched.reads, &touched.writes})
    if (const auto box = touched_box(*boxes, buffer); box && !lies_in(box->region, window))
      ARDEA_TRY(context.judge(
          Refusal{"window_too_small", fmt::format("{} touches {}, which is not proved to lie in {}", name,
                                                  print(box->region), print(window))}));
  if (!lies_in(window, whole_region(buffer)))
    ARDEA_TRY(context.judge(
        Refusal{"window_outside", fmt::format("{} is not proved to lie in {}, which has the shape {}",
                                              print(window), buffer->name, shape_text(buffer))}));
  return window;
}

}  // namespace ardea::schedule
