#include <fmt/core.h>

#include "ardea/codegen/c/helpers.h"
#include "ardea/codegen/c/text.h"
#include "ardea/support/error.h"

/// Floats: IEEE's minimum and maximum, conversions that saturate or go to and from float16, mathematics.

namespace ardea::codegen::c {

std::string Helpers::float_extremum(BinaryOp op, DataType t) {
  const bool least = op == BinaryOp::min;
  const std::string name = fmt::format("{}_{}", least ? "min" : "max", suffix(t));
  if (t.is_scalar())
    return define(name, R"(/* IEEE 754-2019: NaN where either is NaN, and -0 is below +0. */
static inline $T $name($T a, $T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? $Z;
  return a $O b ? a : b;
}
)",
                  {{"$T", type(t)}, {"$Z", least ? "a : b" : "b : a"}, {"$O", least ? "<" : ">"}});
  return define(name, R"(/* IEEE 754-2019: NaN where either is NaN, and -0 is below +0. */
static inline $T $name($T a, $T b) {
  const $T one = $S(($M)(a $O b), a, b);
  const $T ordered = $S(($M)(a == b), ($T)(($M)a $J ($M)b), one);
  return $S(($M)(a != a), a, ordered);
}
)",
                {{"$T", type(t)},
                 {"$S", select(t)},
                 {"$M", mask_type(t.bits, t.lanes)},
                 {"$J", least ? "|" : "&"},
                 {"$O", least ? "<" : ">"}});
}

std::string Helpers::scaled(DataType t) {
  const std::string name = "scaled_" + suffix(t), single = t.bits == 32 ? "f" : "";
  if (t.is_scalar())
    return define(name, R"(/* x * 2^n; beyond the limits every number has become 0 or infinite. */
static inline $T $name($T x, $T n) {
  if (n != n) return n;
  return ldexp$S(x, n < -5000 ? -5000 : n > 5000 ? 5000 : (int)n);
}
)",
                  {{"$T", type(t)}, {"$S", single}});
  const int bits = t.bits * t.lanes;
  const std::string lanes = lanewise("lanes_" + name, scaled(t.element()), t, t, 2);
  if (bits != 512 && bits != 256 && bits != 128) return lanes;
  return define(name, R"(static inline $T $name($T x, $T n) {
#ifdef $F
  return ($T)__builtin_ia32_scalef$P$B_mask(x, n, x, -1$R);
#else
  return $L(x, n);
#endif
}
)",
                {{"$T", type(t)},
                 {"$F", bits == 512 ? "__AVX512F__" : "__AVX512VL__"},
                 {"$P", t.bits == 32 ? "ps" : "pd"},
                 {"$B", std::to_string(bits)},
                 {"$R", bits == 512 ? ", 4" : ""},
                 {"$L", lanes}});
}

std::string Helpers::conversion(DataType from, DataType to) {
  if (from.is_vector())
    return lanewise(fmt::format("{}_to_{}", suffix(from), suffix(to)),
                    conversion(from.element(), to.element()), to, from, 1);
  if (from == float16 || to == float16) return half_conversion(from, to);
  const int digits = to.is_int() ? to.bits - 1 : to.bits;
  const std::string beyond = fmt::format("0x1p{}{}", digits, from.bits == 32 ? "f" : "");
  const std::string limit = fmt::format("{}INT{}", to.is_int() ? "" : "U", to.bits);
  return define(fmt::format("{}_to_{}", suffix(from), suffix(to)),
                R"(/* Towards zero, and to the nearest end of the range; NaN is 0. */
static inline $T $name($F x) {
  if (x != x) return 0;
  if (x <= $L) return $M;
  return x >= $B ? $X_MAX : ($T)x;
}
)",
                {{"$T", type(to)},
                 {"$F", type(from)},
                 {"$L", to.is_int()       ? "-" + beyond
                        : from.bits == 32 ? "0.0f"
                                          : "0.0"},
                 {"$M", to.is_int() ? limit + "_MIN" : "0"},
                 {"$B", beyond},
                 {"$X", limit}});
}

std::string Helpers::half_conversion(DataType from, DataType to) {
  if (from == float16) {
    ensure(to == float32, "float16 converts to float32 first");
    return define("float16_to_float32", R"(static inline float $name(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
  const uint32_t normal = (magnitude << 13) + (112u << 23), special = magnitude << 13 | 0x7f800000u;
  const float tiny = (float)magnitude * 0x1p-24f; /* below the normal numbers the bits count steps of 2^-24 */
  uint32_t bits = magnitude >= 0x7c00 ? special : normal;
  if (magnitude < 0x0400) memcpy(&bits, &tiny, sizeof bits);
  bits |= sign;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
)");
  }
  if (from == float32)
    return define("float32_to_float16", R"(/* To the nearest, ties to even. */
static inline uint16_t $name(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  float small;
  memcpy(&small, &magnitude, sizeof small);
  small += 0.5f; /* its last place is 2^-24: the sum is rounded to steps of the subnormal numbers */
  uint32_t tiny;
  memcpy(&tiny, &small, sizeof tiny);
  uint32_t half = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  if (magnitude < 113u << 23) half = tiny - 0x3f000000;
  if (magnitude >= 0x477ff000) half = 0x7c00; /* from 65520 on the nearest is infinity */
  if (magnitude > 0x7f800000) half = 0x7e00;
  return (uint16_t)(half | sign);
}
)");
  ensure(from == float64, "wide types convert to float16 through float64");
  return define(
      "float64_to_float16",
      R"(/* Through the float beside x whose last bit is odd, so that the second rounding sees where x was. */
static inline uint16_t $name(double x) {
  float nearest = (float)x;
  if (nearest != x && x == x) {
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    bits = (bits - (fabs((double)nearest) > fabs(x))) | 1;
    memcpy(&nearest, &bits, sizeof nearest);
  }
  return $F(nearest);
}
)",
      {{"$F", half_conversion(float32, float16)}});
}

std::string Helpers::math(const std::string& name, int arity, DataType t) {
  std::string scalar = name + (t.bits == 32 ? "f" : "");
  if (name == "exp10")
    scalar =
        define("exp10_" + suffix(t.element()), "static inline $T $name($T x) { return ($T)pow(10.0, x); }\n",
               {{"$T", type(t.element())}});
  return t.is_scalar() ? scalar : lanewise(name + "_" + suffix(t), scalar, t, t, arity);
}

std::string Helpers::reinterpret(DataType from, DataType to) {
  return define(fmt::format("{}_as_{}", suffix(from), suffix(to)), R"(static inline $T $name($F x) {
  $T out$Z;
  memcpy(&out, &x, $N);
  return out;
}
)",
                {{"$T", type(to)},
                 {"$F", type(from)},
                 {"$Z", to.is_vector() ? " = {0}" : ""},
                 {"$N", std::to_string(from.bytes())}});
}

}  // namespace ardea::codegen::c
