/* ---- Memory for the allocations of programs. ---- */

/* A kernel asks for the same buffers at every call. Large ones go back to the operating system when they are freed, and
 * come anew page by page, which can take longer than filling them: each thread keeps some of them instead. This file is
 * compiled into the runtime, and travels as text with libraries that run without it. There a process that is Ardea's own
 * gives its memory (ArdeaHost), so that what threads keep is not multiplied by the libraries they have called. */

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef ARDEA_SHARED
#define ARDEA_MEMORY_HOST() ardea_host()
#else
#include "ardea/runtime/abi.h"
#define ARDEA_SHARED
#define ARDEA_MEMORY_HOST() ((const ArdeaHost*)NULL)
#endif

#define ARDEA_KEPT_BLOCKS 16
#define ARDEA_LEAST_KEPT_BYTES (UINT64_C(1) << 16) /* below that malloc is quick */
#define ARDEA_MOST_KEPT_BYTES (UINT64_C(1) << 26)  /* of one thread */

/* Stands directly before the memory that the program sees. */
typedef struct ArdeaBlock {
  void* start;       /* as malloc gave it */
  uint64_t capacity; /* behind this header */
  uint64_t boundary;
} ArdeaBlock;

/* What one thread keeps. The list of all of them lets a library give everything back when it is unloaded, whatever
 * threads have called it; only that and the thread itself take the mutex. */
typedef struct ArdeaWorkspace {
  pthread_mutex_t mutex;
  ArdeaBlock* blocks[ARDEA_KEPT_BLOCKS]; /* the longest kept first */
  int count;
  _Atomic int cleared_at_exit; /* 1: yes; -1: it cannot be, nothing is kept */
  uint64_t bytes;
  struct ArdeaWorkspace *previous, *next;
} ArdeaWorkspace;

static _Thread_local ArdeaWorkspace ardea_workspace = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t ardea_workspace_once = PTHREAD_ONCE_INIT;
static pthread_key_t ardea_workspace_key;
static int ardea_workspace_key_made;
static pthread_mutex_t ardea_workspaces_mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static ArdeaWorkspace* ardea_workspaces;

static ArdeaBlock* ardea_take_kept(ArdeaWorkspace* space, int at) {
  ArdeaBlock* const block = space->blocks[at];
  for (int i = at + 1; i < space->count; ++i) space->blocks[i - 1] = space->blocks[i];
  --space->count;
  space->bytes -= block->capacity;
  return block;
}

static void ardea_clear_workspace(ArdeaWorkspace* space) {
  pthread_mutex_lock(&space->mutex);
  while (space->count > 0) free(ardea_take_kept(space, space->count - 1)->start);
  space->cleared_at_exit = -1; /* what a later destructor of the thread frees is not kept any more */
  pthread_mutex_unlock(&space->mutex);
}

/* At the end of a thread. */
static void ardea_drop_workspace(void* memory) {
  ArdeaWorkspace* const space = (ArdeaWorkspace*)memory;
  pthread_mutex_lock(&ardea_workspaces_mutex);
  *(space->previous != NULL ? &space->previous->next : &ardea_workspaces) = space->next;
  if (space->next != NULL) space->next->previous = space->previous;
  pthread_mutex_unlock(&ardea_workspaces_mutex);
  ardea_clear_workspace(space);
}

/* A forked child has the caller's thread only. */
static void ardea_lock_workspaces(void) { pthread_mutex_lock(&ardea_workspaces_mutex); }
static void ardea_unlock_workspaces(void) { pthread_mutex_unlock(&ardea_workspaces_mutex); }
static void ardea_keep_own_workspace(void) {
  ArdeaWorkspace* const own = &ardea_workspace;
  own->previous = own->next = NULL;
  ardea_workspaces = own->cleared_at_exit > 0 ? own : NULL;
  pthread_mutex_unlock(&ardea_workspaces_mutex);
}

static void ardea_make_workspace_key(void) {
  ardea_workspace_key_made =
      pthread_atfork(ardea_lock_workspaces, ardea_unlock_workspaces, ardea_keep_own_workspace) == 0 &&
      pthread_key_create(&ardea_workspace_key, ardea_drop_workspace) == 0;
}

/* Where a library is unloaded, threads that end later must not call into it, and what they keep of it goes now. Where
 * the process ends, some may still be running: they find their workspace closed. */
__attribute__((destructor)) static void ardea_clear_workspaces(void) {
  if (!ardea_workspace_key_made) return;
  pthread_key_delete(ardea_workspace_key);
  pthread_mutex_lock(&ardea_workspaces_mutex);
  for (ArdeaWorkspace* space = ardea_workspaces; space != NULL; space = space->next) ardea_clear_workspace(space);
  ardea_workspaces = NULL;
  pthread_mutex_unlock(&ardea_workspaces_mutex);
}

static int ardea_may_keep(ArdeaWorkspace* space) {
  if (space->cleared_at_exit == 0) {
    pthread_once(&ardea_workspace_once, ardea_make_workspace_key);
    space->cleared_at_exit =
        ardea_workspace_key_made && pthread_setspecific(ardea_workspace_key, space) == 0 ? 1 : -1;
    if (space->cleared_at_exit > 0) {
      pthread_mutex_lock(&ardea_workspaces_mutex);
      space->next = ardea_workspaces;
      if (space->next != NULL) space->next->previous = space;
      ardea_workspaces = space;
      pthread_mutex_unlock(&ardea_workspaces_mutex);
    }
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

/* Whether the block stays with the thread. */
static int ardea_keep_block(ArdeaWorkspace* space, ArdeaBlock* block) {
  if (block->capacity < ARDEA_LEAST_KEPT_BYTES || block->capacity > ARDEA_MOST_KEPT_BYTES || !ardea_may_keep(space))
    return 0;
  pthread_mutex_lock(&space->mutex);
  const int open = space->cleared_at_exit > 0;
  if (open) {
    while (space->count == ARDEA_KEPT_BLOCKS || space->bytes + block->capacity > ARDEA_MOST_KEPT_BYTES)
      free(ardea_take_kept(space, 0)->start);
    space->blocks[space->count++] = block;
    space->bytes += block->capacity;
  }
  pthread_mutex_unlock(&space->mutex);
  return open;
}

ARDEA_SHARED void* ardea_allocate(int64_t bytes, int64_t alignment) {
  const ArdeaHost* const host = ARDEA_MEMORY_HOST();
  if (host != NULL) return host->allocate(bytes, alignment);
  if (bytes < 0 || alignment < 0 || (alignment & (alignment - 1)) != 0) return NULL;
  const uint64_t boundary = alignment < 64 ? 64 : (uint64_t)alignment;
  const uint64_t rounded = ((uint64_t)bytes + boundary - 1) / boundary * boundary;
  if (rounded > PTRDIFF_MAX - boundary - sizeof(ArdeaBlock)) return NULL;
  ArdeaBlock* block = NULL;
  if (rounded >= ARDEA_LEAST_KEPT_BYTES / 4) { /* the least that a kept block serves */
    pthread_mutex_lock(&ardea_workspace.mutex);
    block = ardea_find_kept(&ardea_workspace, rounded, boundary);
    pthread_mutex_unlock(&ardea_workspace.mutex);
  }
  if (block == NULL) {
    /* Not aligned_alloc: glibc before 2.38 does not find what it has freed again, and grows with every call. */
    char* const start = (char*)malloc(sizeof(ArdeaBlock) + boundary + rounded);
    if (start == NULL) return NULL;
    const uint64_t least = (uint64_t)(uintptr_t)start + sizeof(ArdeaBlock);
    void* const aligned = start + (sizeof(ArdeaBlock) + (boundary - least % boundary) % boundary);
    block = (ArdeaBlock*)aligned - 1;
    *block = (ArdeaBlock){start, rounded, boundary};
  }
  return block + 1;
}

ARDEA_SHARED void ardea_free(void* memory) {
  if (memory == NULL) return;
  const ArdeaHost* const host = ARDEA_MEMORY_HOST();
  if (host != NULL) {
    host->free(memory);
    return;
  }
  ArdeaBlock* const block = (ArdeaBlock*)memory - 1;
  if (!ardea_keep_block(&ardea_workspace, block)) free(block->start);
}
