#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

/// Weights that are packed once, before the calls that are measured (schedule/separate_packing.h).

namespace ardea::measure {

/// What the label of a contender says whose weights were packed before its calls.
inline constexpr auto prepacked_label = "prepacked";

struct PackedWeights {
  std::size_t parameter = 0;                                       ///< among the operator's arguments
  Function program;                                                ///< NAME_pack(B, B_packed)
  std::function<void(const std::vector<interp::Argument>&)> pack;  ///< runs it
};

/// The operator's arguments with the weights packed: (A, B, C) → (A, B_packed, C), where B_packed is new and
/// poisoned before it is packed. The other arrays are shared.
std::vector<interp::Argument> with_packed(const PackedWeights& weights,
                                          std::vector<interp::Argument> arguments);

}  // namespace ardea::measure
