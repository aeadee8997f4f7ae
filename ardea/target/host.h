#pragma once

#include "ardea/target/features.h"
#include "ardea/target/target.h"

/// host() in parts. Cores and caches come from hwloc: the cores this process may run on, the caches
/// on the way from the first of them to memory. Where hwloc sees no cache (some virtual machines hide them)
/// the caches are those of the generic record of the architecture.
namespace ardea::target {

/// The instruction side of a record: arch, triple, cpu, features, vector width and registers. Pure.
Target describe(const X86Words& words);
Target describe(const Aarch64Words& words);

/// The processors that this process may run on, by the system's numbers, those of each core together.
std::vector<std::vector<int>> processors_by_core();

}  // namespace ardea::target
