#pragma once

#include <cstdint>

#include "ardea/space/system.h"

namespace ardea::space::testing {

/// The system of tests/fixtures/spaces/tensor_core_gemm.space at these sizes.
System tensor_core_gemm(std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace ardea::space::testing
