#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ardea/runtime/cuda/device.h"
#include "ardea/runtime/cuda/tensor_box.h"
#include "ardea/runtime/function.h"

/// What the host's part of a GPU program calls: it gets a Launcher as its last argument and passes it on.

namespace ardea::runtime::cuda {

/// How a kernel is launched, but for its grid.
struct KernelPlan {
  std::string name;
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t shared_bytes = 0;
  std::vector<DataType> arguments = {};  ///< handles are arrays
  std::vector<TensorBox> boxes = {};     ///< arguments behind these
  /// It waits itself for the kernels that the call has launched before it: it may begin when they still run.
  bool begins_early = false;
};

/// What a kernel takes of the machine, as the driver's assembler made it.
struct KernelResources {
  std::string name;
  int registers = 0;    ///< of a thread
  int local_bytes = 0;  ///< of a thread: what it spills, or picks by an index
};

/// The functions that generated code finds by these names (registry.h):
///   launch_function(launcher, which kernel, grid x, y, z, the kernel's arguments…)
///   workspace_function(launcher, bytes) → memory of the device until the call has ended
inline constexpr const char* launch_function = "ardea.cuda.launch";
inline constexpr const char* workspace_function = "ardea.cuda.workspace";

/// Loaded kernels, and the stream and the memory of the call that runs.
class Launcher {
 public:
  /// Error where the device cannot load the code, or has not the memory that a block asks for.
  Launcher(const std::string& cubin, std::vector<KernelPlan> kernels);
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Calls the host's part with `arguments` and this launcher, its launches on `stream`: one at a time, which
  /// may come from any thread. Returns when all is launched, not when it is done.
  void call(const Function& host, std::span<const Value> arguments, Stream stream);

  std::vector<KernelResources> resources() const;

  // What the registered functions do.
  void launch(std::size_t kernel, const std::array<std::int64_t, 3>& grid, std::span<const Value> arguments);
  void* workspace(std::int64_t bytes);

 private:
  struct Loaded {
    KernelPlan plan;
    Kernel kernel = nullptr;
  };
  struct Workspace {
    std::int64_t bytes = 0;
    std::shared_ptr<void> memory;
  };

  ModuleHandle module_ = nullptr;
  std::vector<Loaded> kernels_;
  std::mutex calls_;
  Stream stream_ = nullptr;
  /// One a request of a call, in their order: the next call asks for the same.
  std::vector<Workspace> workspaces_;
  std::size_t requested_ = 0;
  bool has_launched_ = false;  ///< in this call
};

}  // namespace ardea::runtime::cuda
