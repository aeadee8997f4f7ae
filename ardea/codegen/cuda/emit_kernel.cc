#include "ardea/codegen/c/liveness.h"
#include "ardea/codegen/cuda/emitter.h"
#include "ardea/codegen/cuda/fenced_barriers.h"
#include "ardea/ir/print.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/gpu/early_kernels.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// The head of a kernel: its parameters, its indices, its shared memory.

namespace ardea::codegen::cuda {

std::string type_name(DataType type) {
  if (type.is_bool()) return "bool";
  if (type.is_integer()) return fmt::format("{}int{}_t", type.is_uint() ? "u" : "", type.bits);
  if (type.is_handle()) return "void*";
  if (type == bfloat16) return "__nv_bfloat16";
  ensure(type.code == TypeCode::floating, "the CUDA backend met {}, which legalise_types removes",
         to_string(type));
  return type.bits == 16 ? "__half" : type.bits == 32 ? "float" : "double";
}

Emitter::Emitter(const lower::Kernel& kernel, const std::unordered_map<Var, std::int64_t>& alignments,
                 const arith::Analyzer& facts, Helpers& helpers)
    : kernel_(kernel),
      alignments_(alignments),
      helpers_(helpers),
      fenced_barriers_(fenced_barriers(kernel.launch.body)),
      live_(c::variables_read(kernel.launch.body)),
      names_(Helpers::taken_names()),
      facts_(facts) {}

std::string Emitter::run() {
  define_memory();
  std::vector<std::string> parameters;
  for (const Var& var : kernel_.arguments) parameters.push_back(parameter(var));
  for (std::size_t i = 0; i < kernel_.boxes.size(); ++i)
    parameters.push_back(
        fmt::format("const __grid_constant__ {} {}{}", helpers_.need("TensorMap"), tensor_map_name, i));
  emit_indices(kernel_.launch.blocks);
  emit_indices(kernel_.launch.threads);
  emit_shared_memory();
  emit_beside_other_kernels();
  emit_to_its_end(kernel_.launch.body);

  const auto size = [](const Expr& extent) {
    const auto number = constant_int(extent);
    return number ? std::to_string(*number) : print(extent);
  };
  const auto sizes = [&](const std::array<Expr, 3>& extents) {
    return fmt::format("({}, {}, {})", size(extents[0]), size(extents[1]), size(extents[2]));
  };
  std::int64_t threads = 1;
  for (const Expr& extent : kernel_.block) threads *= constant_int(extent).value();
  std::string text = fmt::format("// grid {}, block {}, {} bytes of dynamic shared memory\n",
                                 sizes(kernel_.grid), sizes(kernel_.block), kernel_.shared_bytes);
  text += c::broken_line(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", threads,
                                     kernel_.name, join(parameters, ", "))) +
          "\n";
  for (const std::string& one : lines_) text += c::broken_line(one) + "\n";
  return text + "}\n";
}

void Emitter::define_memory() {
  const auto note = [&](const Buffer& buffer) {
    const auto [at, is_new] = memory_.try_emplace(buffer->data, Memory{false, false, buffer->type.element()});
    at->second.is_bytes = at->second.is_bytes || !(at->second.type == buffer->type.element());
  };
  for (const Buffer& buffer : buffers_in(kernel_.launch.body)) note(buffer);
  define_memory_of_calls();
  for (const Var& var : lower::memory_written(kernel_.launch.body)) memory_[var].is_written = true;
}

std::string Emitter::parameter(const Var& var) {
  const std::string name = names_.define(var);
  if (!var.type().is_handle()) return fmt::format("const {} {}", type_name(var.type()), name);
  // Arrays that are written overlap no others (docs/semantics.md). Of what another kernel may still be at
  // work on that must not be said: the compiler could read it before the wait, which it knows to be no access
  // of it.
  const Memory& memory = memory_[var];
  return fmt::format("{}{}* {}{}", memory.is_written ? "" : "const ",
                     memory.is_bytes ? "unsigned char" : type_name(memory.type),
                     kernel_.awaited.contains(var) ? "" : "__restrict__ ", name);
}

void Emitter::emit_indices(const std::vector<For>& loops) {
  for (const For& loop : loops) {
    if (!live_.contains(loop.var)) continue;
    const std::string type = type_name(loop.var.type());
    line(fmt::format("const {} {} = ({}){};", type, names_.define(loop.var), type, loop.thread));
    ranges_.define_loop(loop.var, loop.min, loop.extent);
    facts_.bind(loop.var, {loop.min, loop.extent});
  }
}

void Emitter::emit_shared_memory() {
  if (kernel_.shared.empty()) return;
  // As any kernel may need: those of one text declare the same array.
  line(fmt::format("extern __shared__ __align__({}) unsigned char shared_memory[];",
                   swizzled_rows_alignment_bytes));
  for (const auto& [allocation, first_byte] : kernel_.shared) {
    const auto memory = memory_.find(allocation.data);
    if (memory == memory_.end()) continue;
    const std::string type = memory->second.is_bytes ? "unsigned char" : type_name(memory->second.type);
    const std::string at =
        first_byte == 0 ? "shared_memory" : fmt::format("(shared_memory + {})", first_byte);
    line(fmt::format("{0}* const {1} = ({0}*){2};", type, names_.define(allocation.data), at));
  }
  if (!kernel_.boxes.empty())
    line(fmt::format("{} landings(shared_memory + {});", helpers_.need("Landings"),
                     kernel_.landings_first_byte));
}

/// A kernel that waits itself calls the next one behind that, so that of any two kernels that run beside each
/// other one follows the other, and all those before have ended. Where none is called it begins as this one's
/// last block leaves.
void Emitter::emit_beside_other_kernels() {
  for (const auto& [is_wanted, helper] : {std::pair(kernel_.begins_early, "wait_for_kernels_before"),
                                          std::pair(kernel_.calls_next, "call_next_kernel")})
    if (is_wanted) line(helpers_.need(helper) + "();");
}

}  // namespace ardea::codegen::cuda
