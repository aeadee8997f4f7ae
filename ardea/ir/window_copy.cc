#include "ardea/ir/window_copy.h"

#include "ardea/ir/intrinsics.h"

namespace ardea {

namespace {

/// Beside those that each dimension of an image has.
constexpr std::size_t arguments_of_all = 9, arguments_of_dimension = 6;

/// The numbers of the call in their order.
template <class Copy, class Visit>
void visit_numbers(Copy& copy, const Visit& visit) {
  visit(copy.images);
  for (auto& extent : copy.extents) visit(extent);
  visit(copy.channels);
  for (auto* numbers : {&copy.lower, &copy.upper, &copy.steps})
    for (auto& number : *numbers) visit(number);
  visit(copy.box_windows);
  visit(copy.box_channels);
}

bool are_positive(const std::vector<std::int64_t>& numbers) {
  for (const std::int64_t number : numbers)
    if (number < 1) return false;
  return true;
}

}  // namespace

WindowLimits window_limits(std::size_t dimensions) {
  const int bits = dimensions == 1 ? 16 : dimensions == 2 ? 8 : 5;
  return {.lowest = -(std::int64_t{1} << (bits - 1)),
          .highest = (std::int64_t{1} << (bits - 1)) - 1,
          .farthest_tap = (std::int64_t{1} << bits) - 1};
}

std::optional<WindowCopy> window_copy_of(const Call& call) {
  const std::size_t count = call.arguments.size();
  if (call.op->name != "async_copy_window" || count < arguments_of_all + arguments_of_dimension ||
      (count - arguments_of_all) % arguments_of_dimension != 0)
    return std::nullopt;
  const std::size_t dimensions = (count - arguments_of_all) / arguments_of_dimension;
  if (dimensions > most_image_dimensions) return std::nullopt;
  std::size_t next = 2;
  const auto some = [&] {
    std::vector<Expr> all;
    for (std::size_t d = 0; d < dimensions; ++d) all.push_back(call.arguments[next++]);
    return all;
  };
  WindowCopy copy;
  copy.image = call.arguments[next++];
  copy.corner = some();
  copy.channel = call.arguments[next++];
  copy.tap = some();
  copy.extents = copy.lower = copy.upper = copy.steps = std::vector<std::int64_t>(dimensions);
  bool are_numbers = true;
  const auto read = [&](std::int64_t& number) {
    const auto value = constant_int(call.arguments[next++]);
    are_numbers = are_numbers && value.has_value();
    number = value.value_or(0);
  };
  visit_numbers(copy, read);
  std::int64_t swizzled = 0;
  read(swizzled);
  copy.is_swizzled = swizzled != 0;
  if (!are_numbers || !are_positive(copy.extents) || !are_positive(copy.steps) ||
      !are_positive({copy.images, copy.channels, copy.box_windows, copy.box_channels}))
    return std::nullopt;
  for (std::size_t d = 0; d < dimensions; ++d)
    if (copy.extents[d] + copy.upper[d] <= copy.lower[d]) return std::nullopt;
  return copy;
}

Expr make_window_copy(const Expr& to, const Expr& from, const WindowCopy& copy) {
  std::vector<Expr> arguments = {to, from, copy.image};
  arguments.insert(arguments.end(), copy.corner.begin(), copy.corner.end());
  arguments.push_back(copy.channel);
  arguments.insert(arguments.end(), copy.tap.begin(), copy.tap.end());
  visit_numbers(copy, [&](std::int64_t number) { arguments.push_back(make_int(number)); });
  arguments.push_back(make_int(copy.is_swizzled ? 1 : 0));
  return make_call("async_copy_window", std::move(arguments));
}

}  // namespace ardea
