/* A peer on the stand-in for a GPU, whose memory is the host's: the product of two float32 matrices. MODE 0:
 * right, 1: wrong in its last element, 2: its calls fail. It answers only where a stream stands behind its
 * arrays. */
#include <stdio.h>
#include <string.h>

#include "ardea/measure/peer_abi.h"

static int64_t m, n, k;
static const char* why = "";

static const char* description(void) { return "three loops"; }
static int32_t prepare(const ArdeaPeerWorkload* w, int32_t threads, int32_t variant, ArdeaPeerCall* call) {
  why = "it has no further variant";
  if (variant > 0) return ARDEA_PEER_REFUSED;
  why = "it is for GPUs";
  if (threads != 0 || strcmp(w->op, "gemm") != 0) return ARDEA_PEER_REFUSED;
  m = w->arrays[2].shape[0], n = w->arrays[2].shape[1], k = w->arrays[0].shape[1];
  call->state = &m;
  call->label = "by hand";
  return ARDEA_PEER_DONE;
}
static int32_t run(void* state, void* const* arrays) {
  const float *a = arrays[0], *b = arrays[1];
  float* c = arrays[2];
  (void)state;
  why = "it does not feel like it";
  if (MODE == 2 || arrays[3] == NULL) return ARDEA_PEER_FAILED;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
  if (MODE == 1) c[m * n - 1] += 1;
  return ARDEA_PEER_DONE;
}
static void destroy(void* state) { (void)state; }
static const char* last_error(void) { return why; }

const ArdeaPeer ardea_peer = {
    ARDEA_PEER_ABI_VERSION, "hand", ARDEA_PEER_LIBRARY, description, prepare, run, destroy, last_error};
