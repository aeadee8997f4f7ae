/* ---- Memory for the allocations of programs. ---- */

/* A kernel asks for the same buffers at every call. Large ones go back to the operating system when they are freed, and
 * come anew page by page, which can take longer than filling them: each thread keeps some of them instead. This file is
 * compiled into the runtime, and travels as text with libraries that run without it. */

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef ARDEA_SHARED
#define ARDEA_SHARED
ARDEA_SHARED void* ardea_allocate(int64_t bytes, int64_t alignment);
ARDEA_SHARED void ardea_free(void* memory);
#endif

#define ARDEA_KEPT_BLOCKS 16
#define ARDEA_LEAST_KEPT_BYTES (UINT64_C(1) << 16) /* below that malloc is quick */
#define ARDEA_MOST_KEPT_BYTES (UINT64_C(1) << 26)  /* of one thread */

/* Stands directly before the memory that the program sees. */
typedef struct ArdeaBlock {
  void* start;       /* as aligned_alloc gave it */
  uint64_t capacity; /* behind this header */
  uint64_t boundary;
} ArdeaBlock;

typedef struct ArdeaWorkspace {
  ArdeaBlock* blocks[ARDEA_KEPT_BLOCKS]; /* the longest kept first */
  int count;
  int cleared_at_exit; /* 1: yes; -1: it cannot be, nothing is kept */
  uint64_t bytes;
} ArdeaWorkspace;

static _Thread_local ArdeaWorkspace ardea_workspace;
static pthread_once_t ardea_workspace_once = PTHREAD_ONCE_INIT;
static pthread_key_t ardea_workspace_key;
static int ardea_workspace_key_made;

static ArdeaBlock* ardea_take_kept(ArdeaWorkspace* space, int at) {
  ArdeaBlock* const block = space->blocks[at];
  for (int i = at + 1; i < space->count; ++i) space->blocks[i - 1] = space->blocks[i];
  --space->count;
  space->bytes -= block->capacity;
  return block;
}

static void ardea_clear_workspace(void* space) {
  ArdeaWorkspace* const kept = (ArdeaWorkspace*)space;
  while (kept->count > 0) free(ardea_take_kept(kept, kept->count - 1)->start);
  kept->cleared_at_exit = -1; /* what a later destructor of the thread frees is not kept any more */
}

static void ardea_make_workspace_key(void) {
  ardea_workspace_key_made = pthread_key_create(&ardea_workspace_key, ardea_clear_workspace) == 0;
}

/* Where a library is unloaded, threads that end later must not call into it. */
__attribute__((destructor)) static void ardea_forget_workspace_key(void) {
  ardea_clear_workspace(&ardea_workspace);
  if (ardea_workspace_key_made) pthread_key_delete(ardea_workspace_key);
}

static int ardea_may_keep(ArdeaWorkspace* space) {
  if (space->cleared_at_exit == 0) {
    pthread_once(&ardea_workspace_once, ardea_make_workspace_key);
    space->cleared_at_exit =
        ardea_workspace_key_made && pthread_setspecific(ardea_workspace_key, space) == 0 ? 1 : -1;
  }
  return space->cleared_at_exit > 0;
}

/* A kept block that fits and is not much too large, or NULL. */
static ArdeaBlock* ardea_find_kept(ArdeaWorkspace* space, uint64_t bytes, uint64_t boundary) {
  int best = -1;
  for (int i = 0; i < space->count; ++i) {
    const ArdeaBlock* const block = space->blocks[i];
    if (block->capacity < bytes || block->capacity / 4 > bytes || block->boundary < boundary) continue;
    if (best < 0 || block->capacity < space->blocks[best]->capacity) best = i;
  }
  return best < 0 ? NULL : ardea_take_kept(space, best);
}

ARDEA_SHARED void* ardea_allocate(int64_t bytes, int64_t alignment) {
  if (bytes < 0 || alignment < 0 || (alignment & (alignment - 1)) != 0) return NULL;
  const uint64_t boundary = alignment < 64 ? 64 : (uint64_t)alignment;
  const uint64_t rounded = ((uint64_t)bytes + boundary - 1) / boundary * boundary;
  if (rounded > PTRDIFF_MAX - boundary) return NULL;
  ArdeaBlock* block = ardea_find_kept(&ardea_workspace, rounded, boundary);
  if (block == NULL) {
    char* const start = (char*)aligned_alloc(boundary, boundary + rounded);
    if (start == NULL) return NULL;
    block = (ArdeaBlock*)(void*)(start + boundary) - 1;
    *block = (ArdeaBlock){start, rounded, boundary};
  }
  return block + 1;
}

ARDEA_SHARED void ardea_free(void* memory) {
  if (memory == NULL) return;
  ArdeaBlock* const block = (ArdeaBlock*)memory - 1;
  ArdeaWorkspace* const space = &ardea_workspace;
  if (block->capacity < ARDEA_LEAST_KEPT_BYTES || block->capacity > ARDEA_MOST_KEPT_BYTES || !ardea_may_keep(space)) {
    free(block->start);
    return;
  }
  while (space->count == ARDEA_KEPT_BLOCKS || space->bytes + block->capacity > ARDEA_MOST_KEPT_BYTES)
    free(ardea_take_kept(space, 0)->start);
  space->blocks[space->count++] = block;
  space->bytes += block->capacity;
}
