#include "ardea/ir/intrinsics.h"

#include <algorithm>
#include <bit>

#include "ardea/ir/registered_intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

constexpr auto pure = Effect::pure;
constexpr auto writes = Effect::writes;
constexpr auto first = ResultRule::same_as_first;

std::vector<Intrinsic> sorted_intrinsics() {
  std::vector<Intrinsic> rows = {
      {"exp", 1, pure, first, true, "e to the x"},
      {"exp2", 1, pure, first, true, "2 to the x"},
      {"exp10", 1, pure, first, true, "10 to the x"},
      {"expm1", 1, pure, first, true, "exp(x) - 1"},
      {"log", 1, pure, first, true, "natural logarithm"},
      {"log2", 1, pure, first, true, "logarithm to base 2"},
      {"log10", 1, pure, first, true, "logarithm to base 10"},
      {"log1p", 1, pure, first, true, "log(1 + x)"},
      {"sqrt", 1, pure, first, true, "square root, correctly rounded"},
      {"rsqrt", 1, pure, first, true, "1 / sqrt(x)"},
      {"tanh", 1, pure, first, true, "hyperbolic tangent"},
      {"sigmoid", 1, pure, first, true, "1 / (1 + exp(-x))"},
      {"erf", 1, pure, first, true, "error function"},
      {"pow", 2, pure, first, true, "x to the y"},
      {"sin", 1, pure, first, true, "sine"},
      {"cos", 1, pure, first, true, "cosine"},
      {"tan", 1, pure, first, true, "tangent"},
      {"asin", 1, pure, first, true, "arc sine"},
      {"acos", 1, pure, first, true, "arc cosine"},
      {"atan", 1, pure, first, true, "arc tangent"},
      {"sinh", 1, pure, first, true, "hyperbolic sine"},
      {"cosh", 1, pure, first, true, "hyperbolic cosine"},
      {"atan2", 2, pure, first, true, "arc tangent of y / x in the right quadrant"},
      {"floor", 1, pure, first, true, "rounds down"},
      {"ceil", 1, pure, first, true, "rounds up"},
      {"round", 1, pure, first, true, "rounds to the nearest integer, halves away from zero"},
      {"nearbyint", 1, pure, first, true, "rounds to the nearest integer, halves to even"},
      {"trunc", 1, pure, first, true, "rounds towards zero"},
      {"copysign", 2, pure, first, true, "the magnitude of x with the sign of y"},
      {"scalbn", 2, pure, first, true, "x * 2^n for a whole number n, rounded once"},
      {"fmod", 2, pure, first, true, "remainder of the truncated quotient, exact"},
      {"abs", 1, pure, first, false, "absolute value; that of the smallest integer wraps to itself"},
      {"fma", 3, pure, first, true, "x * y + z, rounded once (float16, bfloat16: in float32, then rounded)"},
      {"popcount", 1, pure, first, false, "number of one bits of an integer"},
      {"clz", 1, pure, first, false, "number of leading zero bits of an integer; its width for 0"},
      {"isnan", 1, pure, ResultRule::boolean, true, "whether x is NaN"},
      {"isinf", 1, pure, ResultRule::boolean, true, "whether x is infinite"},
      {"isfinite", 1, pure, ResultRule::boolean, true, "whether x is neither NaN nor infinite"},
      {"lookup", 2, pure, ResultRule::lanes_of_first, false,
       "for each lane of an integer vector the lane of a table of floats that it numbers, modulo their "
       "number, which is a power of two"},
      {"likely", 1, pure, first, false, "its argument, with the hint that it is usually true"},
      {"if_then_else", 3, pure, ResultRule::same_as_last, false, "only the chosen side is evaluated"},
      {"reinterpret", 1, pure, ResultRule::stated, false, "the same bits as another type of the same width"},
      {"address_of", 1, pure, ResultRule::handle, false,
       "where the element of a load lives; nothing is loaded"},
      {"prefetch", 2, writes, ResultRule::none, false,
       "a hint that the memory at an address will be read soon, or with 1 as the second argument written"},
      {"call_registered", -1, writes, ResultRule::stated, false,
       "calls the C++ function registered under the first argument with integers, floats, strings or "
       "addresses"},
      {"tensor_instruction", -1, writes, ResultRule::none, false,
       "runs the tensor instruction named by the first argument on addresses and integers"},
      {"barrier", 1, writes, ResultRule::none, false,
       "waits for all threads that share the named scope (\"shared\": the block, \"warp\": the warp)"},
      {"shuffle_down", 3, writes, ResultRule::stated, false,
       "the first argument as the thread so many lanes behind has it, of the same warp and of as many lanes "
       "as "
       "the third says from a multiple of them on; where there is none, its own. All threads of a warp come "
       "to it"},
      {"async_copy", 3, writes, ResultRule::none, false,
       "starts to copy n elements from the second address to the first; they land at the wait"},
      {"async_copy_or_zero", 4, writes, ResultRule::none, false,
       "the same where the last argument holds; where not, zeros land, and the second address need not be "
       "one"},
      {"async_copy_box", 11, writes, ResultRule::none, false,
       "starts to copy a box of the array at the second address to the first one, and zeros for what is "
       "outside of the array: the box's first outer index, row and column, the array's outers, rows and "
       "columns, the box's rows and columns, and whether its rows lie swizzled"},
      {"async_copy_window", -1, writes, ResultRule::none, false,
       "starts to copy what windows see of the array of images at the second address to the first one, a row "
       "a window, and zeros for what is outside of its image: the first window's image, corner in each of an "
       "image's one to three dimensions, and channel; how far from the corner the element lies in each; the "
       "array's images, extents and channels; in each dimension where corners begin, how far from its end "
       "they "
       "do not reach, and their steps; how many windows and channels, and whether rows lie swizzled"},
      {"async_commit", 0, writes, ResultRule::none, false, "closes the group of this thread's copies so far"},
      {"async_wait", 1, writes, ResultRule::none, false,
       "waits until at most n of this thread's groups are under way"},
      {"fail", -1, writes, ResultRule::none, false,
       "stops the program with a sentence, in which each {} stands for the next of the integers that follow "
       "it, and each {type} for the element type that the next one numbers as DLPack does"},
      // What pack_arguments writes at the head of an entry point (runtime/abi.h).
      {"abi_argument", 1, pure, ResultRule::stated, false,
       "the i-th packed argument, read as the stated type"},
      {"abi_type_code", 1, pure, ResultRule::stated, false, "the type code of the i-th packed argument"},
      {"abi_argument_count", 0, pure, ResultRule::stated, false, "how many arguments were passed"},
      {"abi_tensor_data", 1, pure, ResultRule::handle, false, "address of element 0 of a tensor argument"},
      {"abi_tensor_rank", 1, pure, ResultRule::stated, false, "number of dimensions of a tensor argument"},
      {"abi_tensor_shape", 2, pure, ResultRule::stated, false, "extent of dimension d of a tensor argument"},
      {"abi_tensor_stride", 2, pure, ResultRule::stated, false,
       "stride in elements of dimension d of a tensor argument, row-major where it has no strides"},
      {"abi_tensor_type", 1, pure, ResultRule::stated, false,
       "code << 24 | bits << 16 | lanes of a tensor argument"},
  };
  std::sort(rows.begin(), rows.end(), [](const Intrinsic& a, const Intrinsic& b) { return a.name < b.name; });
  return rows;
}

const std::vector<Intrinsic>& own_intrinsics() {
  static const std::vector<Intrinsic> all = sorted_intrinsics();
  return all;
}

const Intrinsic& intrinsic_named(std::string_view name) {
  if (const Intrinsic* op = find_intrinsic(name)) return *op;
  std::vector<std::string> names;
  for (const Intrinsic& row : own_intrinsics()) names.push_back(row.name);
  for (const std::string& registered : registered_names()) names.push_back(registered);
  fail("T.{}: there is no such intrinsic{}", name, did_you_mean(name, names));
}

void check_arguments(const Intrinsic& op, const std::vector<Expr>& arguments) {
  require(op.arity < 0 || static_cast<int>(arguments.size()) == op.arity, "T.{}: takes {} argument{}, got {}",
          op.name, op.arity, op.arity == 1 ? "" : "s", arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const DataType type = arguments[i].type();
    if (op.floats_only)
      require(type.is_float() && !type.is_storage_only(),
              "T.{}: argument {} is {}, must be a float16, bfloat16, float32 or float64", op.name, i + 1,
              to_string(type));
    if (op.floats_only || op.result == ResultRule::same_as_first)
      require(type == arguments[0].type(), "T.{}: argument {} is {} but argument 1 is {}; cast one of them",
              op.name, i + 1, to_string(type), to_string(arguments[0].type()));
  }
  if (op.name == "popcount" || op.name == "clz")
    require(arguments[0].type().is_integer(), "T.{}: the argument is {}, must be an integer", op.name,
            to_string(arguments[0].type()));
  if (op.name == "lookup") {
    const DataType index = arguments[0].type(), table = arguments[1].type();
    require(index.is_integer(), "T.lookup: the index is {}, must be an integer", to_string(index));
    require(table.is_float() && !table.is_storage_only() && table.is_vector() &&
                std::has_single_bit(static_cast<unsigned>(table.lanes)),
            "T.lookup: the table is {}, must be a vector of a power of two of floats", to_string(table));
  }
  if (op.name == "if_then_else") {
    require(arguments[0].type() == boolean, "T.if_then_else: the condition is {}, must be a scalar bool",
            to_string(arguments[0].type()));
    require(arguments[1].type() == arguments[2].type(),
            "T.if_then_else: the sides are {} and {}; cast one of them", to_string(arguments[1].type()),
            to_string(arguments[2].type()));
  }
  if (op.name == "address_of")
    require(arguments[0].is<Load>(), "T.address_of: the argument must be an element such as A[i, j]");
}

DataType result_type(const Intrinsic& op, const std::vector<Expr>& arguments) {
  switch (op.result) {
    case ResultRule::same_as_first: return arguments[0].type();
    case ResultRule::same_as_last: return arguments.back().type();
    case ResultRule::boolean: return boolean.with_lanes(arguments[0].type().lanes);
    case ResultRule::lanes_of_first: return arguments.back().type().with_lanes(arguments[0].type().lanes);
    case ResultRule::handle: return handle_type;
    case ResultRule::none: return no_type;
    case ResultRule::stated: break;
  }
  fail("T.{}: the call must state its type, as in T.{}(…, dtype=\"float32\")", op.name, op.name);
}

}  // namespace

std::span<const Intrinsic> intrinsics() { return own_intrinsics(); }

const Intrinsic* find_intrinsic(std::string_view name) {
  const auto& all = own_intrinsics();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const Intrinsic& row, std::string_view n) { return row.name < n; });
  return at != all.end() && at->name == name ? &*at : find_registered(name);
}

Expr make_call(std::string_view name, std::vector<Expr> arguments) {
  const Intrinsic& op = intrinsic_named(name);
  check_arguments(op, arguments);
  const DataType type = result_type(op, arguments);
  return Expr(type, Call{&op, std::move(arguments)});
}

Expr make_call(std::string_view name, DataType type, std::vector<Expr> arguments) {
  const Intrinsic& op = intrinsic_named(name);
  check_arguments(op, arguments);
  require(op.result == ResultRule::stated, "T.{}: the type follows from the arguments and cannot be stated",
          name);
  if (op.name == "reinterpret")
    require(type.bytes() == arguments[0].type().bytes(), "T.reinterpret: {} and {} differ in width",
            to_string(type), to_string(arguments[0].type()));
  return Expr(type, Call{&op, std::move(arguments)});
}

bool has_effect(const Expr& e) {
  if (e.is<VarNode>() || e.is<IntImm>()) return false;
  return any_expr(e, [](const Expr& x) {
    const auto* call = x.as<Call>();
    return call != nullptr && call->op->effect == Effect::writes;
  });
}

}  // namespace ardea
