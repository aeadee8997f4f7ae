#pragma once

#include "ardea/target/target.h"

namespace ardea::compile {

/// Throws Error where code for `target` may not run on this machine: another architecture, or features that
/// it lacks, by name.
void require_runnable(const target::Target& target);

/// The same against a given machine.
void require_runnable(const target::Target& target, const target::Target& machine);

}  // namespace ardea::compile
