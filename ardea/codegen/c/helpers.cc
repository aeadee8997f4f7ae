#include "ardea/codegen/c/helpers.h"

#include <fmt/core.h>

#include <bit>

#include "ardea/codegen/c/text.h"
#include "ardea/support/error.h"

namespace ardea::codegen::c {

std::string suffix(DataType type) { return to_string(type); }

std::string wrapping_type(int bits) { return bits == 64 ? "uint64_t" : "uint32_t"; }

namespace {

std::string element_type(DataType type) {
  if (type.is_bool()) return "bool";
  if (type.is_handle()) return "void*";
  if (type.is_float() && type.bits == 64) return "double";
  if (type.is_float() && type.bits == 32) return "float";
  if (type == float16) return "uint16_t";
  ensure(type.is_integer() && type.bits >= 8, "the C backend met {}, which legalise_types removes",
         to_string(type));
  return fmt::format("{}int{}_t", type.is_uint() ? "u" : "", type.bits);
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

}  // namespace

/// GCC's vectors have a power of two of lanes: the others carry lanes that nobody looks at.
std::string Helpers::type(DataType type) {
  if (type.is_scalar()) return element_type(type);
  const std::string name = suffix(type);
  if (defined_.insert(name).second) {
    vector_names_.insert(name);
    const std::string element = type.is_bool() ? "int8_t" : element_type(type.element());
    const auto held = static_cast<std::int64_t>(std::bit_ceil(static_cast<unsigned>(type.lanes)));
    const std::int64_t bytes = type.is_bool() ? held : type.element().bytes(held);
    vector_types_ += fmt::format("typedef {} {} __attribute__((vector_size({})));{}\n", element, name, bytes,
                                 type.is_bool() ? " /* a lane is 0 or -1 */" : "");
  }
  return name;
}

std::string Helpers::memory_type(DataType element) {
  return element.is_bool() ? "uint8_t" : element_type(element.element());
}

std::string Helpers::mask_type(int bits, int lanes) {
  return type(DataType{TypeCode::integer, static_cast<std::uint8_t>(bits)}.with_lanes(lanes));
}

std::string Helpers::define(const std::string& name, const std::string& text, Words words) {
  if (!defined_.insert(name).second) return name;
  std::string filled = text;
  words.insert(words.begin(), {"$name", name});
  bool is_vector_function = false;
  for (const auto& [word, by] : words) {
    filled = replaced(filled, word, by);
    is_vector_function = is_vector_function || vector_names_.contains(by);
  }
  if (is_vector_function) filled = replaced(filled, "static inline", "ARDEA_INLINE");
  functions_ += "\n" + filled;
  return name;
}

std::string Helpers::instruction(const std::string& record, const std::string& implementation) {
  const std::string name = "ardea_" + replaced(record, ".", "_");
  return define(name, implementation.substr(implementation.find_first_not_of('\n')), {{"$function", name}});
}

std::string Helpers::lanewise(const std::string& name, const std::string& scalar, DataType result,
                              DataType operand, int arity) {
  const std::string vector = type(operand);
  std::string parameters, values;
  for (int i = 0; i < arity; ++i) {
    const std::string separator = i > 0 ? ", " : "", letter(1, static_cast<char>('a' + i));
    parameters += fmt::format("{}{} {}", separator, vector, letter);
    values += fmt::format("{}{}[lane]", separator, letter);
  }
  return define(name, R"(static inline $R $name($P) {
  $R out = {0};
  ARDEA_LANES for (int lane = 0; lane < $N; ++lane) out[lane] = $F($V);
  return out;
}
)",
                {{"$R", type(result)},
                 {"$P", parameters},
                 {"$N", std::to_string(operand.lanes)},
                 {"$F", scalar},
                 {"$V", values}});
}

std::string Helpers::text() const {
  std::string out;
  if (has_vectors()) out += "\n" + vector_types_;
  return out + functions_;
}

// --- integers ---

namespace {

const char* operation_name(BinaryOp op) {
  switch (op) {
    case BinaryOp::floor_div: return "floor_div";
    case BinaryOp::floor_mod: return "floor_mod";
    case BinaryOp::trunc_div: return "trunc_div";
    case BinaryOp::trunc_mod: return "trunc_mod";
    case BinaryOp::shift_left: return "shift_left";
    case BinaryOp::shift_right: return "shift_right";
    case BinaryOp::min: return "min";
    case BinaryOp::max: return "max";
    default: throw InternalError("the C backend has no function for this operation");
  }
}

/// What the function does with a and b of type $T; $U is unsigned and at least 32 bits wide, $V unsigned and
/// as wide as $T, $W the width.
const char* signed_body(BinaryOp op) {
  switch (op) {
    case BinaryOp::floor_div:
      return R"(  if (b == 0) return 0;
  if (b == -1) return ($T)(0u - ($U)a);
  const $T quotient = ($T)(a / b), rest = ($T)(a % b);
  return ($T)(quotient - (rest != 0 && (rest < 0) != (b < 0)));
)";
    case BinaryOp::floor_mod:
      return R"(  if (b == 0) return a;
  if (b == -1) return 0;
  const $T rest = ($T)(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? ($T)(rest + b) : rest;
)";
    case BinaryOp::trunc_div:
      return R"(  if (b == 0) return 0;
  return b == -1 ? ($T)(0u - ($U)a) : ($T)(a / b);
)";
    case BinaryOp::trunc_mod:
      return R"(  if (b == 0) return a;
  return b == -1 ? 0 : ($T)(a % b);
)";
    case BinaryOp::shift_left: return "  return ($V)b < $W ? ($T)(($U)a << b) : 0;\n";
    case BinaryOp::shift_right: return "  return ($T)(a >> (($V)b < $W ? b : $W - 1));\n";
    case BinaryOp::min: return "  return a < b ? a : b;\n";
    default: return "  return a > b ? a : b;\n";
  }
}

const char* unsigned_body(BinaryOp op) {
  switch (op) {
    case BinaryOp::floor_div:
    case BinaryOp::trunc_div: return "  return b == 0 ? 0 : ($T)(a / b);\n";
    case BinaryOp::floor_mod:
    case BinaryOp::trunc_mod: return "  return b == 0 ? a : ($T)(a % b);\n";
    case BinaryOp::shift_left: return "  return b < $W ? ($T)(($U)a << b) : 0;\n";
    case BinaryOp::shift_right: return "  return b < $W ? ($T)(a >> b) : 0;\n";
    default: return signed_body(op);
  }
}

const char* operation_comment(BinaryOp op) {
  switch (op) {
    case BinaryOp::floor_div: return "/* Rounds down; 0 by zero; the smallest by -1 is itself. */\n";
    case BinaryOp::floor_mod: return "/* Has the sign of b; a by zero. */\n";
    case BinaryOp::trunc_div: return "/* Rounds towards zero; 0 by zero; the smallest by -1 is itself. */\n";
    case BinaryOp::trunc_mod: return "/* Has the sign of a; a by zero. */\n";
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return "/* An amount that is negative or too large shifts everything out. */\n";
    default: return "";
  }
}

std::string unsigned_type(DataType type) { return fmt::format("uint{}_t", type.bits); }

}  // namespace

std::string Helpers::scalar_operation(BinaryOp op, DataType t) {
  return define(fmt::format("{}_{}", operation_name(op), suffix(t)),
                std::string(operation_comment(op)) + "static inline $T $name($T a, $T b) {\n" +
                    (t.is_int() ? signed_body(op) : unsigned_body(op)) + "}\n",
                {{"$T", type(t)},
                 {"$U", wrapping_type(t.bits)},
                 {"$V", unsigned_type(t)},
                 {"$W", std::to_string(t.bits)}});
}

std::string Helpers::operation(BinaryOp op, DataType t) {
  if (t.is_float()) return float_extremum(op, t);
  if (t.is_scalar()) return scalar_operation(op, t);
  const std::string name = fmt::format("{}_{}", operation_name(op), suffix(t));
  if (op != BinaryOp::min && op != BinaryOp::max)
    return lanewise(name, scalar_operation(op, t.element()), t, t, 2);
  return define(name, R"(static inline $T $name($T a, $T b) {
  return $S(($M)(a $O b), a, b);
}
)",
                {{"$T", type(t)},
                 {"$S", select(t)},
                 {"$M", mask_type(t.bits, t.lanes)},
                 {"$O", op == BinaryOp::min ? "<" : ">"}});
}

std::string Helpers::absolute(DataType integer) {
  const std::string scalar = define("abs_" + suffix(integer.element()), R"(static inline $T $name($T a) {
  return a < 0 ? ($T)(0u - ($U)a) : a;
}
)",
                                    {{"$T", type(integer.element())}, {"$U", wrapping_type(integer.bits)}});
  return integer.is_scalar() ? scalar : lanewise("abs_" + suffix(integer), scalar, integer, integer, 1);
}

std::string Helpers::count_bits(const std::string& which, DataType integer) {
  const std::string wide = which == "popcount"
                               ? define("popcount_uint64", R"(static inline int $name(uint64_t x) {
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}
)")
                               : define("clz_uint64", R"(static inline int $name(uint64_t x) {
  int zeros = x == 0;
  for (int step = 32; step > 0; step /= 2)
    if (x >> (64 - step) == 0) {
      zeros += step;
      x <<= step;
    }
  return zeros;
}
)");
  // Names of their own for all types but the widest, whose bits the function above counts.
  const std::string scalar =
      define(fmt::format("{}_of_{}", which, suffix(integer.element())),
             R"(static inline $T $name($T x) {
  return ($T)($F(($V)x)$L);
}
)",
             {{"$T", type(integer.element())},
              {"$F", wide},
              {"$V", unsigned_type(integer)},
              {"$L", which == "clz" && integer.bits < 64 ? fmt::format(" - {}", 64 - integer.bits) : ""}});
  return integer.is_scalar()
             ? scalar
             : lanewise(fmt::format("{}_of_{}", which, suffix(integer)), scalar, integer, integer, 1);
}

std::string Helpers::checked_size() {
  return define("size_in_int64", R"(/* -1 where the product is beyond 63 bits: no memory is that large. */
static inline int64_t $name(int64_t bytes, int64_t count) {
  if (bytes < 0 || count <= 0) return bytes < 0 ? -1 : 0;
  return bytes > INT64_MAX / count ? -1 : bytes * count;
}
)");
}

// --- reading arguments, reporting errors ---

std::string Helpers::fail_with(std::size_t values) {
  std::string parameters, list;
  for (std::size_t i = 0; i < values; ++i) {
    parameters += fmt::format(", int64_t v{}", i);
    list += fmt::format("{}v{}", i > 0 ? ", " : "", i);
  }
  return define(fmt::format("fail_with_{}", values),
                R"(/* Each {} of the sentence stands for the next value. */
static int32_t $name(const char* sentence$P) {
  const int64_t values[] = {$V};
  ardea_set_error_format(sentence, values, $N);
  return -1;
}
)",
                {{"$P", parameters}, {"$V", list}, {"$N", std::to_string(values)}});
}

std::string Helpers::abi(const std::string& name) {
  static const std::map<std::string, std::string> texts = {
      {"fail", R"(static int32_t $name(const char* sentence) {
  ardea_set_error(sentence);
  return -1;
}
)"},
      {"tensor_of",
       R"(static inline const ArdeaTensor* $name(const void* handle) { return (const ArdeaTensor*)handle; }
)"},
      {"tensor_data", R"(static inline void* $name(const void* handle) {
  return (char*)tensor_of(handle)->data + tensor_of(handle)->byte_offset;
}
)"},
      {"tensor_type", R"(static inline uint32_t $name(const void* handle) {
  const ArdeaTensor* tensor = tensor_of(handle);
  return (uint32_t)tensor->code << 24 | (uint32_t)tensor->bits << 16 | tensor->lanes;
}
)"},
      {"tensor_stride", R"(/* Without strides a tensor is row-major. */
static int64_t $name(const void* handle, int64_t dimension) {
  const ArdeaTensor* tensor = tensor_of(handle);
  if (tensor->strides) return tensor->strides[dimension];
  uint64_t product = 1;
  for (int64_t d = dimension + 1; d < tensor->ndim; ++d) product *= (uint64_t)tensor->shape[d];
  return (int64_t)product;
}
)"},
  };
  if (name.starts_with("tensor_") && name != "tensor_of") abi("tensor_of");
  return define(name, texts.at(name));
}

}  // namespace ardea::codegen::c
