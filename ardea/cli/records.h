#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "ardea/cli/program.h"

/// What was tuned, in the place of what the rules choose.

namespace ardea::cli {

struct Recorded {
  schedule::Schedule schedule;
  tune::Best best;
};

/// The best record of the program, applied; a note says which. Nothing where records are not asked
/// (ProgramOptions::records, ::schedule), or none serves: a note says what is there instead, and why one that
/// is there cannot be used. Error where a record is insisted on, or a database that was named is not there.
/// Where one is insisted on and the threads are left open, a record for other threads than threads_for's
/// serves, if there is none for these: what was tuned is meant, and Program::record says for how many.
std::optional<Recorded> recorded_schedule(const Program& program, const ProgramOptions& options,
                                          const target::Target& target);

/// So many threads a program is made for, where the command line does not say: what this process has, or the
/// cores of another machine.
int threads_for(const ProgramOptions& options, const target::Target& target);

/// So many threads `tune` times on: those that it was told, else those that the other commands then take.
int threads_to_tune(std::optional<int> asked, const target::Target& target);

/// For how many threads the record is that a command uses which leaves them open: `wanted`, where there is
/// one for so many, or none at all.
int recorded_threads(const ProgramOptions& options, const target::Target& target, int wanted);

nlohmann::json record_json(const tune::Best& best);

}  // namespace ardea::cli
