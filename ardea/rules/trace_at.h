#pragma once

#include <string>

#include "ardea/rules/sketch.h"

/// A point as steps: what tuning hands to the processes that measure, and what the database keeps. No step is
/// taken to make them.

namespace ardea::rules {

/// The steps of the sketch with the numbers of the point in the place of its variables. References are the
/// sketch's own.
schedule::Trace trace_at(const Sketch& sketch, const space::Point& point);

/// The same as JSON on one line. What schedule::replay_trace makes of it is what `materialise` makes of the
/// point.
std::string trace_text(const Sketch& sketch, const space::Point& point);

}  // namespace ardea::rules
