#pragma once

#include <cstdlib>
#include <string>

namespace ardea::gpu_tuning {

/// Programs that this process starts find tests/stand_in_gpu where others find a GPU and its compiler.
inline void use_stand_in_gpu() {
  setenv("ARDEA_CUDA_DRIVER", ARDEA_STAND_IN_DRIVER, 1);
  setenv("CUDA_HOME", ARDEA_STAND_IN_CUDA, 1);
}

}  // namespace ardea::gpu_tuning
