// grid (1, 1, 1), block (6, 1, 1), 48 bytes of dynamic shared memory
extern "C" __global__ void __launch_bounds__(6) double_buffer_kernel_1(const float* __restrict__ X,
    float* __restrict__ Y) {
  const int32_t j = (int32_t)threadIdx.x;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  float* const P = (float*)shared_memory;
  copy_async<4>(P + j, X + j);
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
  for (int32_t k = 0; k < 6; ++k) {
    copy_async<4>(P + ((k + 1) % 2 * 6 + j), X + (k * 6 + j + 6));
    commit_copies();
    if (k == 0) {
      Y[j] = 0.0f;
    }
    Y[j] = Y[j] + P[k % 2 * 6 - j + 5];
    wait_for_copies<0>();
    __syncthreads();
  }
  wait_for_copies<0>();
  __syncthreads();
  Y[j] = Y[j] + P[5 - j];
}
