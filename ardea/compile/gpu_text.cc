#include <cstring>

#include "ardea/compile/c_text.h"
#include "ardea/compile/standalone.h"
#include "ardea/compile/tensor_boxes.h"
#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

/// A letter an argument, as standalone/gpu.c reads them.
std::string argument_letters(const runtime::cuda::KernelPlan& plan) {
  std::string letters;
  for (const DataType type : plan.arguments)
    letters += type.is_handle() ? 'p' : type == float32 ? 'f' : type == float64 ? 'd' : 'i';
  return letters;
}

/// As standalone/gpu.c has them.
std::string boxes_of(const runtime::cuda::KernelPlan& plan) {
  std::string text;
  for (const runtime::cuda::TensorBox& box : plan.boxes)
    text += fmt::format("    {{{}, {}}},\n", box.argument, initialiser(runtime::cuda::numbers_of(box)));
  return text;
}

std::string words_of(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    text += fmt::format("{}0x{:x}u,", at % 64 == 0 ? "\n  " : " ", word);
  }
  return text;
}

}  // namespace

std::string gpu_code_name(const CFunction& f) { return f.name() + "_gpu_code"; }

std::string gpu_code(const CFunction& f, const std::vector<runtime::cuda::KernelPlan>& kernels,
                     const std::string& cubin, const std::string& architecture) {
  const std::string name = gpu_code_name(f);
  std::string plans, boxes;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const runtime::cuda::KernelPlan& plan = kernels[i];
    const std::string of_kernel = plan.boxes.empty() ? "NULL" : fmt::format("{}_boxes_{}", name, i);
    if (!plan.boxes.empty())
      boxes += fmt::format("static const ArdeaGpuBox {}[] = {{\n{}}};\n", of_kernel, boxes_of(plan));
    plans += fmt::format("    {{{}, {{{}, {}, {}}}, {}, {}, {}, {}, {}, NULL}},\n", in_quotes(plan.name),
                         plan.block[0], plan.block[1], plan.block[2], plan.shared_bytes,
                         in_quotes(argument_letters(plan)), of_kernel, plan.boxes.size(),
                         plan.begins_early ? 1 : 0);
  }
  return fmt::format(
      "/* The kernels of {0}, compiled for {1}. */\n"
      "static const uint64_t {2}_cubin[] = {{{3}\n}};\n"
      "{8}static ArdeaGpuKernel {2}_kernels[] = {{\n{4}}};\n"
      "static ArdeaGpuCode {2} = {{{5}, {6}, {2}_cubin, {2}_kernels, {7}, NULL, 0, NULL}};\n\n",
      f.name(), architecture, name, words_of(cubin), plans, in_quotes(f.name()),
      in_quotes("its kernels for " + architecture), kernels.size(), boxes);
}

std::string gpu_runtime() {
  // Shared by both: the length of a sentence.
  return "#define ARDEA_SENTENCE_BYTES 2048\n" + std::string(standalone::gpu);
}

}  // namespace ardea::compile
