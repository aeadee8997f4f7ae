#pragma once

#include <vector>

#include "ardea/measure/check.h"
#include "ardea/support/trial_outcome.h"

/// What a runner makes of a candidate's answers and times, whatever machine it runs on.

namespace ardea::measure {

/// TrialFailure, a wrong answer with its sentence, where an element disagrees or cannot be checked.
void require_right(const CheckReport& report);

/// Of seconds, or of quotients of them.
CallTime call_time(const std::vector<double>& values);

/// Whether turns are needed to tell which of two is the faster one.
bool is_near_incumbent(const CallTime& time, const CallTime& incumbent);

}  // namespace ardea::measure
