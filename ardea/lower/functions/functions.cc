#include "ardea/lower/functions/functions.h"

#include <map>

namespace ardea::lower::functions {

namespace {

using UnaryFunction = Expr (*)(Terms&, const Expr&);
using BinaryFunction = Expr (*)(Terms&, const Expr&, const Expr&);

const std::map<std::string, UnaryFunction>& unary_functions() {
  static const std::map<std::string, UnaryFunction> table = {
      {"exp", exp_of},   {"exp2", exp2_of}, {"exp10", exp10_of}, {"expm1", expm1_of},
      {"log", log_of},   {"log2", log2_of}, {"log10", log10_of}, {"log1p", log1p_of},
      {"tanh", tanh_of}, {"erf", erf_of},   {"sin", sin_of},     {"cos", cos_of},
      {"tan", tan_of},   {"asin", asin_of}, {"acos", acos_of},   {"atan", atan_of},
      {"sinh", sinh_of}, {"cosh", cosh_of}, {"rsqrt", rsqrt_of}, {"sigmoid", sigmoid_of},
  };
  return table;
}

const std::map<std::string, BinaryFunction>& binary_functions() {
  static const std::map<std::string, BinaryFunction> table = {{"pow", pow_of}, {"atan2", atan2_of}};
  return table;
}

bool has_fused_multiply_add(const target::Target& target) {
  return target.arch == target::Arch::aarch64 || target.arch == target::Arch::nvptx64 || target.has("fma");
}

/// Whole registers only: a loop over scalars is for LLVM to vectorise, which does not look through
/// instructions of one machine.
bool has_scaling(DataType type, const target::Target& target) {
  if (target.arch != target::Arch::x86_64 || !type.is_vector()) return false;
  const int bits = type.bits * type.lanes;
  return (bits == 512 && target.has("avx512f")) || ((bits == 256 || bits == 128) && target.has("avx512vl"));
}

bool has_tables(DataType type, const target::Target& target) {
  return target.arch == target::Arch::x86_64 && target.has("avx512f") && type == float32.with_lanes(16);
}

}  // namespace

Expr expressed(const std::string& name, const std::vector<Expr>& arguments, const target::Target& target) {
  const auto unary = unary_functions().find(name);
  const auto binary = binary_functions().find(name);
  if (unary == unary_functions().end() && binary == binary_functions().end()) return {};
  const DataType type = arguments[0].type();
  const bool fused = has_fused_multiply_add(target);
  // Without a fused operation float32 has no exact products; float64 holds them all, and is rounded once.
  const bool widened = type.bits == 32 && !fused && name != "rsqrt";
  const DataType computed = widened ? float64.with_lanes(type.lanes) : type;
  Terms t(computed, {.fused = fused,
                     .scaling = has_scaling(computed, target),
                     .in_pairs = target.arch == target::Arch::aarch64,
                     .tables = has_tables(computed, target)});
  std::vector<Expr> kept;
  for (const Expr& x : arguments) kept.push_back(t.keep("argument", make_cast(computed, x)));
  const Expr result =
      unary != unary_functions().end() ? unary->second(t, kept[0]) : binary->second(t, kept[0], kept[1]);
  return make_cast(type, t.finish(result));
}

}  // namespace ardea::lower::functions
