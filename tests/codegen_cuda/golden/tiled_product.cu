// grid (3, 2, 1), block (2, 4, 1), 176 bytes of dynamic shared memory
extern "C" __global__ void __launch_bounds__(8) tiled_kernel_1(const float* __restrict__ A,
    const float* __restrict__ B, float* __restrict__ C) {
  const int32_t by = (int32_t)blockIdx.y;
  const int32_t bx = (int32_t)blockIdx.x;
  const int32_t ty = (int32_t)threadIdx.y;
  const int32_t tx = (int32_t)threadIdx.x;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  float* const A_s = (float*)shared_memory;
  float* const B_s = (float*)(shared_memory + 128);
  alignas(16) float C_l[4];
  #pragma unroll
  for (int32_t i = 0; i < 2; ++i) {
    if (by * 8 + ty * 2 + i <= 12) {
      #pragma unroll
      for (int32_t j = 0; j < 2; ++j) {
        if (bx * 4 + tx * 2 + j < 11) {
          C_l[i * 2 + j] = 0.0f;
        }
      }
    }
  }
  for (int32_t ko = 0; ko < 3; ++ko) {
    if (by * 8 + ty * 2 + tx <= 12) {
      for (int32_t e = 0; e < 3; ++e) {
        if (ko * 3 + e < 7) {
          A_s[ty * 6 + tx * 3 + e] = A[by * 56 + ty * 14 + tx * 7 + ko * 3 + e];
        }
      }
    }
    if (ty < 3) {
      if (ko * 3 + ty < 7) {
        const bool runs[2] = {bx * 4 + tx * 2 < 11, bx * 4 + tx * 2 + 1 < 11};
        const float value = runs[0] ? B[ko * 33 + ty * 11 + bx * 4 + tx * 2] : 0.0f;
        const float value_1 = runs[1] ? B[ko * 33 + ty * 11 + bx * 4 + tx * 2 + 1] : 0.0f;
        if (runs[0])
          B_s[ty * 4 + tx * 2] = value;
        if (runs[1])
          B_s[ty * 4 + tx * 2 + 1] = value_1;
      }
    }
    __syncthreads();
    for (int32_t ki = 0; ki < 3; ++ki) {
      if (ko * 3 + ki <= 6) {
        #pragma unroll
        for (int32_t i = 0; i < 2; ++i) {
          if (by * 8 + ty * 2 + i <= 12) {
            #pragma unroll
            for (int32_t j = 0; j < 2; ++j) {
              if (bx * 4 + tx * 2 + j < 11) {
                C_l[i * 2 + j] = C_l[i * 2 + j] + A_s[ty * 6 + i * 3 + ki] * B_s[ki * 4 + tx * 2 + j];
              }
            }
          }
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int32_t i = 0; i < 2; ++i) {
    if (by * 8 + ty * 2 + i <= 12) {
      #pragma unroll
      for (int32_t j = 0; j < 2; ++j) {
        if (bx * 4 + tx * 2 + j < 11) {
          C[by * 88 + ty * 22 + i * 11 + bx * 4 + tx * 2 + j] = C_l[i * 2 + j];
        }
      }
    }
  }
}
