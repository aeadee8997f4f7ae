#include "ardea/arith/canon.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

Function canonicalise(const Function& f, const target::Target&) { return arith::simple_form(f); }

}  // namespace ardea::lower
