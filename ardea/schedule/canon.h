#pragma once

#include "ardea/ir/function.h"

namespace ardea::schedule {

/// The program in a form that does not tell how its steps came to it: expressions and shapes in normal form,
/// without loops and iterators of one value, loops that do not run, or conditions that hold; regions inferred
/// anew. It computes the same. A template with numbers put in and its replay with these numbers have one
/// form: the law that tests/schedule/law_of_templates.cc keeps.
Function canon(const Function& f);

/// f with numbers in the places of scalar parameters, which it then has no longer; what it assumed of them
/// alone is dropped. Error where it does not hold.
Function with_numbers(const Function& f, const std::vector<std::pair<Var, std::int64_t>>& numbers);

}  // namespace ardea::schedule
