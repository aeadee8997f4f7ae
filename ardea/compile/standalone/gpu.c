/* ---- The GPU: NVIDIA's driver, loaded at the first call. Types and numbers are those of its cuda.h, which
 * nobody needs to have. ---- */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* What functions return beside 0 and 1, the answer to arguments that are refused. */
enum { ARDEA_NO_GPU = 2, ARDEA_GPU_FAILED = 3 };
enum { ARDEA_MOST_GPUS = 64, ARDEA_MOST_GPU_MEMORIES = 64, ARDEA_MOST_GPU_ARGUMENTS = 256,
       ARDEA_MOST_GPU_BOXES = 16 };

/* What the unit that copies boxes is told of an array, or of images that windows go through: numbers of cuda.h,
 * innermost first. */
typedef struct ArdeaGpuBoxNumbers {
  int32_t type;
  uint32_t rank;
  int32_t swizzle, promotion, has_windows;
  uint64_t extents[5], strides[4];
  uint32_t sizes[5], steps[5];
  int lower[3], upper[3];
} ArdeaGpuBoxNumbers;

/* An array that a kernel copies boxes of: the argument that it is. */
typedef struct ArdeaGpuBox {
  int32_t argument;
  ArdeaGpuBoxNumbers numbers;
} ArdeaGpuBox;

/* CUtensorMap */
typedef struct ArdeaGpuTensorMap {
  _Alignas(64) uint64_t words[16];
} ArdeaGpuTensorMap;

typedef struct ArdeaGpuKernel {
  const char* name;
  uint32_t block[3], shared_bytes;
  const char* arguments; /* a letter each: p an array, i an integer, f a float, d a double */
  const ArdeaGpuBox* boxes;
  int32_t box_count; /* arguments behind these */
  /* It waits itself for the kernels that the call has launched before it: it may begin when they still run. */
  int32_t begins_early;
  void* handle;
} ArdeaGpuKernel;

/* The kernels of a function. */
typedef struct ArdeaGpuCode {
  const char *function, *architecture;
  const uint64_t* cubin;
  ArdeaGpuKernel* kernels;
  int32_t kernel_count;
  void* library;  /* loaded, for all contexts */
  uint64_t ready; /* the GPUs, a bit each, on which the kernels may take their shared memory */
  struct ArdeaGpuCode* loaded_before;
} ArdeaGpuCode;

/* A call that runs: what its host's part is given as its last argument. */
typedef struct ArdeaGpuCall {
  ArdeaGpuCode* code;
  void* stream;
  int device;
  int32_t failure; /* what to return where it is not 0 */
  int32_t launched; /* kernels, one behind the other */
  int32_t memory_count;
  uint64_t memory[ARDEA_MOST_GPU_MEMORIES];
} ArdeaGpuCall;

/* CUmemPoolProps */
typedef struct ArdeaGpuPool {
  int allocation_type, handle_types, location_type, location_id;
  void* security;
  size_t most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
} ArdeaGpuPool;

/* CUlaunchAttribute: 6 lets a kernel begin before the one before it has ended. */
typedef struct ArdeaGpuLaunchAttribute {
  int id, unused;
  union {
    int number;
    uint64_t most[8];
  } value;
} ArdeaGpuLaunchAttribute;

/* CUlaunchConfig */
typedef struct ArdeaGpuLaunchPlan {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  ArdeaGpuLaunchAttribute* attributes;
  unsigned attribute_count;
} ArdeaGpuLaunchPlan;

static struct {
  int (*init)(unsigned);
  int (*driver_version)(int*);
  int (*error_name)(int, const char**);
  int (*error_text)(int, const char**);
  int (*device)(int*, int);
  int (*retain_context)(void**, int);
  int (*current_context)(void**);
  int (*set_context)(void*);
  int (*current_device)(int*);
  int (*load_library)(void**, const void*, void*, void*, unsigned, void*, void*, unsigned);
  int (*unload_library)(void*);
  int (*find_kernel)(void**, void*, const char*);
  int (*set_kernel_attribute)(int, int, void*, int);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**);
  /* The same with attributes; NULL before CUDA 12.3, from which on the launches of a graph keep these. */
  int (*launch_as_planned)(const ArdeaGpuLaunchPlan*, void*, void**, void**);
  int (*encode_box)(void*, int, unsigned, void*, const uint64_t*, const uint64_t*, const uint32_t*, const uint32_t*,
                    int, int, int, int);
  int (*encode_windows)(void*, int, unsigned, void*, const uint64_t*, const uint64_t*, const int*, const int*, uint32_t,
                        uint32_t, const uint32_t*, int, int, int, int);
  int (*make_pool)(void**, const ArdeaGpuPool*);
  int (*destroy_pool)(void*);
  int (*set_pool_attribute)(void*, int, void*);
  int (*allocate)(uint64_t*, size_t, void*, void*);
  int (*free)(uint64_t, void*);
} ardea_gpu;
static char ardea_gpu_fault[512]; /* why there is none */
static pthread_once_t ardea_gpu_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t ardea_gpu_lock = PTHREAD_MUTEX_INITIALIZER;
static void* ardea_gpu_pools[ARDEA_MOST_GPUS];
static ArdeaGpuCode* ardea_gpu_loaded; /* the last, with those before it */

static void ardea_gpu_find(void* library, void* function, const char* symbol) {
  void* const found = dlsym(library, symbol);
  memcpy(function, &found, sizeof(found));
  if (found == NULL && ardea_gpu_fault[0] == '\0')
    snprintf(ardea_gpu_fault, sizeof(ardea_gpu_fault),
             "NVIDIA's driver here has no %s: it is too old, install one for CUDA 12 or later", symbol);
}

static void ardea_gpu_load(void) {
  const char* const chosen = getenv("ARDEA_CUDA_DRIVER");
  const char* const name = chosen != NULL ? chosen : "libcuda.so.1";
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(ardea_gpu_fault, sizeof(ardea_gpu_fault),
             "%s is not on this machine, it comes with NVIDIA's driver", name);
    return;
  }
  ardea_gpu_find(library, &ardea_gpu.init, "cuInit");
  ardea_gpu_find(library, &ardea_gpu.driver_version, "cuDriverGetVersion");
  ardea_gpu_find(library, &ardea_gpu.error_name, "cuGetErrorName");
  ardea_gpu_find(library, &ardea_gpu.error_text, "cuGetErrorString");
  ardea_gpu_find(library, &ardea_gpu.device, "cuDeviceGet");
  ardea_gpu_find(library, &ardea_gpu.retain_context, "cuDevicePrimaryCtxRetain");
  ardea_gpu_find(library, &ardea_gpu.current_context, "cuCtxGetCurrent");
  ardea_gpu_find(library, &ardea_gpu.set_context, "cuCtxSetCurrent");
  ardea_gpu_find(library, &ardea_gpu.current_device, "cuCtxGetDevice");
  ardea_gpu_find(library, &ardea_gpu.load_library, "cuLibraryLoadData");
  ardea_gpu_find(library, &ardea_gpu.unload_library, "cuLibraryUnload");
  ardea_gpu_find(library, &ardea_gpu.find_kernel, "cuLibraryGetKernel");
  ardea_gpu_find(library, &ardea_gpu.set_kernel_attribute, "cuKernelSetAttribute");
  ardea_gpu_find(library, &ardea_gpu.launch, "cuLaunchKernel");
  ardea_gpu_find(library, &ardea_gpu.encode_box, "cuTensorMapEncodeTiled");
  ardea_gpu_find(library, &ardea_gpu.encode_windows, "cuTensorMapEncodeIm2col");
  ardea_gpu_find(library, &ardea_gpu.make_pool, "cuMemPoolCreate");
  ardea_gpu_find(library, &ardea_gpu.destroy_pool, "cuMemPoolDestroy");
  ardea_gpu_find(library, &ardea_gpu.set_pool_attribute, "cuMemPoolSetAttribute");
  ardea_gpu_find(library, &ardea_gpu.allocate, "cuMemAllocFromPoolAsync");
  ardea_gpu_find(library, &ardea_gpu.free, "cuMemFreeAsync");
  if (ardea_gpu_fault[0] != '\0') return;
  int version = 0;
  if (ardea_gpu.driver_version(&version) == 0 && version >= 12030)
    ardea_gpu_find(library, &ardea_gpu.launch_as_planned, "cuLaunchKernelEx");
  const int begun = ardea_gpu.init(0);
  if (begun != 0)
    snprintf(ardea_gpu_fault, sizeof(ardea_gpu_fault),
             "NVIDIA's driver finds no GPU that it can use (error %d)", begun);
}

/* Before this code is unloaded. At the end of the process the driver may have ended before, which it says,
 * and nobody minds. */
__attribute__((destructor)) static void ardea_gpu_unload(void) {
  for (ArdeaGpuCode* code = ardea_gpu_loaded; code != NULL; code = code->loaded_before)
    ardea_gpu.unload_library(code->library);
  for (int i = 0; i < ARDEA_MOST_GPUS; ++i)
    if (ardea_gpu_pools[i] != NULL) ardea_gpu.destroy_pool(ardea_gpu_pools[i]);
}

/* Keeps the first failure of a call, with the driver's words. */
static int32_t ardea_gpu_failed(ArdeaGpuCall* call, const char* what, int result) {
  const char *name = NULL, *text = NULL;
  char sentence[ARDEA_SENTENCE_BYTES];
  if (call->failure != 0) return call->failure;
  ardea_gpu.error_name(result, &name);
  ardea_gpu.error_text(result, &text);
  snprintf(sentence, sizeof(sentence), "%s: %s: the GPU's driver says %s (%s)", call->code->function, what,
           text != NULL ? text : "nothing of it", name != NULL ? name : "an error without a name");
  ardea_set_error(sentence);
  return call->failure = ARDEA_GPU_FAILED;
}

/* The context of the calling thread, else that of the first GPU; the kernels loaded. */
static int ardea_gpu_prepare(ArdeaGpuCall* call, const char** what) {
  ArdeaGpuCode* const code = call->code;
  void* context = NULL;
  int result;
  *what = "its context";
  if ((result = ardea_gpu.current_context(&context)) != 0) return result;
  if (context == NULL) {
    if ((result = ardea_gpu.device(&call->device, 0)) != 0) return result;
    if ((result = ardea_gpu.retain_context(&context, call->device)) != 0) return result;
    if ((result = ardea_gpu.set_context(context)) != 0) return result;
  }
  if ((result = ardea_gpu.current_device(&call->device)) != 0) return result;
  *what = code->architecture;
  if (code->library == NULL) {
    void* library = NULL;
    if ((result = ardea_gpu.load_library(&library, code->cubin, NULL, NULL, 0, NULL, NULL, 0)) != 0)
      return result;
    for (int32_t i = 0; i < code->kernel_count; ++i)
      if ((result = ardea_gpu.find_kernel(&code->kernels[i].handle, library, code->kernels[i].name)) != 0) {
        ardea_gpu.unload_library(library);
        return result;
      }
    code->library = library;
    code->loaded_before = ardea_gpu_loaded;
    ardea_gpu_loaded = code;
  }
  const uint64_t own = (uint64_t)1 << (call->device % ARDEA_MOST_GPUS);
  if ((code->ready & own) != 0) return 0;
  for (int32_t i = 0; i < code->kernel_count; ++i) {
    *what = code->kernels[i].name;
    if ((result = ardea_gpu.set_kernel_attribute(8 /* the most dynamic shared memory */,
                                                 (int)code->kernels[i].shared_bytes, code->kernels[i].handle,
                                                 call->device)) != 0)
      return result;
  }
  code->ready |= own;
  return 0;
}

static int32_t ardea_gpu_launch(ArdeaGpuCall* call, const ArdeaValue* values, int32_t count) {
  const ArdeaGpuKernel* const kernel = &call->code->kernels[values[0].as_int];
  uint64_t held[ARDEA_MOST_GPU_ARGUMENTS];
  void* addresses[ARDEA_MOST_GPU_ARGUMENTS + ARDEA_MOST_GPU_BOXES];
  unsigned grid[3];
  for (int i = 0; i < 3; ++i) {
    if (values[1 + i].as_int <= 0) return 0; /* CUDA has no empty grid */
    grid[i] = (unsigned)values[1 + i].as_int;
  }
  values += 4;
  count -= 4;
  for (int32_t i = 0; i < count; ++i) {
    const float narrow = kernel->arguments[i] == 'f' ? (float)values[i].as_float : 0;
    addresses[i] = &held[i];
    if (kernel->arguments[i] == 'f')
      memcpy(&held[i], &narrow, sizeof(narrow));
    else
      memcpy(&held[i], &values[i], sizeof(held[i]));
  }
  ArdeaGpuTensorMap maps[ARDEA_MOST_GPU_BOXES];
  for (int32_t i = 0; i < kernel->box_count; ++i) {
    const ArdeaGpuBoxNumbers* const box = &kernel->boxes[i].numbers;
    void* const array = values[kernel->boxes[i].argument].as_pointer;
    const int encoded =
        box->has_windows
            ? ardea_gpu.encode_windows(&maps[i], box->type, box->rank, array, box->extents, box->strides, box->lower,
                                       box->upper, box->sizes[0], box->sizes[1], box->steps, 0, box->swizzle,
                                       box->promotion, 0)
            : ardea_gpu.encode_box(&maps[i], box->type, box->rank, array, box->extents, box->strides, box->sizes,
                                   box->steps, 0, box->swizzle, box->promotion, 0);
    if (encoded != 0) return ardea_gpu_failed(call, kernel->name, encoded);
    addresses[count + i] = &maps[i];
  }
  int result;
  /* What a call launches first waits for all that the stream does: who used the arrays before has ended. */
  if (kernel->begins_early && call->launched > 0 && ardea_gpu.launch_as_planned != NULL) {
    ArdeaGpuLaunchAttribute early = {6, 0, {1}};
    const ArdeaGpuLaunchPlan plan = {{grid[0], grid[1], grid[2]},
                                     {kernel->block[0], kernel->block[1], kernel->block[2]},
                                     kernel->shared_bytes, call->stream, &early, 1};
    result = ardea_gpu.launch_as_planned(&plan, kernel->handle, addresses, NULL);
  } else {
    result = ardea_gpu.launch(kernel->handle, grid[0], grid[1], grid[2], kernel->block[0], kernel->block[1],
                              kernel->block[2], kernel->shared_bytes, call->stream, addresses, NULL);
  }
  if (result != 0) return ardea_gpu_failed(call, kernel->name, result);
  ++call->launched;
  return 0;
}

/* Memory between kernels, in the order of the stream: calls on several streams share none. */
static int32_t ardea_gpu_workspace(ArdeaGpuCall* call, int64_t bytes, ArdeaValue* memory) {
  uint64_t keeps_all = ~(uint64_t)0, made = 0;
  int result = call->device >= ARDEA_MOST_GPUS || call->memory_count == ARDEA_MOST_GPU_MEMORIES ? 2 : 0;
  void** const pool = &ardea_gpu_pools[call->device % ARDEA_MOST_GPUS];
  pthread_mutex_lock(&ardea_gpu_lock);
  if (result == 0 && *pool == NULL) {
    ArdeaGpuPool wanted;
    memset(&wanted, 0, sizeof(wanted));
    wanted.allocation_type = 1; /* pinned */
    wanted.location_type = 1;   /* a device */
    wanted.location_id = call->device;
    result = ardea_gpu.make_pool(pool, &wanted);
    if (result == 0)
      result = ardea_gpu.set_pool_attribute(*pool, 4 /* what is kept when it is free */, &keeps_all);
  }
  pthread_mutex_unlock(&ardea_gpu_lock);
  if (result == 0) result = ardea_gpu.allocate(&made, bytes > 0 ? (size_t)bytes : 1, *pool, call->stream);
  if (result != 0) return ardea_gpu_failed(call, "memory between its kernels", result);
  call->memory[call->memory_count++] = made;
  call->launched = 0; /* what follows waits for the memory as for any other work of the stream */
  memory->as_pointer = (void*)(uintptr_t)made;
  return 0;
}

/* What the host's part of a program calls. */
static int32_t ardea_gpu_call_registered(const char* name, const ArdeaValue* arguments,
                                         const int32_t* type_codes, int32_t count, ArdeaValue* result,
                                         int32_t* result_code) {
  if (strcmp(name, "ardea.cuda.launch") == 0) {
    result->as_int = 0;
    *result_code = ARDEA_INT;
    return ardea_gpu_launch((ArdeaGpuCall*)arguments[0].as_pointer, arguments + 1, count - 1);
  }
  if (strcmp(name, "ardea.cuda.workspace") == 0) {
    *result_code = ARDEA_HANDLE;
    return ardea_gpu_workspace((ArdeaGpuCall*)arguments[0].as_pointer, arguments[1].as_int, result);
  }
  return ardea_call_registered(name, arguments, type_codes, count, result, result_code);
}

/* Calls the host's part, whose last argument is the call. */
static int ardea_gpu_run(ArdeaGpuCall* call, ArdeaPackedFunction host, const ArdeaValue* arguments,
                         const int32_t* codes, int32_t count) {
  ArdeaValue nothing = {0};
  int32_t nothing_code = ARDEA_NULL;
  const char* what = "";
  pthread_once(&ardea_gpu_once, ardea_gpu_load);
  if (ardea_gpu_fault[0] != '\0') {
    char sentence[ARDEA_SENTENCE_BYTES];
    snprintf(sentence, sizeof(sentence), "%s: %s", call->code->function, ardea_gpu_fault);
    ardea_set_error(sentence);
    return ARDEA_NO_GPU;
  }
  pthread_mutex_lock(&ardea_gpu_lock);
  const int result = ardea_gpu_prepare(call, &what);
  pthread_mutex_unlock(&ardea_gpu_lock);
  if (result != 0) return ardea_gpu_failed(call, what, result);
  const int32_t status = host(arguments, codes, count, &nothing, &nothing_code);
  for (int32_t i = 0; i < call->memory_count; ++i) {
    const int freed = ardea_gpu.free(call->memory[i], call->stream);
    if (freed != 0) ardea_gpu_failed(call, "memory between its kernels", freed);
  }
  if (call->failure != 0) return call->failure;
  return status != 0 ? 1 : 0;
}
