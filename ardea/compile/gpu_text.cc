#include <cstring>

#include "ardea/compile/c_text.h"
#include "ardea/compile/standalone.h"
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
  std::string plans;
  for (const runtime::cuda::KernelPlan& plan : kernels)
    plans += fmt::format("    {{{}, {{{}, {}, {}}}, {}, {}, NULL}},\n", in_quotes(plan.name), plan.block[0],
                         plan.block[1], plan.block[2], plan.shared_bytes, in_quotes(argument_letters(plan)));
  const std::string name = gpu_code_name(f);
  return fmt::format(
      "/* The kernels of {0}, compiled for {1}. */\n"
      "static const uint64_t {2}_cubin[] = {{{3}\n}};\n"
      "static ArdeaGpuKernel {2}_kernels[] = {{\n{4}}};\n"
      "static ArdeaGpuCode {2} = {{{5}, {6}, {2}_cubin, {2}_kernels, {7}, NULL, 0, NULL}};\n\n",
      f.name(), architecture, name, words_of(cubin), plans, in_quotes(f.name()),
      in_quotes("its kernels for " + architecture), kernels.size());
}

std::string gpu_runtime() {
  // Shared by both: the length of a sentence.
  return "#define ARDEA_SENTENCE_BYTES 2048\n" + std::string(standalone::gpu);
}

}  // namespace ardea::compile
