/* A peer in plain C that misbehaves as MODE says: 0 leaves its output alone, 1 fails when called, 2 fails
 * when prepared, 3 is of another version, 4 has two ways to copy its first input, the second of which wins,
 * 5 has the same, the second labelled as one that packs ahead. */
#include <string.h>

#include "ardea/measure/peer_abi.h"

static const char* description(void) { return "a peer for tests"; }

static int64_t bytes_of_output(const ArdeaPeerWorkload* w) {
  const ArdeaPeerArray* out = &w->arrays[w->array_count - 1];
  int64_t count = 4;
  for (int32_t i = 0; i < out->rank; ++i) count *= out->shape[i];
  return count;
}

static struct State {
  int64_t bytes;
  int repeats;
} states[2];

static int32_t prepare(const ArdeaPeerWorkload* workload, int32_t threads, int32_t variant,
                       ArdeaPeerCall* call) {
  (void)threads;
  if (MODE == 2) return ARDEA_PEER_FAILED;
  if (variant >= (MODE >= 4 ? 2 : 1)) return ARDEA_PEER_REFUSED;
  if (strcmp(workload->op, "relu") != 0) return ARDEA_PEER_REFUSED;
  states[variant].bytes = bytes_of_output(workload);
  states[variant].repeats = variant == 0 ? 50 : 1;
  call->state = &states[variant];
  call->label = variant == 0 ? "slowly" : MODE == 5 ? "quickly, prepacked" : "quickly";
  return ARDEA_PEER_DONE;
}

static int32_t run(void* state, void* const* arrays) {
  const struct State* s = state;
  if (MODE == 1) return ARDEA_PEER_FAILED;
  if (MODE >= 4)
    for (volatile int i = 0; i < s->repeats; ++i) memcpy(arrays[1], arrays[0], (size_t)s->bytes);
  return ARDEA_PEER_DONE;
}

static void destroy(void* state) { (void)state; }

static const char* last_error(void) { return "the test wants it so"; }

const ArdeaPeer ardea_peer = {MODE == 3 ? ARDEA_PEER_ABI_VERSION + 1 : ARDEA_PEER_ABI_VERSION,
                              "test",
                              ARDEA_PEER_LIBRARY,
                              description,
                              prepare,
                              run,
                              destroy,
                              last_error};
