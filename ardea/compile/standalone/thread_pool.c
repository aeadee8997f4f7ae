/* ---- Parallel loops: threads that start with the first loop and sleep between loops. ---- */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define ARDEA_MOST_THREADS 4096

/* One loop in progress, on the stack of its caller. Guarded by the pool's mutex. */
typedef struct ArdeaLoop {
  ArdeaParallelBody body;
  void* closure;
  int64_t extent, chunks, begun, finished;
  int32_t status;
  char sentence[ARDEA_SENTENCE_BYTES];
  pthread_cond_t all_finished;
  struct ArdeaLoop *previous, *next; /* in the list of loops with chunks that nobody has begun */
} ArdeaLoop;

typedef struct ArdeaPool {
  int thread_count; /* with the caller's */
  int worker_count; /* that the system gave us */
  int started, stopping;
  int64_t callers; /* inside ardea_parallel_for */
  pthread_mutex_t mutex;
  pthread_cond_t work_arrived;
  ArdeaLoop *first, *last;
  pthread_t workers[]; /* thread_count - 1 */
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

static void ardea_list_loop(ArdeaPool* pool, ArdeaLoop* loop) {
  loop->next = NULL;
  loop->previous = pool->last;
  *(pool->last != NULL ? &pool->last->next : &pool->first) = loop;
  pool->last = loop;
}

static void ardea_unlist_loop(ArdeaPool* pool, ArdeaLoop* loop) {
  *(loop->previous != NULL ? &loop->previous->next : &pool->first) = loop->next;
  *(loop->next != NULL ? &loop->next->previous : &pool->last) = loop->previous;
}

/* With the mutex held, before and after. Chunks that are not begun when one fails are left out. */
static void ardea_run_next_chunk(ArdeaPool* pool, ArdeaLoop* loop) {
  const int64_t chunk = loop->begun++;
  if (loop->begun == loop->chunks) ardea_unlist_loop(pool, loop);
  const int given_up = loop->status != 0;
  pthread_mutex_unlock(&pool->mutex);
  int32_t status = 0;
  if (!given_up) {
    ardea_inside_loop = 1;
    status = loop->body(ardea_chunk_begin(loop->extent, loop->chunks, chunk),
                        ardea_chunk_begin(loop->extent, loop->chunks, chunk + 1), loop->closure);
    ardea_inside_loop = 0;
  }
  pthread_mutex_lock(&pool->mutex);
  if (status != 0 && loop->status == 0) {
    loop->status = status;
    strncpy(loop->sentence, ardea_last_error(), sizeof(loop->sentence) - 1);
  }
  /* Under the lock: the caller leaves as soon as it sees the last chunk finished. */
  if (++loop->finished == loop->chunks) pthread_cond_signal(&loop->all_finished);
}

static void* ardea_work(void* argument) {
  ArdeaPool* const pool = argument;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (pool->first == NULL && !pool->stopping) pthread_cond_wait(&pool->work_arrived, &pool->mutex);
    if (pool->first == NULL) break;
    ardea_run_next_chunk(pool, pool->first);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

/* Where the system gives no more threads, those there are and the callers do the work. */
static void ardea_start_workers(ArdeaPool* pool) {
  pool->started = 1;
  while (pool->worker_count < pool->thread_count - 1 &&
         pthread_create(&pool->workers[pool->worker_count], NULL, ardea_work, pool) == 0)
    ++pool->worker_count;
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
  const int threads = ardea_choose_thread_count();
  if (threads == 0) return NULL;
  ArdeaPool* const pool = calloc(1, sizeof(ArdeaPool) + (size_t)threads * sizeof(pthread_t));
  if (pool == NULL || (!ardea_forks_noticed &&
                       pthread_atfork(ardea_before_fork, ardea_in_parent, ardea_in_child) != 0)) {
    free(pool);
    ardea_set_error("there is no memory for the threads of a parallel loop");
    return NULL;
  }
  ardea_forks_noticed = 1;
  pool->thread_count = threads;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work_arrived, NULL);
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
  pthread_mutex_lock(&pool->mutex);
  pool->stopping = 1;
  pthread_cond_broadcast(&pool->work_arrived);
  pthread_mutex_unlock(&pool->mutex);
  /* Joining oneself, where a loop's body ends the process, answers with an error and goes on. */
  for (int i = 0; i < pool->worker_count; ++i) pthread_join(pool->workers[i], NULL);
  pthread_mutex_lock(&pool->mutex);
  const int unused = pool->callers == 0;
  pthread_mutex_unlock(&pool->mutex);
  if (!unused) return; /* another thread is still in a loop while the process ends */
  pthread_cond_destroy(&pool->work_arrived);
  pthread_mutex_destroy(&pool->mutex);
  free(pool);
}

static void ardea_run_loop(ArdeaPool* pool, ArdeaLoop* loop) {
  pthread_cond_init(&loop->all_finished, NULL);
  pthread_mutex_lock(&pool->mutex);
  ++pool->callers;
  if (!pool->started) ardea_start_workers(pool);
  ardea_list_loop(pool, loop);
  if (loop->chunks - 1 < pool->worker_count) {
    for (int64_t i = 1; i < loop->chunks; ++i) pthread_cond_signal(&pool->work_arrived);
  } else {
    pthread_cond_broadcast(&pool->work_arrived);
  }
  /* The caller begins chunks until none is left, so that the loop ends even where every worker is busy. */
  while (loop->begun < loop->chunks) ardea_run_next_chunk(pool, loop);
  while (loop->finished < loop->chunks) pthread_cond_wait(&loop->all_finished, &pool->mutex);
  --pool->callers;
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_destroy(&loop->all_finished);
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
  ArdeaLoop loop = {.body = body, .closure = closure, .extent = extent, .chunks = chunks};
  ardea_run_loop(pool, &loop);
  if (loop.status != 0) ardea_set_error(loop.sentence);
  return loop.status;
}
