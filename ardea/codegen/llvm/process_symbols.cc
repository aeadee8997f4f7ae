#include "ardea/codegen/llvm/process_symbols.h"

// The C names: std::exp is a set of overloads without an address.
#include <math.h>    // NOLINT(modernize-deprecated-headers)
#include <string.h>  // NOLINT(modernize-deprecated-headers)

#include <vector>

#include "ardea/runtime/abi.h"

namespace ardea::codegen {

namespace {

template <class F>
ProcessSymbol symbol(std::string_view name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

using OneNumber = double(double);
using OneFloat = float(float);
using TwoNumbers = double(double, double);
using TwoFloats = float(float, float);

std::vector<ProcessSymbol> all_symbols() {
  std::vector<ProcessSymbol> all = {
      symbol("ardea_set_error", ardea_set_error),
      symbol("ardea_set_error_format", ardea_set_error_format),
      symbol("ardea_allocate", ardea_allocate),
      symbol("ardea_free", ardea_free),
      symbol("ardea_parallel_for", ardea_parallel_for),
      symbol("ardea_call_registered", ardea_call_registered),
      symbol("ardea_request_tiles", ardea_request_tiles),
      symbol<void*(void*, const void*, size_t)>("memcpy", memcpy),
      symbol<void*(void*, const void*, size_t)>("memmove", memmove),
      symbol<void*(void*, int, size_t)>("memset", memset),
      // Where the target has no such instruction.
      symbol<double(double, double, double)>("fma", fma),
      symbol<float(float, float, float)>("fmaf", fmaf),
      symbol<double(double, int)>("ldexp", ldexp),
      symbol<float(float, int)>("ldexpf", ldexpf),
  };
  const auto add = [&](std::string_view name, OneNumber* of_double, std::string_view float_name,
                       OneFloat* of_float) {
    all.push_back(symbol(name, of_double));
    all.push_back(symbol(float_name, of_float));
  };
  const auto add_pair = [&](std::string_view name, TwoNumbers* of_double, std::string_view float_name,
                            TwoFloats* of_float) {
    all.push_back(symbol(name, of_double));
    all.push_back(symbol(float_name, of_float));
  };
  add("exp", ::exp, "expf", ::expf);
  add("exp2", ::exp2, "exp2f", ::exp2f);
  add("exp10", ::exp10, "exp10f", ::exp10f);
  add("expm1", ::expm1, "expm1f", ::expm1f);
  add("log", ::log, "logf", ::logf);
  add("log2", ::log2, "log2f", ::log2f);
  add("log10", ::log10, "log10f", ::log10f);
  add("log1p", ::log1p, "log1pf", ::log1pf);
  add("tanh", ::tanh, "tanhf", ::tanhf);
  add("erf", ::erf, "erff", ::erff);
  add("sin", ::sin, "sinf", ::sinf);
  add("cos", ::cos, "cosf", ::cosf);
  add("tan", ::tan, "tanf", ::tanf);
  add("asin", ::asin, "asinf", ::asinf);
  add("acos", ::acos, "acosf", ::acosf);
  add("atan", ::atan, "atanf", ::atanf);
  add("sinh", ::sinh, "sinhf", ::sinhf);
  add("cosh", ::cosh, "coshf", ::coshf);
  add("floor", ::floor, "floorf", ::floorf);
  add("ceil", ::ceil, "ceilf", ::ceilf);
  add("trunc", ::trunc, "truncf", ::truncf);
  add("round", ::round, "roundf", ::roundf);
  add("nearbyint", ::nearbyint, "nearbyintf", ::nearbyintf);
  add_pair("pow", ::pow, "powf", ::powf);
  add_pair("atan2", ::atan2, "atan2f", ::atan2f);
  add_pair("fmod", ::fmod, "fmodf", ::fmodf);
  return all;
}

}  // namespace

std::span<const ProcessSymbol> process_symbols() {
  static const std::vector<ProcessSymbol> all = all_symbols();
  return all;
}

}  // namespace ardea::codegen
