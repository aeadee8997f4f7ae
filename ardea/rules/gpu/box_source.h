#pragma once

#include "ardea/rules/gpu/block_product.h"

namespace ardea::rules {

/// What a unit of the target can copy panels of a factor as: all of it lies where the unit can read it.
UnitSource unit_source(const Derivation& d, const OpenProduct& given, bool is_left);

}  // namespace ardea::rules
