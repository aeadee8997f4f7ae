#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// README.md.

namespace {

using Result = int;
enum : Result { fine = 0, invalid = 1, launch_failed = 719 };

/// Of a kernel that failed: whatever is asked of its context from the next wait on, this is the answer.
Result pending = fine, lost = fine;

struct Kernel {
  void (*launch)(const unsigned* grid, const unsigned* block, void** arguments) = nullptr;
  int arguments = 0;
};

struct Module {
  void* library;
  std::vector<std::unique_ptr<Kernel>> kernels = {};
};

struct Launch {
  const Kernel* kernel = nullptr;
  std::array<unsigned, 3> grid = {}, block = {};
  std::vector<std::uint64_t> arguments;
};
struct Graph {
  std::vector<Launch> launches;
};
Graph* captured = nullptr;

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id, unused, number, more[15];
};
struct Plan {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct Event {
  std::chrono::steady_clock::time_point at;
};

void run(Launch& launch) {
  if (lost != fine || pending != fine) return;
  switch (launch.block[0] * launch.block[1] * launch.block[2]) {
    case 13: pending = launch_failed; return;
    case 17: return;
    case 19: std::raise(SIGABRT); return;
    case 23:
      for (;;) pause();
    default: break;
  }
  std::vector<void*> addresses;
  for (std::uint64_t& value : launch.arguments) addresses.push_back(&value);
  launch.kernel->launch(launch.grid.data(), launch.block.data(), addresses.data());
}

/// Whether ARDEA_STAND_IN_FAILS names this function of the driver.
bool must_fail(const char* function) {
  const char* const named = std::getenv("ARDEA_STAND_IN_FAILS");
  return named != nullptr && std::strcmp(named, function) == 0;
}

/// Memory of this GPU is memory of this process.
void* address(std::uint64_t memory) { return std::bit_cast<void*>(memory); }

Result waited() {
  if (pending != fine) lost = pending;
  return lost;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) { return fine; }
Result cuDriverGetVersion(int* version) {
  const char* const older = std::getenv("ARDEA_STAND_IN_VERSION");
  return *version = older == nullptr ? 13000 : std::atoi(older), fine;
}
Result cuGetErrorName(Result result, const char** text) {
  return *text = result == launch_failed ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_INVALID_VALUE", fine;
}
Result cuGetErrorString(Result result, const char** text) {
  return *text = result == launch_failed ? "unspecified launch failure" : "invalid argument", fine;
}
Result cuDeviceGetCount(int* count) { return *count = 1, fine; }
Result cuDeviceGet(int* device, int ordinal) { return *device = ordinal, fine; }
Result cuDeviceGetName(char* name, int length, int) {
  return std::strncpy(name, "a stand-in for a GPU", static_cast<std::size_t>(length) - 1), fine;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  return *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 38 ? 4096 : 1, fine;
}
Result cuDevicePrimaryCtxRetain(void** context, int) { return *context = &lost, fine; }
Result cuCtxSetCurrent(void*) { return fine; }
Result cuCtxGetCurrent(void** context) { return *context = nullptr, fine; }
Result cuCtxGetDevice(int* device) { return *device = 0, lost; }
Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  return *free_bytes = *total = std::size_t{1} << 30, fine;
}
Result cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes) {
  if (lost != fine) return lost;
  *memory = reinterpret_cast<std::uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return fine;
}
Result cuMemFree_v2(std::uint64_t memory) { return std::free(address(memory)), lost; }
Result cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
  return std::memcpy(address(to), from, bytes), lost;
}
Result cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
  return std::memcpy(to, address(from), bytes), lost;
}
Result cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void*) {
  return std::memset(address(to), value, bytes), lost;
}
Result cuStreamCreate(void** stream, unsigned) { return *stream = static_cast<void*>(&captured), lost; }
Result cuStreamDestroy_v2(void*) { return lost; }
Result cuStreamSynchronize(void*) { return waited(); }
Result cuStreamBeginCapture_v2(void*, int) {
  if (captured != nullptr) return invalid;
  captured = new Graph;
  return lost;
}
Result cuStreamEndCapture(void*, void** graph) {
  *graph = std::exchange(captured, nullptr);
  return lost;
}
Result cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  *exec = new Graph(*static_cast<Graph*>(graph));
  return lost;
}
Result cuGraphLaunch(void* exec, void*) {
  for (Launch& launch : static_cast<Graph*>(exec)->launches) run(launch);
  return lost;
}
Result cuGraphDestroy(void* graph) { return delete static_cast<Graph*>(graph), fine; }
Result cuGraphExecDestroy(void* exec) { return delete static_cast<Graph*>(exec), fine; }
Result cuEventCreate(void** event, unsigned) { return *event = new Event, lost; }
Result cuEventRecord(void* event, void*) {
  static_cast<Event*>(event)->at = std::chrono::steady_clock::now();
  return lost;
}
Result cuEventSynchronize(void*) { return waited(); }
Result cuEventElapsedTime(float* ms, void* begin, void* end) {
  *ms =
      std::chrono::duration<float, std::milli>(static_cast<Event*>(end)->at - static_cast<Event*>(begin)->at)
          .count();
  return lost;
}
Result cuEventDestroy_v2(void* event) { return delete static_cast<Event*>(event), fine; }

/// For tests to look at.
int stand_in_loaded_modules = 0;

/// An ELF file ends with the table of its sections. The file stays open: by its name the linker knows what it
/// has loaded.
Result cuModuleLoadData(void** module, const void* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return invalid;
  const auto* const head = static_cast<const Elf64_Ehdr*>(image);
  const std::size_t bytes = head->e_shoff + std::size_t{head->e_shnum} * head->e_shentsize;
  const int file = memfd_create("kernels", MFD_CLOEXEC);
  if (file < 0 || write(file, image, bytes) != static_cast<ssize_t>(bytes)) return invalid;
  void* const library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return invalid;
  *module = new Module{library};
  ++stand_in_loaded_modules;
  return lost;
}
Result cuModuleUnload(void* module) {
  --stand_in_loaded_modules;
  dlclose(static_cast<Module*>(module)->library);
  return delete static_cast<Module*>(module), fine;
}
Result cuModuleGetFunction(void** kernel, void* module, const char* name) {
  auto& [library, kernels] = *static_cast<Module*>(module);
  void* const launch = dlsym(library, (std::string(name) + "__launch").c_str());
  const void* const count = dlsym(library, (std::string(name) + "__count").c_str());
  if (launch == nullptr || count == nullptr) return invalid;
  const auto& made = kernels.emplace_back(std::make_unique<Kernel>());
  made->launch = reinterpret_cast<decltype(made->launch)>(launch);
  made->arguments = *static_cast<const int*>(count);
  *kernel = made.get();
  return lost;
}
Result cuLibraryLoadData(void** library, const void* code, void*, void*, unsigned, void*, void*, unsigned) {
  return must_fail("cuLibraryLoadData") ? launch_failed : cuModuleLoadData(library, code);
}
Result cuLibraryUnload(void* library) { return cuModuleUnload(library); }
Result cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
Result cuKernelSetAttribute(int, int, void*, int) { return lost; }
Result cuMemPoolCreate(void** pool, const void*) { return *pool = &lost, lost; }
Result cuMemPoolDestroy(void*) { return lost; }
Result cuMemPoolSetAttribute(void*, int, void*) { return lost; }
Result cuMemAllocFromPoolAsync(std::uint64_t* memory, std::size_t bytes, void*, void*) {
  return must_fail("cuMemAllocFromPoolAsync") ? launch_failed : cuMemAlloc_v2(memory, bytes);
}
Result cuMemFreeAsync(std::uint64_t memory, void*) { return cuMemFree_v2(memory); }
/// No kernel here can copy boxes.
Result cuTensorMapEncodeTiled(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                              const unsigned*, const unsigned*, int, int, int, int) {
  return invalid;
}
Result cuTensorMapEncodeIm2col(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                               const int*, const int*, unsigned, unsigned, const unsigned*, int, int, int,
                               int) {
  return invalid;
}
Result cuFuncGetAttribute(int* value, int, void*) { return *value = 0, lost; }
Result cuFuncSetAttribute(void*, int, int) { return lost; }
Result cuLaunchKernel(void* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned, void*, void** arguments, void**) {
  if (must_fail("cuLaunchKernel")) return launch_failed;
  Launch launch{static_cast<Kernel*>(handle), {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {}};
  for (int i = 0; i < launch.kernel->arguments; ++i)
    launch.arguments.push_back(*static_cast<std::uint64_t*>(arguments[i]));
  if (captured != nullptr)
    captured->launches.push_back(std::move(launch));
  else
    run(launch);
  return lost;
}

/// Of launches that may begin before the kernel before them has ended; for tests to look at.
int stand_in_early_launches = 0;

Result cuLaunchKernelEx(const Plan* plan, void* handle, void** arguments, void** extra) {
  if (must_fail("cuLaunchKernelEx")) return launch_failed;
  if (plan->attribute_count != 1 || plan->attributes->id != 6 || plan->attributes->number != 1)
    return invalid;
  ++stand_in_early_launches;
  return cuLaunchKernel(handle, plan->grid[0], plan->grid[1], plan->grid[2], plan->block[0], plan->block[1],
                        plan->block[2], plan->shared_bytes, plan->stream, arguments, extra);
}
}
