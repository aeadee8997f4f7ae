#pragma once

#include <string_view>

#include "ardea/space/system.h"
#include "ardea/space/term.h"

namespace ardea::space {

/// Reads the text form (see print.h). Beyond what is printed, formulas may be nested, with parentheses, `%`,
/// `and`, `or`, `not` and [condition] for 0 or 1; what one constraint cannot say becomes variables
/// (builder.h), and `define` may leave out the set. An Error names line and column in `where`, what was found
/// and what was expected.
///
///   statement := knob NAME in SET [because TEXT]
///              | define NAME [in SET] = TERM [because TEXT]
///              | require NAME: [when FORMULA:] FORMULA [because TEXT]
///   FORMULA   := TERM (== | != | <= | < | >= | >) TERM | TERM in SET | TERM divides TERM
///              | not FORMULA | FORMULA and FORMULA | FORMULA or FORMULA | (FORMULA)
///   TERM      := NUMBER | NAME | TERM (+ | - | * | // | %) TERM | -TERM | (TERM) | [FORMULA]
///              | min(TERM, …) | max(TERM, …) | ceil_div(TERM, TERM) | select(INDEX, TERM, …)
///   SET       := NUMBER..NUMBER | {NUMBER or NUMBER..NUMBER, …}
System parse(std::string_view text, std::string_view where = "space");

/// One formula over the variables of a system, such as what a user asks about.
Formula parse_formula(const System& system, std::string_view text, std::string_view where = "formula");

}  // namespace ardea::space
