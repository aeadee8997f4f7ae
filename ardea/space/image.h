#pragma once

#include "ardea/space/constraint.h"
#include "ardea/space/store.h"

namespace ardea::space {

/// Whether a definition gives its variable one of the values that are left of it, whatever values that are
/// left its operands take. Then it forbids nothing: a variable that nothing else asks for need not be looked
/// at. Sure where it says yes; where that would take long to find out it says no.
bool gives_a_value_left(const Store& store, const Body& definition);

}  // namespace ardea::space
