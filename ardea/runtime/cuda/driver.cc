#include "ardea/runtime/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>

#include "ardea/support/error.h"

namespace ardea::runtime::cuda {

namespace {

struct Loaded {
  Driver functions{};
  std::string fault;  ///< why there are none
};

Loaded load() {
  Loaded loaded;
  const char* const chosen = std::getenv("ARDEA_CUDA_DRIVER");
  const char* const name = chosen != nullptr ? chosen : "libcuda.so.1";
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.fault = fmt::format("{} is not on this machine, it comes with NVIDIA's driver", name);
    return loaded;
  }
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && loaded.fault.empty())
      loaded.fault =
          fmt::format("{} has no {}: its driver is too old, install one for CUDA 12 or later", name, symbol);
  };
  Driver& d = loaded.functions;
  find(d.init, "cuInit");
  find(d.driver_version, "cuDriverGetVersion");
  find(d.error_name, "cuGetErrorName");
  find(d.error_sentence, "cuGetErrorString");
  find(d.device_count, "cuDeviceGetCount");
  find(d.device, "cuDeviceGet");
  find(d.device_name, "cuDeviceGetName");
  find(d.device_attribute, "cuDeviceGetAttribute");
  find(d.retain_context, "cuDevicePrimaryCtxRetain");
  find(d.set_context, "cuCtxSetCurrent");
  find(d.free_and_total_memory, "cuMemGetInfo_v2");
  find(d.allocate, "cuMemAlloc_v2");
  find(d.free, "cuMemFree_v2");
  find(d.copy_to_device, "cuMemcpyHtoDAsync_v2");
  find(d.copy_to_host, "cuMemcpyDtoHAsync_v2");
  find(d.fill_bytes, "cuMemsetD8Async");
  find(d.create_stream, "cuStreamCreate");
  find(d.destroy_stream, "cuStreamDestroy_v2");
  find(d.wait_for_stream, "cuStreamSynchronize");
  find(d.begin_capture, "cuStreamBeginCapture_v2");
  find(d.end_capture, "cuStreamEndCapture");
  find(d.instantiate, "cuGraphInstantiateWithFlags");
  find(d.launch_graph, "cuGraphLaunch");
  find(d.destroy_graph, "cuGraphDestroy");
  find(d.destroy_exec, "cuGraphExecDestroy");
  find(d.create_event, "cuEventCreate");
  find(d.record_event, "cuEventRecord");
  find(d.wait_for_event, "cuEventSynchronize");
  find(d.elapsed_ms, "cuEventElapsedTime");
  find(d.destroy_event, "cuEventDestroy_v2");
  find(d.load_module, "cuModuleLoadData");
  find(d.unload_module, "cuModuleUnload");
  find(d.find_kernel, "cuModuleGetFunction");
  find(d.kernel_attribute, "cuFuncGetAttribute");
  find(d.set_kernel_attribute, "cuFuncSetAttribute");
  find(d.launch, "cuLaunchKernel");
  d.encode_box = reinterpret_cast<decltype(d.encode_box)>(dlsym(library, "cuTensorMapEncodeTiled"));
  d.encode_windows = reinterpret_cast<decltype(d.encode_windows)>(dlsym(library, "cuTensorMapEncodeIm2col"));
  if (!loaded.fault.empty()) return loaded;
  int count = 0, version = 0;
  constexpr int graphs_keep_attributes = 12030;
  if (d.driver_version(&version) == 0 && version >= graphs_keep_attributes)
    d.launch_as_planned = reinterpret_cast<decltype(d.launch_as_planned)>(dlsym(library, "cuLaunchKernelEx"));
  if (const Result begun = d.init(0); begun != 0)
    loaded.fault = fmt::format("the driver cannot begin (error {})", begun);
  else if (d.device_count(&count) != 0 || count == 0)
    loaded.fault = "the driver finds no GPU";
  return loaded;
}

const Loaded& loaded() {
  static const Loaded all = load();
  return all;
}

}  // namespace

std::string why_no_gpu() { return loaded().fault; }

const Driver& driver() {
  require(loaded().fault.empty(),
          "CUDA: {}; run this on a machine with a GPU, or look at the code by `ardea show --as cuda`",
          loaded().fault);
  return loaded().functions;
}

void require_success(Result result, const std::string& call) {
  if (result == 0) return;
  const char *name = nullptr, *sentence = nullptr;
  driver().error_name(result, &name);
  driver().error_sentence(result, &sentence);
  fail("{}: the GPU's driver says {} ({})", call, sentence == nullptr ? "nothing of it" : sentence,
       name == nullptr ? std::to_string(result) : name);
}

}  // namespace ardea::runtime::cuda
