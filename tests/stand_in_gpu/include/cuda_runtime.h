#pragma once

/// CUDA's runtime over this machine's memory, for texts that the host's compiler takes in nvcc's place.

#include <chrono>
#include <cstdlib>
#include <map>

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
/// How kernels are launched that are known by their address alone.
using Launch = void (*)(const void* kernel, dim3 grid, dim3 block, void** arguments);
inline std::map<const void*, Launch> launches;

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, int, int) {
  launches[reinterpret_cast<const void*>(kernel)] = [](const void* it, dim3 grid, dim3 block,
                                                       void** arguments) {
    stand_in::launch(reinterpret_cast<Kernel*>(const_cast<void*>(it)), grid.all, block.all, arguments);
  };
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t) {
  return stand_in::launch(kernel, grid.all, block.all, arguments), cudaSuccess;
}

enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim = {1, 1, 1}, blockDim = {1, 1, 1};
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  return launches.at(kernel)(kernel, config->gridDim, config->blockDim, arguments), cudaSuccess;
}
