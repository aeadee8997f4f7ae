#pragma once

#include <unordered_map>

#include "ardea/ir/function.h"

namespace ardea::arith {

/// The program in a form that hardly tells how its steps came to it: expressions and shapes in normal form,
/// without loops and iterators of one value, loops that do not run, or conditions that hold. It computes the
/// same. What blocks declare to touch stays, in normal form, and so do the statements that the stages of a
/// pipeline count.
Function simple_form(const Function& f);

/// The same with conditions divided by what their numbers have in common, in one order, and all regions
/// inferred anew: it tells nothing of the steps. A template with numbers put in and its replay with these
/// numbers have one form: the law that tests/schedule/law_of_templates.cc keeps.
Function canon(const Function& f);

/// f with numbers in the places of scalar parameters, which it then has no longer; what it assumed of them
/// alone is dropped. Error where it does not hold.
Function with_numbers(const Function& f, const std::unordered_map<Var, std::int64_t>& numbers);

}  // namespace ardea::arith
