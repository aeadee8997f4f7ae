// grid (1, 2, 1), block (16, 16, 1), 8192 bytes of dynamic shared memory
extern "C" __global__ void __launch_bounds__(256) gemm_kernel_1(const float* __restrict__ A,
    const float* __restrict__ B, float* __restrict__ C) {
  const int32_t m_0 = (int32_t)blockIdx.y;
  const int32_t thread_y = (int32_t)threadIdx.y;
  const int32_t thread_x = (int32_t)threadIdx.x;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  float* const A_shared = (float*)shared_memory;
  float* const B_shared = (float*)(shared_memory + 4096);
  alignas(16) float C_local[16];
  #pragma unroll
  for (int32_t m_2_init = 0; m_2_init < 4; ++m_2_init) {
    #pragma unroll
    for (int32_t n_2_init = 0; n_2_init < 4; ++n_2_init) {
      C_local[m_2_init * 4 + n_2_init] = 0.0f;
    }
  }
  for (int32_t k_0 = 0; k_0 < 8; ++k_0) {
    const Pack<float,4> A_row = *(const Pack<float,4>*)(A + (m_0 * 8192 + thread_y * 512 + thread_x / 4 * 128 + k_0 *
        16 + thread_x % 4 * 4));
    *(Pack<float,4>*)(A_shared + (thread_y * 64 + thread_x * 4)) = Pack<float,4>{{A_row.lane[0], A_row.lane[1],
        A_row.lane[2], A_row.lane[3]}};
    const Pack<float,4> B_row = *(const Pack<float,4>*)(B + (k_0 * 1024 + thread_y * 64 + thread_x * 4));
    *(Pack<float,4>*)(B_shared + (thread_y * 64 + thread_x * 4)) = Pack<float,4>{{B_row.lane[0], B_row.lane[1],
        B_row.lane[2], B_row.lane[3]}};
    __syncthreads();
    for (int32_t k_1 = 0; k_1 < 16; ++k_1) {
      #pragma unroll
      for (int32_t m_2 = 0; m_2 < 4; ++m_2) {
        #pragma unroll
        for (int32_t n_2 = 0; n_2 < 4; ++n_2) {
          C_local[m_2 * 4 + n_2] = C_local[m_2 * 4 + n_2] + A_shared[thread_y * 64 + m_2 * 16 + k_1] * B_shared[k_1 *
              64 + thread_x * 4 + n_2];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int32_t ax0_1 = 0; ax0_1 < 4; ++ax0_1) {
    const Pack<float,4> C_local_row = *(const Pack<float,4>*)(C_local + ax0_1 * 4);
    *(Pack<float,4>*)(C + (m_0 * 4096 + thread_y * 256 + ax0_1 * 64 + thread_x * 4)) =
        Pack<float,4>{{C_local_row.lane[0], C_local_row.lane[1], C_local_row.lane[2], C_local_row.lane[3]}};
  }
}
