#pragma once

#include <optional>
#include <string>

#include "ardea/db/record.h"
#include "ardea/rules/program_space.h"

/// Points of a space as the database keeps them, and back.

namespace ardea::tune {

/// A point and its steps, which a worker replays.
struct Candidate {
  space::Choice choice;
  std::string trace;
};
Candidate candidate_at(const rules::ProgramSpace& space, const space::Choice& choice);

/// Sketch, knobs and trace; the rest is the caller's.
db::Trial record_of(const rules::ProgramSpace& space, const Candidate& candidate);

/// Where the trial lies in the space; nothing where it lies in none of its sketches: another version of the
/// rules made it.
std::optional<space::Choice> choice_of(const rules::ProgramSpace& space, const db::Trial& trial);

/// What the model of the machine chooses; nothing where that is no point of the space.
std::optional<space::Choice> default_choice(const rules::ProgramSpace& space);

}  // namespace ardea::tune
