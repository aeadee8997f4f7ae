#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct AddUnitLoop {
  BlockOrLoop block_or_loop;
  using Results = LoopRef;
  static constexpr auto name = "add_unit_loop";
  static constexpr auto fields = std::tuple(field("block_or_loop", &AddUnitLoop::block_or_loop));
  static constexpr auto contract = R"(a loop of one iteration comes around a block or a loop

S   =>   for u in [0, 1): S

The result is the new loop, which other steps can then bind, annotate or split. All references stay valid. The root
block cannot stand in a loop.)";
  static constexpr std::array refusals = {"root_block"};
};
Outcome apply(const Function& f, const AddUnitLoop& step, Context& context);

}  // namespace ardea::schedule
