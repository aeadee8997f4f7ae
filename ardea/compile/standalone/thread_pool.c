/* ---- Parallel loops: threads that start with the first loop and sleep between loops. ---- */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* One loop in progress, on the stack of its caller. */
typedef struct ArdeaLoop {
  ArdeaParallelBody body;
  void* closure;
  int64_t extent, chunks;
  _Atomic int failures;
  int32_t status; /* of the first failure, with its sentence */
  char sentence[ARDEA_SENTENCE_BYTES];
} ArdeaLoop;

typedef struct ArdeaPool {
  int thread_count; /* with the caller's */
  ArdeaThreads* threads;
} ArdeaPool;

static pthread_mutex_t ardea_pool_mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the making of the pool */
static _Atomic(ArdeaPool*) ardea_process_pool;
static int ardea_forks_noticed;

/* Set on a thread while it runs a chunk: a loop inside a loop has no processors left to gain. */
static _Thread_local int ardea_inside_loop;

/* Chunk i of [0, extent) cut into nearly equal parts; the first extent % chunks parts are one longer. */
static int64_t ardea_chunk_begin(int64_t extent, int64_t chunks, int64_t i) {
  const int64_t longer = extent % chunks;
  return extent / chunks * i + (i < longer ? i : longer);
}

static int ardea_available_processors(void) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  long count = sched_getaffinity(0, sizeof(processors), &processors) == 0
                   ? CPU_COUNT(&processors)
                   : sysconf(_SC_NPROCESSORS_ONLN); /* more than cpu_set_t has bits for */
  if (count < 1) count = 1;
  return count > ARDEA_MOST_THREADS ? ARDEA_MOST_THREADS : (int)count;
}

/* ARDEA_NUM_THREADS, else the processors that this process may run on; 0 after an error. */
static int ardea_choose_thread_count(void) {
  const char* const setting = getenv("ARDEA_NUM_THREADS");
  if (setting == NULL || *setting == '\0') return ardea_available_processors();
  int count = 0;
  for (const char* c = setting; *c != '\0'; ++c) {
    if (*c < '0' || *c > '9') count = ARDEA_MOST_THREADS + 1;
    if (count <= ARDEA_MOST_THREADS) count = count * 10 + (*c - '0');
  }
  if (count >= 1 && count <= ARDEA_MOST_THREADS) return count;
  char sentence[ARDEA_SENTENCE_BYTES] = "ARDEA_NUM_THREADS is \"";
  strncat(sentence, setting, 100);
  strcat(sentence, "\", it must be a whole number from 1 to 4096");
  ardea_set_error(sentence);
  return 0;
}

/* Chunks that are not begun when one fails are left out. */
static void ardea_run_chunk_of_loop(void* context, int64_t i) {
  ArdeaLoop* const loop = context;
  if (loop->failures != 0) return;
  ardea_inside_loop = 1;
  const int32_t status = loop->body(ardea_chunk_begin(loop->extent, loop->chunks, i),
                                    ardea_chunk_begin(loop->extent, loop->chunks, i + 1), loop->closure);
  ardea_inside_loop = 0;
  if (status == 0 || loop->failures++ != 0) return;
  loop->status = status;
  strncpy(loop->sentence, ardea_last_error(), sizeof(loop->sentence) - 1);
}

/* A forked child has none of its parent's threads: it makes a pool of its own, and can neither use nor free the
 * parent's. Kept here so that it does not look lost. */
static ArdeaPool* volatile ardea_pool_of_parent;

static void ardea_before_fork(void) { pthread_mutex_lock(&ardea_pool_mutex); }
static void ardea_in_parent(void) { pthread_mutex_unlock(&ardea_pool_mutex); }
static void ardea_in_child(void) {
  if (ardea_process_pool != NULL) ardea_pool_of_parent = ardea_process_pool;
  ardea_process_pool = NULL;
  pthread_mutex_unlock(&ardea_pool_mutex);
}

static ArdeaPool* ardea_make_pool(void) {
  const int count = ardea_choose_thread_count();
  if (count == 0) return NULL;
  ArdeaPool* const pool = malloc(sizeof(ArdeaPool));
  ArdeaThreads* const threads = ardea_make_threads(count, count <= ardea_available_processors());
  if (pool == NULL || threads == NULL ||
      (!ardea_forks_noticed && pthread_atfork(ardea_before_fork, ardea_in_parent, ardea_in_child) != 0)) {
    if (threads != NULL) ardea_stop_threads(threads);
    free(pool);
    ardea_set_error("there is no memory for the threads of a parallel loop");
    return NULL;
  }
  ardea_forks_noticed = 1;
  *pool = (ArdeaPool){count, threads};
  return pool;
}

/* The pool of this process; NULL after an error. */
static ArdeaPool* ardea_pool(void) {
  ArdeaPool* pool = ardea_process_pool;
  if (pool != NULL) return pool;
  pthread_mutex_lock(&ardea_pool_mutex);
  pool = ardea_process_pool;
  if (pool == NULL) ardea_process_pool = pool = ardea_make_pool();
  pthread_mutex_unlock(&ardea_pool_mutex);
  return pool;
}

/* At the end of the process, and before this code is unloaded: no thread may be left inside it. */
__attribute__((destructor)) static void ardea_stop_pool(void) {
  pthread_mutex_lock(&ardea_pool_mutex);
  ArdeaPool* const pool = ardea_process_pool;
  ardea_process_pool = NULL;
  pthread_mutex_unlock(&ardea_pool_mutex);
  if (pool == NULL) return;
  ardea_stop_threads(pool->threads);
  free(pool);
}

ARDEA_SHARED int32_t ardea_parallel_for(ArdeaParallelBody body, void* closure, int64_t extent) {
  if (extent <= 0) return 0;
  const ArdeaHost* host = ardea_host();
  if (host != NULL) {
    const int32_t status = host->parallel_for(body, closure, extent);
    if (status != 0) ardea_set_error(host->last_error());
    return status;
  }
  if (ardea_inside_loop) return body(0, extent, closure);
  ArdeaPool* const pool = ardea_pool();
  if (pool == NULL) return 1;
  const int64_t chunks = extent < pool->thread_count ? extent : pool->thread_count;
  if (chunks == 1) return body(0, extent, closure);
  ArdeaLoop loop;
  loop.body = body;
  loop.closure = closure;
  loop.extent = extent;
  loop.chunks = chunks;
  loop.failures = 0;
  loop.status = 0;
  loop.sentence[0] = loop.sentence[sizeof(loop.sentence) - 1] = '\0';
  ardea_run_chunks(pool->threads, chunks, ardea_run_chunk_of_loop, &loop);
  if (loop.status != 0) ardea_set_error(loop.sentence);
  return loop.status;
}
