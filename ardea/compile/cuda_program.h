#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ardea/compile/compile.h"
#include "ardea/runtime/cuda/launcher.h"

/// Programs for a GPU, compiled and run: kernels by NVRTC, the host's part by LLVM.

namespace ardea::compile {

/// One function's code, as two processes may pass it on (cuda_code_file.h).
struct CudaCode {
  std::string name;                ///< of the function
  std::string source;              ///< of its kernels, as compile::cuda_source gives it
  std::string cubin;               ///< the kernels compiled
  std::int64_t spilled_bytes = 0;  ///< Cubin's; not passed on
  std::vector<runtime::cuda::KernelPlan> kernels;
  std::string host_object;  ///< the host's part, for this machine's processor
  std::size_t arguments = 0;
  std::string wrong_count;  ///< the sentence for a call with another number, in which it is {}
};

/// What a program becomes before anything is compiled: needs nothing but Ardea.
struct CudaParts {
  std::string source;  ///< of its kernels
  std::vector<runtime::cuda::KernelPlan> kernels;
  Function host;  ///< lower::host_program
};
CudaParts cuda_parts(const Function& f, const target::Target& target, const Options& options = {});

/// Needs NVRTC, no GPU. Error as compile::cuda_source, and where a kernel does not compile.
CudaCode cuda_code(const Function& f, const target::Target& target, const Options& options = {});
/// The same before NVRTC has compiled the kernels: all but the cubin.
CudaCode cuda_plan(const Function& f, const target::Target& target, const Options& options = {});

/// Error where there is no GPU here, or one that runs other code than the target's.
void require_gpu_runs(const target::Target& target);

/// A function on the GPU of this machine.
class CudaProgram {
 public:
  /// Error as require_gpu_runs.
  CudaProgram(const CudaCode& code, const target::Target& target);

  /// Launches on `stream`; arrays are the device's. Returns before the work is done.
  void launch(std::span<const runtime::Value> arguments, runtime::cuda::Stream stream) const;

  /// A function that waits for its end. Arrays of the host are copied to the device and back.
  runtime::Function function() const;

  std::vector<runtime::cuda::KernelResources> resources() const { return launcher_->resources(); }

 private:
  std::string name_, wrong_count_;
  std::size_t arguments_ = 0;
  std::shared_ptr<runtime::cuda::Launcher> launcher_;
  runtime::Function host_;
};

}  // namespace ardea::compile
