#pragma once

#include <string>

#include "ardea/schedule/schedule.h"

namespace ardea::schedule {

/// The program after the steps of a trace in JSON that came from a template with numbers (rules/trace_at.h):
/// they keep the template's structure. The first steps that are those of `past`, the history of another such
/// replay of the same program, are not judged again. Error where a step is refused, or the text is no trace.
Schedule replay_trace(const Function& program, const std::string& trace, Schedule::History past = {});

}  // namespace ardea::schedule
