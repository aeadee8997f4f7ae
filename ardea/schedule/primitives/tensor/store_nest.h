#pragma once

#include "ardea/schedule/context.h"

namespace ardea::schedule {

/// Loops around one store, with the values of all block iterators in their places.
struct StoreNest {
  std::vector<For> loops;  ///< outermost first
  Store store;
};

/// What s, loops and blocks around one store, does. Refused as not_one_store, init_inside, condition_inside.
Result<StoreNest> store_nest(const Stmt& s, const arith::Analyzer& facts, Context& context);

}  // namespace ardea::schedule
