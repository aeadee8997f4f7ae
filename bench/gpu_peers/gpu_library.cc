#include "bench/gpu_peers/gpu_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace peer {

void* open_library(const std::string& stem, const std::vector<std::string>& versions) {
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.insert(folders.end(), {"/usr/local/cuda/lib64/", ""});
  for (const std::string& folder : folders)
    for (const std::string& version : versions)
      if (void* const library = dlopen((folder + stem + ".so." + version).c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
  throw Refusal{stem + ".so." + versions[0] +
                " is neither in CUDA_HOME, nor in /usr/local/cuda, nor where the linker looks"};
}

void* found_symbol(void* library, const char* symbol) {
  void* const found = dlsym(library, symbol);
  if (found == nullptr) throw Refusal{std::string("its library has no ") + symbol};
  return found;
}

void* open_driver() {
  const char* const chosen = std::getenv("ARDEA_CUDA_DRIVER");
  void* const driver = dlopen(chosen != nullptr ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) throw Refusal{"there is no driver"};
  return driver;
}

void* gpu_workspace(std::size_t bytes) {
  int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
  find(open_driver(), allocate, "cuMemAlloc_v2");
  std::uint64_t memory = 0;
  if (allocate(&memory, bytes) != 0) throw std::runtime_error("there is no memory for its workspace");
  return reinterpret_cast<void*>(memory);
}

void require_done(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " answers status " + std::to_string(status));
}

}  // namespace peer
