/* What a peer, another implementation of an operator, gives to be measured against: a shared library with one
 * exported object, `const ArdeaPeer ardea_peer`, in plain C. docs/benchmarks.md says how to write one. */
#ifndef ARDEA_MEASURE_PEER_ABI_H_
#define ARDEA_MEASURE_PEER_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts changes of anything in this file. */
#define ARDEA_PEER_ABI_VERSION 1

/* A compact row-major array: its element type by name ("float32", "bfloat16", "uint8", ...). */
typedef struct ArdeaPeerArray {
  const char* type;
  int32_t rank;
  const int64_t* shape;
} ArdeaPeerArray;

/* One operator with its sizes and types, as docs/operators.md defines them. Lives as long as its calls. */
typedef struct ArdeaPeerWorkload {
  const char* op;
  int32_t size_count;
  const int64_t* sizes; /* in the operator's order */
  const char* layout;   /* "" where the operator has no choice */
  const char* acc;      /* the type to compute in */
  int32_t transpose_b;  /* B is given as n,k */
  int32_t array_count;  /* the inputs in the operator's order, then the output */
  const ArdeaPeerArray* arrays;
} ArdeaPeerWorkload;

enum ArdeaPeerAnswer {
  ARDEA_PEER_DONE = 0,
  ARDEA_PEER_REFUSED = 1, /* it has no such operator, type, layout or variant; not an error */
  ARDEA_PEER_FAILED = 2
};

enum ArdeaPeerKind {
  ARDEA_PEER_LIBRARY = 0,  /* one of those among which the best is sought */
  ARDEA_PEER_LOOP = 1,     /* computes the operator, as anyone would write it */
  ARDEA_PEER_YARDSTICK = 2 /* moves or multiplies as much and computes nothing: not checked */
};

/* A call made ready. `label` says what one call includes ("packing counted", "own layout, reorders counted"),
 * and lives as long as the call. */
typedef struct ArdeaPeerCall {
  void* state;
  const char* label;
} ArdeaPeerCall;

/* All functions are there. Where one does not answer ARDEA_PEER_DONE, last_error has the sentence. */
typedef struct ArdeaPeer {
  int32_t abi_version; /* first in every version */
  const char* name;
  int32_t kind; /* ArdeaPeerKind */
  /* Which code really answers: the library's own word for its version and kernels, and its file. */
  const char* (*description)(void);
  /* Makes a call ready for so many threads: whatever a user of the library does once and keeps. Packing of an
   * operand belongs to the call, unless the label says "prepacked". `variant` counts from 0; the first that
   * is refused is the end. */
  int32_t (*prepare)(const ArdeaPeerWorkload* workload, int32_t threads, int32_t variant,
                     ArdeaPeerCall* call);
  /* `arrays` as in the workload. Always called with the same ones. A peer on a GPU (those of lib/gpu_peers)
   * is prepared for 0 threads; its arrays are memory of the GPU whose context is current, others at each
   * call, and behind them comes the CUstream that the work goes into, which may be captured. */
  int32_t (*run)(void* state, void* const* arrays);
  void (*destroy)(void* state);
  const char* (*last_error)(void);
} ArdeaPeer;

#ifdef __cplusplus
}
#endif

#endif
