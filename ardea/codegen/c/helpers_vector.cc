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
