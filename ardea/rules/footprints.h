#pragma once

#include "ardea/limits/footprints.h"
#include "ardea/rules/sketch.h"

namespace ardea::rules {

/// A quantity that follows from a sketch's knobs and that no constraint needs to name: for who compares the
/// points of a space.
struct SoftVariable {
  std::string name;  ///< "footprint_l1_C"
  limits::Footprint footprint;
};

/// What the sketch's nests work on in each cache (limits/footprints.h), by block and level. They are found
/// when they are asked for: a space that nobody asks is made without them.
std::vector<SoftVariable> footprints_of(const Sketch& sketch, const target::Target& target);

/// At a point; nothing where no bound is known, or one that is no function of the knobs.
std::optional<std::int64_t> value_at(const SoftVariable& variable, const Sketch& sketch,
                                     const space::Point& point);

}  // namespace ardea::rules
