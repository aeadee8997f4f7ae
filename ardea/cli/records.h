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

/// The best record of the program, applied. Nothing where records are not asked (ProgramOptions::records,
/// ::schedule), or none serves: a note says what is there instead, and why one that is there cannot be used.
/// Error where a record is insisted on, or a database that was named is not there.
std::optional<Recorded> recorded_schedule(const Program& program, const ProgramOptions& options,
                                          const target::Target& target);

/// So many threads a program is made for, where the command line does not say: what this process has, or the
/// cores of another machine.
int threads_for(const ProgramOptions& options, const target::Target& target);

nlohmann::json record_json(const tune::Best& best);

}  // namespace ardea::cli
