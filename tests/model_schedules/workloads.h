#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ardea/ops/registry.h"

namespace ardea::test {

/// The workloads that model schedules are tested on: for each operator, sizes below, at and beside
/// those of tiles and vectors (ones, primes, powers of two and one more), small enough for the interpreter.
std::vector<ops::Workload> scheduled_workloads();

/// The workload as a part of a test's name.
std::string line_of(const testing::TestParamInfo<ops::Workload>& info);

}  // namespace ardea::test
