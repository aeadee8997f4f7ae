#include "ardea/compile/cuda_program.h"

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/codegen/llvm/codegen.h"
#include "ardea/compile/lowered.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/compile/tensor_boxes.h"
#include "ardea/ir/wrong_arguments.h"
#include "ardea/lower/gpu/host_program.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

namespace ardea::compile {

namespace {

std::vector<runtime::cuda::KernelPlan> plans_of(const lower::SplitProgram& program) {
  std::vector<runtime::cuda::KernelPlan> plans;
  for (const lower::Kernel& kernel : program.kernels) {
    runtime::cuda::KernelPlan plan{.name = kernel.name, .shared_bytes = kernel.shared_bytes};
    for (std::size_t axis = 0; axis < 3; ++axis) plan.block[axis] = constant_int(kernel.block[axis]).value();
    for (const Var& argument : kernel.arguments) plan.arguments.push_back(argument.type());
    plan.boxes = tensor_boxes(kernel);
    plan.begins_early = kernel.begins_early;
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

CudaParts cuda_parts(const Function& f, const target::Target& target, const Options& options) {
  require_gpu(target);
  const Function lowered = lowered_for(Module{{}, {f}}, target, options).front();
  const lower::SplitProgram program = lower::split_kernels(lowered, target);
  return {.source = codegen::cuda_source(std::vector{lowered}, target, codegen_options(options)),
          .kernels = plans_of(program),
          .host = lower::host_program(program)};
}

CudaCode cuda_plan(const Function& f, const target::Target& target, const Options& options) {
  CudaParts parts = cuda_parts(f, target, options);
  CudaCode code{.name = f.name,
                .source = std::move(parts.source),
                .cubin = {},
                .kernels = std::move(parts.kernels),
                .host_object = {},
                .arguments = f.parameters.size(),
                .wrong_count = WrongArguments(f).count("{}")};
  const TimedSection timed("cuda", "host");
  // It launches: to optimise it would take longer than it ever runs.
  code.host_object = codegen::object_code(std::vector{parts.host}, target::host(),
                                          {.contract = options.contract, .optimization_level = 0});
  return code;
}

CudaCode cuda_code(const Function& f, const target::Target& target, const Options& options) {
  CudaCode code = cuda_plan(f, target, options);
  Cubin made = cubin_of(code.source, target.cpu, options.contract);
  code.cubin = std::move(made.code);
  code.spilled_bytes = made.spilled_bytes;
  return code;
}

// "sm_90a" runs on compute capability 9.0 alone, "sm_80" on 8.0 and what follows it.
void require_gpu_runs(const target::Target& target) {
  const runtime::cuda::Device& device = runtime::cuda::device();
  const std::string& cpu = target.cpu;
  const int wanted = std::stoi(cpu.substr(cpu.find('_') + 1));
  const bool runs = cpu.ends_with('a') ? device.compute_capability == wanted
                                       : device.compute_capability / 10 == wanted / 10 &&
                                             device.compute_capability >= wanted;
  require(runs,
          "target {}: its code is for {}, and {} here is of compute capability {}.{}; choose its target",
          target.name, cpu, device.name, device.compute_capability / 10, device.compute_capability % 10);
}

CudaProgram::CudaProgram(const CudaCode& code, const target::Target& target)
    : name_(code.name), wrong_count_(code.wrong_count), arguments_(code.arguments) {
  require_gpu_runs(target);
  launcher_ = std::make_shared<runtime::cuda::Launcher>(code.cubin, code.kernels);
  host_ = codegen::load_object("module", code.host_object, std::vector{code.name}, target::host())
              .get_function(code.name);
}

void CudaProgram::launch(std::span<const runtime::Value> arguments, runtime::cuda::Stream stream) const {
  // Here, because the host's part has one more.
  require(arguments.size() == arguments_, "{}", fmt::format(fmt::runtime(wrong_count_), arguments.size()));
  launcher_->call(host_, arguments, stream);
}

runtime::Function CudaProgram::function() const {
  const auto stream = std::make_shared<runtime::cuda::OwnStream>();
  return {name_, [program = *this, stream](std::string_view name, std::span<const runtime::Value> arguments) {
            std::vector<runtime::Value> on_device(arguments.begin(), arguments.end());
            std::vector<std::pair<runtime::Array, runtime::Array>> copies;  // device, host
            for (runtime::Value& value : on_device) {
              const auto* array = std::get_if<runtime::Array>(&value.storage());
              if (array == nullptr || !array->is_on_host() || !array->is_contiguous()) continue;
              const runtime::Array host = *array;
              copies.emplace_back(runtime::cuda::to_device(host), host);
              value = copies.back().first;
            }
            program.launch(on_device, stream->get());
            stream->wait(std::string(name));
            for (const auto& [device, host] : copies) runtime::cuda::copy_to_host(device, host);
            return runtime::Value();
          }};
}

}  // namespace ardea::compile
