#include <fmt/core.h>

#include "ardea/codegen/c/helpers.h"
#include "ardea/codegen/c/text.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// Vectors, by the extension that GCC and clang share, and memory that is read and written by bytes.

namespace ardea::codegen::c {

std::string Helpers::broadcast(DataType t) {
  const std::vector<std::string> lanes(static_cast<std::size_t>(t.lanes), "x");
  const Words words = {
      {"$T", type(t)}, {"$E", memory_type(t)}, {"$X", join(lanes, ", ")}, {"$N", std::to_string(t.lanes)}};
  if (t.lanes <= 32)
    return define("broadcast_" + suffix(t), "static inline $T $name($E x) { return ($T){$X}; }\n", words);
  return define("broadcast_" + suffix(t), R"(static inline $T $name($E x) {
  $T out = {0};
  for (int lane = 0; lane < $N; ++lane) out[lane] = x;
  return out;
}
)",
                words);
}

std::string Helpers::ramp(DataType t) {
  return define("ramp_" + suffix(t), R"(static inline $T $name($E first, $E stride) {
  $T out = {0};
  for (int lane = 0; lane < $N; ++lane) out[lane] = ($E)(($U)first + ($U)lane * ($U)stride);
  return out;
}
)",
                {{"$T", type(t)},
                 {"$E", memory_type(t)},
                 {"$U", wrapping_type(t.bits)},
                 {"$N", std::to_string(t.lanes)}});
}

std::string Helpers::select(DataType t) {
  const int bits = t.is_bool() ? 8 : t.bits;
  return define("select_" + suffix(t), R"(static inline $T $name($M mask, $T a, $T b) {
  return ($T)((mask & ($M)a) | (~mask & ($M)b));
}
)",
                {{"$T", type(t)}, {"$M", mask_type(bits, t.lanes)}});
}

std::string Helpers::lookup(DataType index, DataType table) {
  const DataType result = table.with_lanes(index.lanes);
  const Words words = {{"$R", type(result)},
                       {"$I", type(index)},
                       {"$T", type(table)},
                       {"$L", std::to_string(index.lanes)},
                       {"$N", std::to_string(table.lanes)}};
  const std::string name = "lookup_" + suffix(index) + "_" + suffix(table);
  if (index.is_scalar())
    return define(name, "static inline $R $name($I index, $T table) { return table[index & ($N - 1)]; }\n",
                  words);
  const bool fills_registers = index.bits == 32 && index.lanes == 16 && table == float32.with_lanes(32);
  const std::string of_registers = R"(#ifdef __AVX512F__
#include <immintrin.h>
#endif
static inline $R $name($I index, $T table) {
#ifdef __AVX512F__
  __m512 halves[2];
  memcpy(halves, &table, sizeof halves);
  return ($R)_mm512_permutex2var_ps(halves[0], (__m512i)index, halves[1]);
#else
  $R out = {0};
  for (int lane = 0; lane < $L; ++lane) out[lane] = table[index[lane] & ($N - 1)];
  return out;
#endif
}
)";
  const std::string by_lanes = R"(static inline $R $name($I index, $T table) {
  $R out = {0};
  for (int lane = 0; lane < $L; ++lane) out[lane] = table[index[lane] & ($N - 1)];
  return out;
}
)";
  return define(name, fills_registers ? of_registers : by_lanes, words);
}

// memcpy, because the memory may have been written as another type, and a vector may lie anywhere.

std::string Helpers::load(DataType t) {
  return define("load_" + suffix(t), R"(static inline $T $name(const $E* from) {
  $T out$Z;
  memcpy(&out, from, $N);
  return out;
}
)",
                {{"$T", type(t)},
                 {"$E", memory_type(t)},
                 {"$Z", t.is_vector() ? " = {0}" : ""},
                 {"$N", std::to_string(t.bytes())}});
}

std::string Helpers::store(DataType t) {
  return define("store_" + suffix(t),
                "static inline void $name($E* to, $T value) { memcpy(to, &value, $N); }\n",
                {{"$T", type(t)}, {"$E", memory_type(t)}, {"$N", std::to_string(t.bytes())}});
}

namespace {

struct Lanes {
  std::string name;       ///< of the function
  std::string place;      ///< parameter and
  std::string index;      ///< use of it
  std::string mask;       ///< parameter and
  std::string condition;  ///< use of it
};

Lanes lanes_of(const std::string& verb, DataType t, bool indexed, bool masked,
               const std::string& index_vector, const std::string& mask_vector) {
  return {fmt::format("{}{}_{}", masked ? "masked_" : "", verb, suffix(t)),
          indexed ? index_vector + " index" : "int64_t first", indexed ? "index[lane]" : "first + lane",
          masked ? ", " + mask_vector + " mask" : "", masked ? "if (mask[lane]) " : ""};
}

}  // namespace

std::string Helpers::load_lanes(DataType t, bool indexed, bool masked) {
  const Lanes lanes = lanes_of(indexed ? "gather" : "load", t, indexed, masked,
                               indexed ? type(int64.with_lanes(t.lanes)) : "",
                               masked ? type(boolean.with_lanes(t.lanes)) : "");
  const std::string one = load(t.element());
  return define(lanes.name, R"($Q $T $name(const $E* from, $P$M) {
  $T out = {0};
  for (int lane = 0; lane < $N; ++lane) $Cout[lane] = $F(from + ($I));
  return out;
}
)",
                {{"$Q", calls_masked_ && masked ? "ARDEA_CALLED" : "static inline"},
                 {"$T", type(t)},
                 {"$E", memory_type(t)},
                 {"$P", lanes.place},
                 {"$M", lanes.mask},
                 {"$N", std::to_string(t.lanes)},
                 {"$C", lanes.condition},
                 {"$F", one},
                 {"$I", lanes.index}});
}

std::string Helpers::store_lanes(DataType t, bool indexed, bool masked) {
  const Lanes lanes = lanes_of(indexed ? "scatter" : "store", t, indexed, masked,
                               indexed ? type(int64.with_lanes(t.lanes)) : "",
                               masked ? type(boolean.with_lanes(t.lanes)) : "");
  const std::string one = store(t.element());
  return define(lanes.name, R"($Q void $name($E* to, $P, $T value$M) {
  for (int lane = 0; lane < $N; ++lane) $C$F(to + ($I), value[lane]);
}
)",
                {{"$Q", calls_masked_ && masked ? "ARDEA_CALLED" : "static inline"},
                 {"$T", type(t)},
                 {"$E", memory_type(t)},
                 {"$P", lanes.place},
                 {"$M", lanes.mask},
                 {"$N", std::to_string(t.lanes)},
                 {"$C", lanes.condition},
                 {"$F", one},
                 {"$I", lanes.index}});
}

}  // namespace ardea::codegen::c
