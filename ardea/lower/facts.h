#pragma once

#include "ardea/arith/inside.h"

namespace ardea::lower {

using arith::inside;
using arith::reads_memory;
using arith::where;

}  // namespace ardea::lower
