// grid (2, 1, 1), block (5, 1, 1), 0 bytes of dynamic shared memory
extern "C" __global__ void __launch_bounds__(5) two_launches_kernel_1(const int32_t* __restrict__ X,
    int32_t* __restrict__ W) {
  const int32_t b = (int32_t)blockIdx.x;
  const int32_t t = (int32_t)threadIdx.x;
  W[b * 5 + t] = (int32_t)((uint32_t)X[b * 5 + t] * 3);
}

// grid (1, 1, 1), block (10, 1, 1), 0 bytes of dynamic shared memory
extern "C" __global__ void __launch_bounds__(10) two_launches_kernel_2(int32_t* Y, const int32_t* W,
    const int32_t r) {
  const int32_t t = (int32_t)threadIdx.x;
  wait_for_kernels_before();
  if (r == 0) {
    Y[t] = 0;
  }
  Y[t] = (int32_t)((uint32_t)Y[t] + W[9 - t]);
}
