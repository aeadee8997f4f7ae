#include "ardea/codegen/c/codegen_c.h"

#include <algorithm>
#include <set>

#include "ardea/codegen/c/emitter.h"
#include "ardea/codegen/ranges/masks.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::codegen {

namespace {

/// The part of runtime/abi.h that generated code needs, and the layout of a DLTensor (dlpack.h).
const char* const declarations = R"(#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef ARDEA_RUNTIME_ABI_H_
#define ARDEA_RUNTIME_ABI_H_

/* What an argument holds: an integer, a float, a string, a tensor (a pointer to a DLTensor) or an address. */
enum ArdeaTypeCode {
  ARDEA_NULL = 0,
  ARDEA_INT = 1,
  ARDEA_FLOAT = 2,
  ARDEA_STRING = 3,
  ARDEA_TENSOR = 4,
  ARDEA_FUNCTION = 5,
  ARDEA_MODULE = 6,
  ARDEA_HANDLE = 7
};

typedef union ArdeaValue {
  int64_t as_int;
  double as_float;
  const char* as_string;
  void* as_pointer;
} ArdeaValue;

/* 0 is success; after anything else ardea_set_error has recorded a sentence on the calling thread. */
typedef int32_t (*ArdeaPackedFunction)(const ArdeaValue* arguments, const int32_t* type_codes, int32_t count,
                                       ArdeaValue* result, int32_t* result_code);
typedef int32_t (*ArdeaParallelBody)(int64_t begin, int64_t end, void* closure);

void ardea_set_error(const char* sentence);
void ardea_set_error_format(const char* format, const int64_t* values, int32_t count);
void* ardea_allocate(int64_t bytes, int64_t alignment);
void ardea_free(void* memory);
int32_t ardea_parallel_for(ArdeaParallelBody body, void* closure, int64_t extent);
int32_t ardea_call_registered(const char* name, const ArdeaValue* arguments, const int32_t* type_codes,
                              int32_t count, ArdeaValue* result, int32_t* result_code);
int32_t ardea_request_tiles(void);

#endif

#ifndef ARDEA_TENSOR_
#define ARDEA_TENSOR_

/* The layout of a DLTensor. */
typedef struct ArdeaTensor {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} ArdeaTensor;

#endif

#ifndef ARDEA_ALIGNED
#ifdef __GNUC__
#define ARDEA_ALIGNED(pointer, bytes) __builtin_assume_aligned(pointer, bytes)
#else
#define ARDEA_ALIGNED(pointer, bytes) (pointer)
#endif
#endif
)";

/// Compilers warn where a program computes what nobody reads, or compares what never differs. What it reads
/// was written: the interpreter would have said otherwise, but no C compiler can see that.
const char* const silenced_warnings = R"(
/* What is odd here is the program's: values that nobody uses, comparisons that its types or ranges decide. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-operation"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
)";

/// Inlined, but for those that are called very often: a vector in a parameter of an exported function would
/// tie the text to one way of passing it.
const char* const vector_functions = R"(
/* Vectors pass between functions of this file alone: how they are passed is nobody's concern. */
#pragma GCC diagnostic ignored "-Wpsabi"
#ifndef ARDEA_INLINE
#define ARDEA_INLINE static inline __attribute__((always_inline))
#define ARDEA_CALLED static __attribute__((noinline))
#endif
/* GCC makes vector instructions of a loop over lanes unless it unrolls it first. */
#ifndef ARDEA_LANES
#ifdef __clang__
#define ARDEA_LANES
#else
#define ARDEA_LANES _Pragma("GCC unroll 1")
#endif
#endif
)";

const char* const unrolling = R"(
/* How many iterations to write one after another. */
#ifndef ARDEA_UNROLL
#define ARDEA_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define ARDEA_UNROLL(count) ARDEA_PRAGMA(clang loop unroll_count(count))
#elif defined(__GNUC__)
#define ARDEA_UNROLL(count) ARDEA_PRAGMA(GCC unroll count)
#else
#define ARDEA_UNROLL(count)
#endif
#endif
)";

const char* const scalar = R"c(
/* A loop whose places go round: clang's vectorizer takes them for places a stride apart. */
#ifndef ARDEA_SCALAR
#ifdef __clang__
#define ARDEA_SCALAR _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define ARDEA_SCALAR
#endif
#endif
)c";

std::string heading(std::span<const Function> functions, const target::Target& target,
                    const Options& options) {
  std::vector<std::string> names;
  for (const Function& f : functions) names.push_back(f.name);
  std::string list = join(names, ", ");
  if (list.size() > 80) list = fmt::format("{} functions", names.size());
  const std::string contract = options.contract ? " * -ffp-contract=fast lets the compiler fuse a product "
                                                  "with the sum that uses it, as this text allows.\n"
                                                : " * -ffp-contract=off keeps every rounding, as this text "
                                                  "demands: the answers are the interpreter's bits.\n";
  return fmt::format(
      "/* {}: C11 by Ardea, for {} and every other 64-bit machine.\n"
      " * Compile with -std=c11 -O3 -fno-math-errno and the flags of your processor (-march=…), link with "
      "-lm.\n"
      "{} */\n",
      list, target.name, contract);
}

}  // namespace

std::string c_source(std::span<const Function> functions, const target::Target& target,
                     const Options& options) {
  require(target.kind == target::Kind::cpu,
          "target {}: C source is for cpus, this is {}; choose a cpu target", target.name,
          target::to_string(target.kind));
  c::Emitter emitter(target, std::any_of(functions.begin(), functions.end(),
                                         [](const Function& f) { return has_many_masks(f.body); }));
  std::set<std::string> names;
  for (const Function& f : functions) {
    require(names.insert(f.name).second, "two functions are called {}; rename one", f.name);
    require(c::is_identifier(f.name),
            "function {}: C source needs a name of letters, digits and _; rename it", in_quotes(f.name));
    emitter.emit_function(f);
  }
  std::string text = heading(functions, target, options) + declarations;
  text += silenced_warnings;
  if (emitter.has_vectors()) text += vector_functions;
  if (emitter.unrolls()) text += unrolling;
  if (emitter.keeps_scalar()) text += scalar;
  return text + emitter.text();
}

}  // namespace ardea::codegen
