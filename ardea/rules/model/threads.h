#pragma once

#include <cstdint>

#include "ardea/target/target.h"

namespace ardea::rules {

/// Whether work that moves so many bytes is worth the start of threads: more than the nearest cache holds.
bool worth_threads(std::int64_t bytes, const target::Target& target);

}  // namespace ardea::rules
