#pragma once

#include <cstdint>

#include "ardea/target/target.h"

/// How results that are larger than caches leave a core.

namespace ardea::rules {

/// Whether stores leave a core one after the other, since others see them in the program's order: one that
/// finds no line keeps all others waiting.
bool stores_in_order(const target::Target& target);

/// Whether the machine has stores that go past the caches, and so many bytes are worth a choice: lines that
/// are written whole need not be read first, but those who read them next find them in memory.
bool has_stores_past_caches(const target::Target& target);

/// More than the caches near a core hold; more than any cache does.
bool outgrows_near_caches(std::int64_t bytes, const target::Target& target);
bool outgrows_all_caches(std::int64_t bytes, const target::Target& target);

}  // namespace ardea::rules
