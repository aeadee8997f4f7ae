#include "ardea/measure/packed_weights.h"

#include "ardea/measure/inputs.h"

namespace ardea::measure {

std::vector<interp::Argument> with_packed(const PackedWeights& weights,
                                          std::vector<interp::Argument> arguments) {
  interp::Argument& given = arguments.at(weights.parameter);
  std::vector<interp::Argument> own = make_arguments(weights.program, {});
  own[0] = given;
  weights.pack(own);
  given = own[1];
  return arguments;
}

}  // namespace ardea::measure
