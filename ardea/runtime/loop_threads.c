/* ---- Threads that share the chunks of loops. ---- */

/* Kernels run many short loops, so that beginning one, and noticing its end, must take less than a microsecond: while
 * all are awake nobody takes a lock. A loop stands in a slot. Its ticket counts the chunks that nobody has begun; who
 * counts it down by one has begun that chunk. The slot's loop cannot end before that chunk has, so that from then on
 * what else stands in the slot may be read. The upper bits of a ticket tell loops apart that stood in one slot.
 *
 * Who finds nothing to do looks on for a moment, then sleeps. Whoever publishes something (a loop; the end of its last
 * chunk) does that first and then looks whether somebody sleeps; whoever goes to sleep says so first and then looks
 * whether something was published. In the one order of all these steps (they are sequentially consistent), one of the
 * two sees the other. This file is compiled into the runtime, and travels as text with libraries that run without it. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): the name is the C library's */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef ARDEA_SHARED
#include "ardea/runtime/loop_threads.h"
#endif

#define ARDEA_LOOP_SLOTS 16 /* loops that threads share at a time; a caller that finds none free works alone */
#define ARDEA_TICKET_BITS 16
#define ARDEA_TICKET_MASK ((UINT64_C(1) << ARDEA_TICKET_BITS) - 1)
#define ARDEA_SPIN_NANOSECONDS 200000 /* several times what sleeping and being woken takes */

typedef struct ArdeaSlot {
  _Alignas(64) _Atomic uint64_t ticket; /* loops that stood here << ARDEA_TICKET_BITS | chunks that nobody has begun */
  ArdeaChunk chunk;
  void* context;
  int64_t chunks;
  _Atomic int taken;                     /* by a caller */
  _Alignas(64) _Atomic int64_t finished; /* chunks; what the caller looks at */
  _Atomic int awaited;                   /* the caller sleeps */
  pthread_cond_t all_finished;
} ArdeaSlot;

struct ArdeaThreads {
  ArdeaSlot slots[ARDEA_LOOP_SLOTS];
  _Alignas(64) _Atomic uint64_t begun; /* loops; what workers look at */
  _Atomic int sleepers;                /* workers that sleep, or are about to */
  _Atomic int stopping;
  _Atomic int64_t callers;
  int thread_count, spins;
  _Atomic int worker_count; /* that have been started; -1 before */
  pthread_mutex_t mutex;    /* of sleepers, and of starting */
  pthread_cond_t work_arrived;
  pthread_t workers[]; /* thread_count - 1 */
};

/* Tells the processor that this thread only waits. */
static void ardea_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

static int64_t ardea_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whether the moment is over: to be asked in a loop, from *spins = 0 and *until = 0 on. */
static int ardea_moment_is_over(int* spins, int64_t* until) {
  ardea_relax();
  if (++*spins % 32 != 0) return 0;
  const int64_t now = ardea_nanoseconds();
  if (*until == 0) *until = now + ARDEA_SPIN_NANOSECONDS;
  return now >= *until;
}

/* Whether a chunk of the slot's loop was left, and now is the caller's to run. */
static int ardea_begin_chunk(ArdeaSlot* slot, int64_t* chunk) {
  uint64_t ticket = atomic_load_explicit(&slot->ticket, memory_order_relaxed);
  while ((ticket & ARDEA_TICKET_MASK) != 0)
    if (atomic_compare_exchange_weak(&slot->ticket, &ticket, ticket - 1)) {
      *chunk = slot->chunks - (int64_t)(ticket & ARDEA_TICKET_MASK);
      return 1;
    }
  return 0;
}

static void ardea_run_chunk(ArdeaThreads* threads, ArdeaSlot* slot, int64_t i) {
  const int64_t chunks = slot->chunks;
  slot->chunk(slot->context, i);
  if (atomic_fetch_add(&slot->finished, 1) + 1 != chunks) return;
  /* The caller may have left already, and another one be here: then nobody, or one for nothing, is woken. */
  if (!atomic_load(&slot->awaited)) return;
  pthread_mutex_lock(&threads->mutex);
  pthread_cond_broadcast(&slot->all_finished);
  pthread_mutex_unlock(&threads->mutex);
}

/* Whether there was any. */
static int ardea_run_what_is_there(ArdeaThreads* threads) {
  int found = 0;
  int64_t chunk = 0;
  for (int i = 0; i < ARDEA_LOOP_SLOTS; ++i)
    while (ardea_begin_chunk(&threads->slots[i], &chunk)) {
      ardea_run_chunk(threads, &threads->slots[i], chunk);
      found = 1;
    }
  return found;
}

static int ardea_nothing_new(ArdeaThreads* threads, uint64_t seen) {
  return atomic_load(&threads->begun) == seen && !atomic_load(&threads->stopping);
}

static void* ardea_work(void* argument) {
  ArdeaThreads* const threads = argument;
  for (;;) {
    const uint64_t seen = atomic_load(&threads->begun);
    if (ardea_run_what_is_there(threads)) continue;
    if (atomic_load(&threads->stopping)) return NULL;
    int spins = 0;
    int64_t until = 0;
    while (threads->spins && ardea_nothing_new(threads, seen))
      if (ardea_moment_is_over(&spins, &until)) break;
    if (!ardea_nothing_new(threads, seen)) continue;
    pthread_mutex_lock(&threads->mutex);
    atomic_fetch_add(&threads->sleepers, 1);
    while (ardea_nothing_new(threads, seen)) pthread_cond_wait(&threads->work_arrived, &threads->mutex);
    atomic_fetch_sub(&threads->sleepers, 1);
    pthread_mutex_unlock(&threads->mutex);
  }
}

ARDEA_THREADS_API ArdeaThreads* ardea_make_threads(int threads, int spins) {
  const size_t bytes = sizeof(ArdeaThreads) + (size_t)threads * sizeof(pthread_t);
  void* memory = NULL;
  if (posix_memalign(&memory, 64, bytes) != 0) return NULL;
  ArdeaThreads* const made = memset(memory, 0, bytes);
  made->thread_count = threads;
  made->spins = spins;
  made->worker_count = -1;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->work_arrived, NULL);
  for (int i = 0; i < ARDEA_LOOP_SLOTS; ++i) pthread_cond_init(&made->slots[i].all_finished, NULL);
  return made;
}

ARDEA_THREADS_API void ardea_start_threads(ArdeaThreads* threads) {
  if (atomic_load_explicit(&threads->worker_count, memory_order_acquire) >= 0) return;
  pthread_mutex_lock(&threads->mutex);
  if (threads->worker_count < 0) {
    int count = 0;
    while (count < threads->thread_count - 1 &&
           pthread_create(&threads->workers[count], NULL, ardea_work, threads) == 0)
      ++count;
    atomic_store_explicit(&threads->worker_count, count, memory_order_release);
  }
  pthread_mutex_unlock(&threads->mutex);
}

ARDEA_THREADS_API int ardea_worker_count(const ArdeaThreads* threads) {
  const int count = threads->worker_count;
  return count < 0 ? 0 : count;
}
ARDEA_THREADS_API pthread_t ardea_worker(const ArdeaThreads* threads, int i) { return threads->workers[i]; }

static ArdeaSlot* ardea_take_slot(ArdeaThreads* threads) {
  for (int i = 0; i < ARDEA_LOOP_SLOTS; ++i) {
    ArdeaSlot* const slot = &threads->slots[i];
    if (!atomic_load_explicit(&slot->taken, memory_order_relaxed) && !atomic_exchange(&slot->taken, 1)) return slot;
  }
  return NULL;
}

static void ardea_wake_workers(ArdeaThreads* threads, int64_t wanted) {
  if (atomic_load(&threads->sleepers) == 0) return;
  pthread_mutex_lock(&threads->mutex);
  if (wanted < threads->sleepers)
    for (int64_t i = 0; i < wanted; ++i) pthread_cond_signal(&threads->work_arrived);
  else
    pthread_cond_broadcast(&threads->work_arrived);
  pthread_mutex_unlock(&threads->mutex);
}

static void ardea_await_chunks(ArdeaThreads* threads, ArdeaSlot* slot, int64_t chunks) {
  int spins = 0;
  int64_t until = 0;
  while (threads->spins && atomic_load(&slot->finished) != chunks)
    if (ardea_moment_is_over(&spins, &until)) break;
  if (atomic_load(&slot->finished) == chunks) return;
  pthread_mutex_lock(&threads->mutex);
  atomic_store(&slot->awaited, 1);
  while (atomic_load(&slot->finished) != chunks) pthread_cond_wait(&slot->all_finished, &threads->mutex);
  atomic_store(&slot->awaited, 0);
  pthread_mutex_unlock(&threads->mutex);
}

ARDEA_THREADS_API void ardea_run_chunks(ArdeaThreads* threads, int64_t chunks, ArdeaChunk chunk, void* context) {
  atomic_fetch_add(&threads->callers, 1);
  ardea_start_threads(threads);
  ArdeaSlot* const slot = ardea_take_slot(threads);
  if (slot == NULL) {
    for (int64_t i = 0; i < chunks; ++i) chunk(context, i);
  } else {
    slot->chunk = chunk;
    slot->context = context;
    slot->chunks = chunks;
    atomic_store_explicit(&slot->finished, 0, memory_order_relaxed);
    const uint64_t loops = (atomic_load_explicit(&slot->ticket, memory_order_relaxed) >> ARDEA_TICKET_BITS) + 1;
    atomic_store(&slot->ticket, loops << ARDEA_TICKET_BITS | (uint64_t)chunks);
    atomic_fetch_add(&threads->begun, 1);
    ardea_wake_workers(threads, chunks - 1);
    /* The caller begins chunks until none is left, so that the loop ends even where every worker is busy. */
    int64_t mine = 0;
    while (ardea_begin_chunk(slot, &mine)) ardea_run_chunk(threads, slot, mine);
    ardea_await_chunks(threads, slot, chunks);
    atomic_store(&slot->taken, 0);
  }
  atomic_fetch_sub(&threads->callers, 1);
}

ARDEA_THREADS_API void ardea_stop_threads(ArdeaThreads* threads) {
  pthread_mutex_lock(&threads->mutex);
  atomic_store(&threads->stopping, 1);
  pthread_cond_broadcast(&threads->work_arrived);
  pthread_mutex_unlock(&threads->mutex);
  /* Joining oneself, where a loop's body ends the process, answers with an error and goes on. */
  for (int i = 0; i < ardea_worker_count(threads); ++i) pthread_join(threads->workers[i], NULL);
  if (atomic_load(&threads->callers) != 0) return;
  for (int i = 0; i < ARDEA_LOOP_SLOTS; ++i) pthread_cond_destroy(&threads->slots[i].all_finished);
  pthread_cond_destroy(&threads->work_arrived);
  pthread_mutex_destroy(&threads->mutex);
  free(threads);
}
