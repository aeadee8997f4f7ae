#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Tile {
  LoopRef x, y;
  Number x_factor = std::int64_t{1}, y_factor = std::int64_t{1};
  using Results = std::vector<LoopRef>;
  static constexpr auto name = "tile";
  static constexpr auto fields =
      std::tuple(field("x", &Tile::x), field("y", &Tile::y), field("x_factor", &Tile::x_factor),
                 field("y_factor", &Tile::y_factor));
  static constexpr auto contract = R"(two loops become loops over tiles and loops inside a tile

for x: for y: S   =>   for x_0: for y_0: for x_1 in [0, x_factor): for y_1 in [0, y_factor): S

The same as splitting both by [None, factor] and then reorder(x_0, y_0, x_1, y_1), with the same conditions; loops
between x and y stay where they are. The results are the four loops in this order. References into S stay valid; x and
y forward to the two that each became.)";
  static constexpr std::array refusals = {
      "factor_not_positive", "loop_is_not_serial", "loop_is_annotated", "bounds_read_memory",
      "loop_named_twice",    "not_a_chain",        "bounds_depend",     "reorder_breaks_dependence"};
};
Outcome apply(const Function& f, const Tile& step, Context& context);

}  // namespace ardea::schedule
