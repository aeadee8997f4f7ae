#pragma once

/// CUDA's runtime over this machine's memory, for texts that the host's compiler takes in nvcc's place.

#include <chrono>
#include <cstdlib>

#include "../kernel_prelude.h"

enum cudaError_t { cudaSuccess };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = void*;
using cudaEvent_t = std::chrono::steady_clock::time_point;

struct dim3 {
  dim3(unsigned x, unsigned y, unsigned z) : all{x, y, z} {}
  unsigned all[3];
};

inline const char* cudaGetErrorString(cudaError_t) { return "an error"; }
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  return __builtin_memcpy(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t& event, cudaStream_t) {
  return event = std::chrono::steady_clock::now(), cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  return *ms = std::chrono::duration<float, std::milli>(end - begin).count(), cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, int, int) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t) {
  return stand_in::launch(kernel, grid.all, block.all, arguments), cudaSuccess;
}
