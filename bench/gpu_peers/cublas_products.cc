#include "bench/gpu_peers/cublas_products.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace peer {

namespace {

int data_type(const std::string& type) {
  if (type == "float32") return 0;
  if (type == "float16") return 2;
  if (type == "bfloat16") return 14;
  throw Refusal{"it is asked for products of float16, bfloat16 and float32 only"};
}

}  // namespace

ColumnProduct column_product(const Workload& w) {
  if (w.op != "gemm" && w.op != "bmm") throw Refusal{"it is asked for products only"};
  if (w.acc != "float32" || w.arrays[0].type != w.arrays[1].type)
    throw Refusal{"it is asked for products of operands of one type, summed in float32"};
  const std::vector<std::int64_t>&a = w.arrays[0].shape, &c = w.output().shape;
  const std::size_t first = a.size() - 2;
  ColumnProduct p;
  p.rows = static_cast<int>(c[first + 1]);
  p.columns = static_cast<int>(c[first]);
  p.depth = static_cast<int>(a[first + 1]);
  p.batch = first == 1 ? static_cast<int>(c[0]) : 1;
  p.transpose_left = w.transpose_b;
  p.left_stride = w.transpose_b ? p.depth : p.rows;
  p.right_stride = p.depth;
  p.in_type = data_type(w.arrays[0].type);
  p.out_type = data_type(w.output().type);
  return p;
}

void* open_library(const std::string& stem) {
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.insert(folders.end(), {"/usr/local/cuda/lib64/", ""});
  for (const std::string& folder : folders)
    for (const char* version : {".so.13", ".so.12", ".so"})
      if (void* const library = dlopen((folder + stem + version).c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
  throw Refusal{stem + ".so is neither in CUDA_HOME, nor in /usr/local/cuda, nor where the linker looks"};
}

void* found_symbol(void* library, const char* symbol) {
  void* const found = dlsym(library, symbol);
  if (found == nullptr) throw Refusal{std::string("its library has no ") + symbol};
  return found;
}

void* gpu_workspace(std::size_t bytes) {
  const char* const chosen = std::getenv("ARDEA_CUDA_DRIVER");
  void* const driver = dlopen(chosen != nullptr ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) throw Refusal{"there is no driver"};
  int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
  find(driver, allocate, "cuMemAlloc_v2");
  std::uint64_t memory = 0;
  if (allocate(&memory, bytes) != 0) throw std::runtime_error("there is no memory for its workspace");
  return reinterpret_cast<void*>(memory);
}

void require_done(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " answers status " + std::to_string(status));
}

}  // namespace peer
