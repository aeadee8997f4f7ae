#pragma once

#include "ardea/rules/gpu/block_product.h"

namespace ardea::rules {

/// Whether a unit of the target can copy parts of a factor as boxes of an array (ir/box_copy.h): its rows or
/// columns are some of the array's, one behind the other, and lie where the unit can read them.
bool is_box_source(const Derivation& d, const OpenProduct& given, bool is_left);

}  // namespace ardea::rules
