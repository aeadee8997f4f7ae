/* The binary interface between generated code and its caller, in plain C: the only contract that a compiled
 * program has with the world. The LLVM backend emits against it, the runtime calls through it. */
#ifndef ARDEA_RUNTIME_ABI_H_
#define ARDEA_RUNTIME_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an argument holds. */
enum ArdeaTypeCode {
  ARDEA_NULL = 0,
  ARDEA_INT = 1,      /* as_int; booleans too */
  ARDEA_FLOAT = 2,    /* as_float */
  ARDEA_STRING = 3,   /* as_string, NUL-terminated, owned by the caller for the length of the call */
  ARDEA_TENSOR = 4,   /* as_pointer to a DLTensor */
  ARDEA_FUNCTION = 5, /* as_pointer to an ardea::runtime::Function */
  ARDEA_MODULE = 6,   /* as_pointer to an ardea::runtime::Module */
  ARDEA_HANDLE = 7    /* as_pointer, opaque */
};

typedef union ArdeaValue {
  int64_t as_int;
  double as_float;
  const char* as_string;
  void* as_pointer;
} ArdeaValue;

/* Every packed entry point: 0 is success; anything else is an error whose sentence was given to
 * ardea_set_error on the calling thread. `result` and `result_code` are written only by functions that return
 * a value. */
typedef int32_t (*ArdeaPackedFunction)(const ArdeaValue* arguments, const int32_t* type_codes, int32_t count,
                                       ArdeaValue* result, int32_t* result_code);

/* What generated code calls. The JIT resolves these names to the running process; a shared library carries
 * its own. */

/* Records the sentence of the error that is about to be returned. Copies it. */
void ardea_set_error(const char* sentence);

/* The same with each {} of `format` replaced by the next of the `count` values, and each {type} by the name
 * of the element type that the next value is, code << 24 | bits << 16 | lanes as DLPack numbers them: T.fail
 * in generated code. */
void ardea_set_error_format(const char* format, const int64_t* values, int32_t count);

/* The sentence of the last error on this thread, "" where there was none. Valid until the next one. */
const char* ardea_last_error(void);

/* Memory for an allocation of the program, aligned to `alignment` (a power of two, at least 64 is used); NULL
 * when there is none. What is freed may be kept for the thread's next allocation (workspace.c). */
void* ardea_allocate(int64_t bytes, int64_t alignment);
void ardea_free(void* memory);

/* The body of a parallel loop: iterations [begin, end). Returns 0, or nonzero after ardea_set_error. */
typedef int32_t (*ArdeaParallelBody)(int64_t begin, int64_t end, void* closure);

/* Runs body over [0, extent) in chunks on the thread pool, the caller's thread included, and waits. The first
 * error wins and is reported on the calling thread. Nested calls run serially on the thread they are made
 * from. */
int32_t ardea_parallel_for(ArdeaParallelBody body, void* closure, int64_t extent);

/* Calls the function registered under `name`. */
int32_t ardea_call_registered(const char* name, const ArdeaValue* arguments, const int32_t* type_codes,
                              int32_t count, ArdeaValue* result, int32_t* result_code);

/* Asks the operating system to let this process use the tile registers (AMX), once. Returns 0, or nonzero
 * after ardea_set_error. */
int32_t ardea_request_tiles(void);

/* A shared library describes itself by one exported object, `const ArdeaLibrary ardea_library`:
 * runtime::load_module reads it. The version counts changes of anything in this file. */
#define ARDEA_ABI_VERSION 3

/* What a process that loads the library puts in place of the library's own: its errors, threads, registered
 * functions and memory. All are there, and live as long as the library. */
typedef struct ArdeaHost {
  void (*set_error)(const char* sentence);
  const char* (*last_error)(void);
  int32_t (*parallel_for)(ArdeaParallelBody body, void* closure, int64_t extent);
  int32_t (*call_registered)(const char* name, const ArdeaValue* arguments, const int32_t* type_codes,
                             int32_t count, ArdeaValue* result, int32_t* result_code);
  void* (*allocate)(int64_t bytes, int64_t alignment);
  void (*free)(void* memory);
} ArdeaHost;

typedef struct ArdeaLibraryFunction {
  const char* name; /* as the program calls it, not the C name */
  ArdeaPackedFunction code;
} ArdeaLibraryFunction;

typedef struct ArdeaLibrary {
  int32_t abi_version; /* first in every version */
  int32_t function_count;
  const char* name;
  const ArdeaLibraryFunction* functions;
  void (*set_host)(const ArdeaHost* host);
} ArdeaLibrary;

#ifdef __cplusplus
}
#endif

#endif
