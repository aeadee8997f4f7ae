#pragma once

#include <cstdint>

#include "ardea/space/system.h"
#include "ardea/target/target.h"

namespace ardea::space::testing {

/// The system of tests/fixtures/spaces/tensor_core_gemm.space at these sizes.
System tensor_core_gemm(std::int64_t m, std::int64_t n, std::int64_t k);

/// The system of tests/fixtures/spaces/tensor_core_pipeline.space at these sizes, with the limits of a GPU's
/// record.
System tensor_core_pipeline(const target::Target& target, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace ardea::space::testing
