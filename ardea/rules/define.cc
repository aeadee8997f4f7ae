#include "ardea/rules/define.h"

#include "ardea/schedule/run_script.h"

namespace ardea::rules {

std::function<void(Derivation&)> steps_of(schedule::Script script) {
  return [script = std::move(script)](Derivation& d) {
    schedule::Config cfg = config(d);
    const auto take = [&](const schedule::Primitive& primitive, std::vector<schedule::Argument> arguments) {
      return d.steps().take(primitive, std::move(arguments));
    };
    const auto call = [&](const schedule::Primitive& primitive,
                          const std::vector<schedule::Argument>& arguments) {
      return schedule::make_call(cfg, primitive, arguments);
    };
    schedule::run_script(script, take, call, /*draws=*/true);
  };
}

}  // namespace ardea::rules
