#pragma once

#include <vector>

#include "ardea/space/system.h"
#include "ardea/space/term.h"
#include "ardea/support/random.h"

namespace ardea::space::testing {

/// A small system of every kind of constraint, with guards, small enough to try all tuples of its knobs.
///
/// What it cannot make: values beyond ±10^6 (tests of overflow are written by hand), more than 5 knobs or
/// 6 constraints (the tensor-core system is the large one), sets of more than 12 values, and systems whose
/// every constraint is satisfied by chance alone are rare (about two thirds of the systems have no solution).
System random_system(Random& random);

/// A term and a formula over the variables of a system, nested up to `depth`.
Term random_term(Random& random, const System& system, int depth);
Formula random_formula(Random& random, const System& system, int depth);

std::vector<Point> all_solutions(const System& system);

}  // namespace ardea::space::testing
