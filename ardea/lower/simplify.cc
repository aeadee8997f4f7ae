#include "ardea/arith/analyzer.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

Function simplify(const Function& f, const target::Target&) {
  Function out = f;
  out.body = arith::simplify(f.body, arith::facts_of(f), /*drop_unit_loops=*/true);
  return out;
}

}  // namespace ardea::lower
