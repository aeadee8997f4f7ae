#include "ardea/compile/cuda_file.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/codegen/c/codegen_c.h"
#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/lowered.h"
#include "ardea/compile/roles.h"
#include "ardea/compile/standalone.h"
#include "ardea/compile/tensor_boxes.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/split_kernels.h"
#include "ardea/runtime/dlpack.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

std::int64_t elements_of(const Buffer& buffer, const Function& f) {
  std::int64_t count = 1;
  for (const Expr& extent : buffer->shape) {
    const auto size = constant_int(extent);
    require(size && *size > 0,
            "{}: a .cu file calls the program itself, and the size {} of {} is only known to a call; write "
            "numbers, or ask for so, c and h",
            f.name, print(extent), buffer->name);
    count *= *size;
  }
  return count;
}

/// What the host does: launches, and memory between them.
class Launches {
 public:
  Launches(const lower::SplitProgram& program, const Function& f) : program_(program) {
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
      names_[program.host.parameters[i].buffer->data] = fmt::format("arrays[{}]", i);
  }

  std::string run() {
    visit_stmts(program_.host.body, [&](const Stmt& s) {
      require(
          !s.is<For>() && !s.is<If>() && !s.is<LetStmt>(),
          "{}: a .cu file has launches in a row, and this program chooses among them on the host; ask for "
          "so, c and h",
          program_.host.name);
      if (const auto* allocate = s.as<Allocate>()) add_memory(*allocate);
      if (const auto* evaluate = s.as<Evaluate>()) add_launch(*evaluate);
    });
    return "static void launch(void* const* arrays, cudaStream_t stream) {\n" + memory_ + launches_ + "}\n\n";
  }

 private:
  void add_memory(const Allocate& allocate) {
    std::int64_t elements = 1;
    for (const Expr& extent : allocate.extents) elements *= constant_int(extent).value();
    const std::string name = fmt::format("between_{}", names_.size());
    names_[allocate.data] = name;
    memory_ += fmt::format(
        "  static void* {0} = nullptr;\n"
        "  if ({0} == nullptr) require_success(cudaMalloc(&{0}, {1}), \"memory between kernels\");\n",
        name, allocate.type.bytes(elements));
  }

  void add_launch(const Evaluate& evaluate) {
    const auto* call = evaluate.value.as<Call>();
    if (call == nullptr || call->op->name != "call_registered") return;
    const std::string& name = call->arguments[0].as<StringImm>()->value;
    for (const lower::Kernel& kernel : program_.kernels) {
      if (kernel.name != name) continue;
      std::vector<std::string> values, addresses;
      for (const Var& argument : kernel.arguments) {
        addresses.push_back(fmt::format("&argument_{}", values.size()));
        values.push_back(fmt::format("    void* argument_{} = {};\n", values.size(), names_.at(argument)));
      }
      std::size_t maps = 0;
      for (const runtime::cuda::TensorBox& box : tensor_boxes(kernel)) {
        values.push_back(fmt::format("    TensorMap map_{} = encoded_box(argument_{}, {});\n", maps,
                                     box.argument, initialiser(runtime::cuda::numbers_of(box))));
        addresses.push_back(fmt::format("&map_{}", maps++));
      }
      const auto sizes = [](const std::array<Expr, 3>& extents) {
        return fmt::format("dim3({}, {}, {})", constant_int(extents[0]).value(),
                           constant_int(extents[1]).value(), constant_int(extents[2]).value());
      };
      launches_ += fmt::format(
          "  {{\n{0}    void* addresses[] = {{{1}}};\n"
          "    require_success(cudaFuncSetAttribute({2}, cudaFuncAttributeMaxDynamicSharedMemorySize, {3}), "
          "\"{2}\");\n"
          "    require_success({6}({2}, {4}, {5}, addresses, {3}, stream), \"{2}\");\n  }}\n",
          join(values, ""), join(addresses, ", "), name, kernel.shared_bytes, sizes(kernel.grid),
          sizes(kernel.block), kernel.begins_early ? "launch_early" : "cudaLaunchKernel");
    }
  }

  const lower::SplitProgram& program_;
  std::unordered_map<Var, std::string> names_;
  std::string memory_, launches_;
};

int exponent_bits(DataType type) {
  if (!type.is_float()) return 0;
  const std::string name = to_string(type);
  if (name == "float8_e4m3") return 4;
  if (name == "float8_e5m2" || name == "float16") return 5;
  return type.bits == 64 ? 11 : 8;
}

std::string argument_table(const Function& f, const HostReference& reference) {
  const std::vector<Role> roles = argument_roles(f);
  std::string text = "static const Argument arguments[] = {\n";
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Buffer& buffer = f.parameters[i].buffer;
    const DataType type = buffer->type;
    const HostReference::Place& place = reference.places[i];
    text += fmt::format("    {{{}, '{}', {}, {}, {}, {}, {}, {}, {}}},\n", in_quotes(buffer->name),
                        type.is_float() ? 'f'
                        : type.is_int() ? 'i'
                                        : 'u',
                        type.is_bool() ? 8 : type.bits, exponent_bits(type), elements_of(buffer, f),
                        roles[i] != Role::output, roles[i] != Role::input, place.value,
                        place.bound ? static_cast<std::int64_t>(*place.bound) : -1);
  }
  return text + fmt::format("}};\nconst int reference_count = {};\n\n", reference.program.parameters.size());
}

/// The reference as C, in a namespace where its words of C are C++'s; and what calls it.
std::string reference_text(const Function& program, const Options& options) {
  const target::Target host = target::host();
  Options exact = options;
  exact.contract = false;
  exact.library_functions = true;
  const std::string c =
      codegen::c_source(lowered_for(Module{{}, {program}}, host, exact), host, {.contract = false});
  std::string tensors;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const Buffer& buffer = program.parameters[i].buffer;
    std::vector<std::string> extents;
    for (const Expr& extent : buffer->shape) extents.push_back(std::to_string(constant_int(extent).value()));
    const DLDataType type = runtime::to_dl_type(buffer->type);
    tensors += fmt::format(
        "  int64_t shape_{0}[] = {{{1}}};\n"
        "  ArdeaTensor tensor_{0} = {{arrays[{0}], 1, 0, {2}, {3}, {4}, 1, shape_{0}, nullptr, 0}};\n"
        "  values[{0}].as_pointer = &tensor_{0};\n  codes[{0}] = ARDEA_TENSOR;\n",
        i, extents.empty() ? "1" : join(extents, ", "), extents.size(), type.code, type.bits);
  }
  const std::size_t count = program.parameters.size();
  return fmt::format(
      "// ---- The program as it was written, in float64, with how far an answer may be from it. ----\n\n"
      "namespace reference {{\n#define restrict __restrict__\n#define _Alignas alignas\n"
      "#define ARDEA_ALIGNED(pointer, bytes) (pointer)\n\n{0}\n"
      "#undef restrict\n#undef _Alignas\n\n"
      "void ardea_set_error(const char* sentence) {{ std::printf(\"%s\\n\", sentence); }}\n"
      "void ardea_set_error_format(const char* format, const int64_t*, int32_t) {{ ardea_set_error(format); "
      "}}\n"
      "void* ardea_allocate(int64_t bytes, int64_t) {{ return std::malloc((size_t)(bytes > 0 ? bytes : 1)); "
      "}}\n"
      "void ardea_free(void* memory) {{ std::free(memory); }}\n"
      "int32_t ardea_parallel_for(ArdeaParallelBody body, void* closure, int64_t extent) {{\n"
      "  return body(0, extent, closure);\n}}\n"
      "int32_t ardea_call_registered(const char*, const ArdeaValue*, const int32_t*, int32_t, ArdeaValue*, "
      "int32_t*) {{\n  return 1;\n}}\n"
      "int32_t ardea_request_tiles() {{ return 1; }}\n\n"
      "static bool run(void* const* arrays) {{\n  ArdeaValue values[{1}], result;\n  int32_t codes[{1}], "
      "code = "
      "0;\n{2}  return {3}(values, codes, {1}, &result, &code) == 0;\n}}\n\n}}  // namespace reference\n\n"
      "static bool run_reference(void* const* arrays) {{ return reference::run(arrays); }}\n\n",
      c, count, tensors, codegen::entry_symbol(program.name));
}

/// What tells the unit of arrays that kernels copy boxes of: the driver's function, by way of the runtime.
std::string boxes_text(const lower::SplitProgram& program) {
  const bool has_boxes = std::any_of(program.kernels.begin(), program.kernels.end(),
                                     [](const lower::Kernel& kernel) { return !kernel.boxes.empty(); });
  if (!has_boxes) return "";
  return R"(// Numbers of cuda.h, innermost first: of an array, or of images that windows go through.
struct BoxNumbers {
  int type;
  unsigned rank;
  int swizzle, promotion, has_windows;
  uint64_t extents[5], strides[4];
  uint32_t sizes[5], steps[5];
  int lower[3], upper[3];
};

static void* driver_function(const char* name) {
  void* function = nullptr;
  require_success(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, nullptr), name);
  return function;
}

static TensorMap encoded_box(void* array, const BoxNumbers& n) {
  typedef int (*EncodeBox)(void*, int, unsigned, void*, const uint64_t*, const uint64_t*, const uint32_t*,
                           const uint32_t*, int, int, int, int);
  typedef int (*EncodeWindows)(void*, int, unsigned, void*, const uint64_t*, const uint64_t*, const int*, const int*,
                               uint32_t, uint32_t, const uint32_t*, int, int, int, int);
  static const EncodeBox encode_box = (EncodeBox)driver_function("cuTensorMapEncodeTiled");
  static const EncodeWindows encode_windows = (EncodeWindows)driver_function("cuTensorMapEncodeIm2col");
  TensorMap map;
  const int result =
      n.has_windows ? encode_windows(&map, n.type, n.rank, array, n.extents, n.strides, n.lower, n.upper, n.sizes[0],
                                     n.sizes[1], n.steps, 0, n.swizzle, n.promotion, 0)
                    : encode_box(&map, n.type, n.rank, array, n.extents, n.strides, n.sizes, n.steps, 0, n.swizzle,
                                 n.promotion, 0);
  require_success(result == 0 ? cudaSuccess : cudaErrorInvalidValue, "boxes of an array");
  return map;
}

)";
}

/// What launches kernels that wait themselves for those before them.
std::string early_launch_text(const lower::SplitProgram& program) {
  const bool is_needed = std::any_of(program.kernels.begin(), program.kernels.end(),
                                     [](const lower::Kernel& kernel) { return kernel.begins_early; });
  if (!is_needed) return "";
  return R"(// A kernel that may begin before the one before it has ended: it waits for that itself.
template <class Kernel>
static cudaError_t launch_early(Kernel* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                cudaStream_t stream) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, (const void*)kernel, arguments);
}

)";
}

/// That nvcc compiles for first: "compute_90a" of "sm_90a".
std::string virtual_architecture(const target::Target& target) {
  return "compute_" + target.cpu.substr(target.cpu.find('_') + 1);
}

}  // namespace

std::string cuda_file(const Function& f, const HostReference& reference, const target::Target& target,
                      const Options& options) {
  require_gpu(target);
  for (const Parameter& p : f.parameters) {
    require(p.buffer.defined(),
            "{}: a .cu file calls the program itself, and knows no number {}; ask for so, c and h", f.name,
            p.var.name());
    require(p.buffer->type.bits >= 8 || p.buffer->type.is_bool(),
            "{}: a .cu file has no elements of {}; ask for so, c and h", f.name, to_string(p.buffer->type));
    elements_of(p.buffer, f);
  }
  const Function lowered = lowered_for(Module{{}, {f}}, target, options).front();
  const lower::SplitProgram program = lower::split_kernels(lowered, target);
  // By -arch=sm_90a nvcc 13 compiles for compute_90, too, which has no wgmma.
  return fmt::format(
             "// Kernels, what launches them, and a check. Build and run:\n"
             "//   nvcc -std=c++17 -O2 -gencode arch={},code={} {}.cu -o {} && ./{}\n"
             "#include <cuda_runtime.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
             "#include <stdint.h>\n#include <string.h>\n\n#include <cmath>\n#include <cstdint>\n#include "
             "<cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <vector>\n\n",
             virtual_architecture(target), target.cpu, f.name, f.name, f.name) +
         codegen::cuda_source(std::vector{lowered}, target, codegen_options(options)) + "\n" +
         reference_text(reference.program, options) + std::string(standalone::gpu_check) + "\n" +
         argument_table(f, reference) + boxes_text(program) + early_launch_text(program) +
         Launches(program, f).run() + std::string(standalone::gpu_main);
}

}  // namespace ardea::compile
