#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct AsTemplate {
  using Results = void;
  static constexpr auto name = "as_template";
  static constexpr auto fields = std::tuple();
  static constexpr auto contract = R"(the steps that follow give what they would give for any numbers

Which loops, blocks and results a step gives then depends on no number: a loop of one iteration stays, a block that has
nothing to do for these numbers is there, a loop longer than what it goes through is cut by a condition. All of that
vanishes in lowering. What rules derive begins so: one trace fits all points of a space.)";
  static constexpr std::array<const char*, 0> refusals = {};
};
Outcome apply(const Function& f, const AsTemplate& step, Context& context);

}  // namespace ardea::schedule
