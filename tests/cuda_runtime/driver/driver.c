/* A GPU in this machine's memory, behind the functions of NVIDIA's driver that Ardea calls. It knows the
 * kernels of one program: "doubled_kernel_1" doubles an array, "doubled_kernel_2" adds one; n = 13 makes the
 * second one fail, as a trap in a kernel does. Allocations are counted; those of more than 2^20 bytes fail.
 * "boxed_kernel_1" writes what it was told of a box: cuda.h's numbers, sizes and strides; "windowed_kernel_1"
 * the same of images of two dimensions that windows go through.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
enum { fine = 0, out_of_memory = 2, invalid = 1, launch_failed = 719 };

static int64_t live_allocations;
static Result pending; /* of a launch, told at the next wait */
int64_t fake_live_allocations(void) { return live_allocations; }

Result cuInit(unsigned flags) { return flags == 0 ? fine : invalid; }
Result cuDriverGetVersion(int* version) { return *version = 13000, fine; }
Result cuGetErrorName(Result result, const char** text) {
  return *text = result == launch_failed ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OUT_OF_MEMORY", fine;
}
Result cuGetErrorString(Result result, const char** text) {
  return *text = result == launch_failed ? "unspecified launch failure" : "out of memory", fine;
}
Result cuDeviceGetCount(int* count) { return *count = 1, fine; }
Result cuDeviceGet(int* device, int ordinal) { return *device = ordinal, fine; }
Result cuDeviceGetName(char* name, int length, int device) {
  (void)device;
  strncpy(name, "a GPU for tests", (size_t)length - 1);
  return fine;
}
Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 38 ? 4096 : 1;
  return fine;
}
Result cuDevicePrimaryCtxRetain(void** context, int device) {
  return (void)device, *context = &live_allocations, fine;
}
Result cuCtxSetCurrent(void* context) { return context == &live_allocations ? fine : invalid; }
Result cuMemGetInfo_v2(size_t* free_bytes, size_t* total) { return *free_bytes = *total = 1 << 20, fine; }
Result cuMemAlloc_v2(uint64_t* memory, size_t bytes) {
  if (bytes > 1 << 20) return out_of_memory;
  *memory = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset((void*)(uintptr_t)*memory, 0xa5, bytes);
  ++live_allocations;
  return fine;
}
Result cuMemFree_v2(uint64_t memory) {
  free((void*)(uintptr_t)memory);
  --live_allocations;
  return fine;
}
Result cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  (void)stream;
  memcpy((void*)(uintptr_t)to, from, bytes);
  return fine;
}
Result cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  (void)stream;
  memcpy(to, (void*)(uintptr_t)from, bytes);
  return fine;
}
Result cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void* stream) {
  (void)stream;
  memset((void*)(uintptr_t)to, value, bytes);
  return fine;
}
Result cuStreamCreate(void** stream, unsigned flags) { return (void)flags, *stream = &pending, fine; }
Result cuStreamDestroy_v2(void* stream) { return (void)stream, fine; }
Result cuStreamSynchronize(void* stream) {
  (void)stream;
  const Result result = pending;
  pending = fine;
  return result;
}
Result cuStreamBeginCapture_v2(void* stream, int mode) { return (void)stream, (void)mode, invalid; }
Result cuStreamEndCapture(void* stream, void** graph) { return (void)stream, *graph = NULL, invalid; }
Result cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long flags) {
  return (void)graph, (void)flags, *exec = NULL, invalid;
}
Result cuGraphLaunch(void* exec, void* stream) { return (void)exec, (void)stream, invalid; }
Result cuGraphDestroy(void* graph) { return (void)graph, fine; }
Result cuGraphExecDestroy(void* exec) { return (void)exec, fine; }
Result cuEventCreate(void** event, unsigned flags) { return (void)flags, *event = NULL, fine; }
Result cuEventRecord(void* event, void* stream) { return (void)event, (void)stream, fine; }
Result cuEventSynchronize(void* event) { return (void)event, fine; }
Result cuEventElapsedTime(float* ms, void* begin, void* end) { return (void)begin, (void)end, *ms = 1, fine; }
Result cuEventDestroy_v2(void* event) { return (void)event, fine; }
Result cuModuleLoadData(void** module, const void* image) {
  *module = &live_allocations;
  return strcmp(image, "kernels for tests") == 0 ? fine : invalid;
}
Result cuModuleUnload(void* module) { return (void)module, fine; }
Result cuModuleGetFunction(void** kernel, void* module, const char* name) {
  (void)module;
  *kernel =
      (void*)(uintptr_t)(strcmp(name, "doubled_kernel_1") == 0                                           ? 1
                         : strcmp(name, "doubled_kernel_2") == 0                                         ? 2
                         : strcmp(name, "boxed_kernel_1") == 0 || strcmp(name, "windowed_kernel_1") == 0 ? 3
                                                                                                         : 0);
  return *kernel == NULL ? invalid : fine;
}
Result cuFuncGetAttribute(int* value, int attribute, void* kernel) {
  return (void)kernel, *value = attribute == 4 ? 17 : 0, fine;
}
Result cuFuncSetAttribute(void* kernel, int attribute, int value) {
  return (void)kernel, (void)attribute, (void)value, fine;
}
Result cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* array, const uint64_t* extents,
                              const uint64_t* strides, const uint32_t* sizes, const uint32_t* steps,
                              int interleave, int swizzle, int promotion, int fill) {
  if ((uintptr_t)array % 16 != 0 || rank != 3 || interleave != 0 || fill != 0) return invalid;
  const uint64_t told[16] = {(uintptr_t)array, (uint64_t)type,    extents[0],         extents[1],
                             extents[2],       strides[0],        strides[1],         sizes[0],
                             sizes[1],         sizes[2],          steps[0],           steps[1],
                             steps[2],         (uint64_t)swizzle, (uint64_t)promotion};
  memcpy(map, told, sizeof(told));
  return fine;
}
/* 16 numbers, of which a few need two. */
Result cuTensorMapEncodeIm2col(void* map, int type, unsigned rank, void* array, const uint64_t* extents,
                               const uint64_t* strides, const int* lower, const int* upper, uint32_t channels,
                               uint32_t pixels, const uint32_t* steps, int interleave, int swizzle,
                               int promotion, int fill) {
  if ((uintptr_t)array % 16 != 0 || rank != 4 || interleave != 0 || fill != 0 || type != 1 ||
      promotion != 3 || steps[0] != 1 || steps[3] != 1)
    return invalid;
  const uint64_t told[16] = {(uintptr_t)array,
                             extents[0],
                             extents[1],
                             extents[2],
                             extents[3],
                             strides[0],
                             strides[1],
                             strides[2],
                             (uint64_t)(lower[0] + 100) * 1000 + (uint64_t)(lower[1] + 100),
                             (uint64_t)(upper[0] + 100) * 1000 + (uint64_t)(upper[1] + 100),
                             channels,
                             pixels,
                             steps[1],
                             steps[2],
                             (uint64_t)swizzle};
  memcpy(map, told, sizeof(told));
  return fine;
}
/* Arguments: an array, where to write, and what is told of the array, on 64 bytes. */
static Result write_box(void** arguments) {
  const uint64_t* const told = arguments[2];
  if ((uintptr_t)told % 64 != 0 || told[0] != *(uint64_t*)arguments[0]) return invalid;
  float* const to = *(float**)arguments[1];
  for (int i = 0; i < 14; ++i) to[i] = (float)told[i + 1];
  return fine;
}
static int64_t early_launches;
int64_t fake_early_launches(void) { return early_launches; }
/* Arguments: what is read, what is written, and the length. */
Result cuLaunchKernel(void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                      void** arguments, void** extra) {
  (void)shared_bytes, (void)stream, (void)extra;
  if (grid_y * grid_z * block_y * block_z != 1) return invalid;
  if (kernel == (void*)(uintptr_t)3) return write_box(arguments);
  const int is_first = kernel == (void*)(uintptr_t)1;
  float* const x = *(float**)arguments[is_first ? 0 : 1];
  float* const y = *(float**)arguments[is_first ? 1 : 0];
  const int64_t n = *(const int64_t*)arguments[2];
  if (!is_first && n == 13) return pending = launch_failed, fine;
  for (int64_t i = 0; i < (int64_t)grid_x * block_x; ++i)
    if (i < n) y[i] = is_first ? x[i] * 2 : x[i] + 1;
  return fine;
}
/* CUlaunchAttribute and CUlaunchConfig; a launch may begin early, and nothing else is asked for. */
typedef struct Attribute {
  int id, unused, number, more[15];
} Attribute;
typedef struct Plan {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  const Attribute* attributes;
  unsigned attribute_count;
} Plan;
Result cuLaunchKernelEx(const Plan* plan, void* kernel, void** arguments, void** extra) {
  if (plan->attribute_count != 1 || plan->attributes->id != 6 || plan->attributes->number != 1) return invalid;
  ++early_launches;
  return cuLaunchKernel(kernel, plan->grid[0], plan->grid[1], plan->grid[2], plan->block[0], plan->block[1],
                        plan->block[2], plan->shared_bytes, plan->stream, arguments, extra);
}
