#pragma once

#include <cstdint>
#include <gecode/int.hh>
#include <memory>
#include <vector>

#include "ardea/space/engine.h"

/// Our constraints in Gecode's language. This header is heavy: only gecode_model.cc and gecode_post.cc read
/// it.

namespace ardea::space {

/// The variables of a system in Gecode; a clone has its own.
class GecodeSpace : public Gecode::Space {
 public:
  Gecode::IntVarArray knobs, defined;

  GecodeSpace() = default;
  GecodeSpace(GecodeSpace& from) : Gecode::Space(from) {
    knobs.update(*this, from.knobs);
    defined.update(*this, from.defined);
  }
  Gecode::Space* copy() override { return new GecodeSpace(*this); }
};

/// Whether Gecode's integers hold the values; an empty domain has none.
bool fits_int(const Domain& domain);
Gecode::IntSet as_int_set(const Domain& domain);

/// Posts constraints into a space whose variables are made. `place` is that of each variable among the knobs
/// or the defined ones, −1 where it is left out.
class GecodePoster {
 public:
  GecodePoster(const Engine& engine, GecodeSpace& space, const std::vector<int>& place);
  ~GecodePoster();
  GecodePoster(const GecodePoster&) = delete;
  GecodePoster& operator=(const GecodePoster&) = delete;

  /// Whether the variable is a product of which only the exponents are asked for: then Gecode need not know
  /// its value.
  bool only_divides(Var v);
  /// False: this constraint cannot be said, and nothing of it was posted that could cut a solution away.
  /// Channelled: products and divisibility by exponents of primes, where they are few.
  bool post(const Constraint& constraint, bool channelled);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace ardea::space
