#include "ardea/codegen/cuda/codegen_cuda.h"

#include <algorithm>
#include <set>

#include "ardea/codegen/cuda/emitter.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::codegen {

namespace {

/// NVRTC has no headers of the host's: what the text uses of them.
const char* const declarations = R"(
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INT64_C(value) value##ll
#define UINT64_C(value) value##ull
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807ll - 1)
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#else
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#endif
)";

std::string in_comment(const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    if (!one.empty() && !one.starts_with("# from tvm")) out += "//   " + one + "\n";
    begin = end + 1;
  }
  return out;
}

std::string heading(std::span<const Function> functions, const target::Target& target,
                    const Options& options) {
  std::vector<std::string> names;
  for (const Function& f : functions) names.push_back(f.name);
  return fmt::format(
      "// {}: CUDA C++ by Ardea, for {}.\n"
      "// Compile with nvcc -std=c++17 -arch={}{}, or by NVRTC with the same.\n",
      join(names, ", "), target.name, target.cpu,
      options.contract ? ""
                       : " -fmad=false, which keeps every rounding: the answers are the interpreter's bits");
}

}  // namespace

std::string cuda_source(std::span<const Function> functions, const target::Target& target,
                        const Options& options) {
  require(target.kind == target::Kind::cuda,
          "target {}: CUDA C++ is for GPUs, this is {}; choose one, such as h200", target.name,
          target::to_string(target.kind));
  cuda::Helpers helpers;
  std::string text = heading(functions, target, options), kernels;
  std::set<std::string> names;
  for (const Function& f : functions) {
    require(names.insert(f.name).second, "two functions are called {}; rename one", f.name);
    require(c::is_identifier(f.name),
            "function {}: CUDA C++ needs a name of letters, digits and _; rename it", in_quotes(f.name));
    const lower::SplitProgram program = lower::split_kernels(f, target);
    const auto alignments = memory_alignments(f);
    text += "// On the host, whose calls are launches:\n" + in_comment(print(program.host));
    for (const lower::Kernel& kernel : program.kernels)
      kernels += "\n" + cuda::Emitter(kernel, alignments, arith::facts_of(f), helpers).run();
  }
  return text + declarations + helpers.includes() + helpers.text() + kernels;
}

}  // namespace ardea::codegen
