/* Threads that share the chunks of loops: what parallel loops run on, in Ardea's own process (thread_pool.h)
 * and in the libraries that it compiles, which carry loop_threads.c as text. */
#ifndef ARDEA_RUNTIME_LOOP_THREADS_H_
#define ARDEA_RUNTIME_LOOP_THREADS_H_

#include <pthread.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where it travels as text all is one file. */
#ifdef ARDEA_SHARED
#define ARDEA_THREADS_API static __attribute__((unused))
#else
#define ARDEA_THREADS_API
#endif

#define ARDEA_MOST_THREADS 4096

typedef struct ArdeaThreads ArdeaThreads;

/* Chunk i of a loop. Must return: an exception or a longjmp would leave it unfinished. */
typedef void (*ArdeaChunk)(void* context, int64_t i);

/* `threads` counts the caller's, from 1 to ARDEA_MOST_THREADS. The others start with the first loop; where
 * the system gives fewer, those there are and the callers do the work. With `spins` all look for work, or for
 * its end, in a loop for a moment before they sleep: for where there is a processor for each. NULL where
 * there is no memory. */
ARDEA_THREADS_API ArdeaThreads* ardea_make_threads(int threads, int spins);

/* Starts those that have not been started. */
ARDEA_THREADS_API void ardea_start_threads(ArdeaThreads* threads);

/* Those beside the caller's that have been started, and one of them. */
ARDEA_THREADS_API int ardea_worker_count(const ArdeaThreads* threads);
ARDEA_THREADS_API pthread_t ardea_worker(const ArdeaThreads* threads, int i);

/* Calls chunk(context, i) once for each i from 0 to chunks - 1 (at most ARDEA_MOST_THREADS of them), on the
 * threads that are free and on the caller's, and waits for all. Any number of threads may call it at once. */
ARDEA_THREADS_API void ardea_run_chunks(ArdeaThreads* threads, int64_t chunks, ArdeaChunk chunk,
                                        void* context);

/* Joins the workers. The memory stays where another thread is still in a loop, as may be while a process
 * ends. */
ARDEA_THREADS_API void ardea_stop_threads(ArdeaThreads* threads);

#ifdef __cplusplus
}
#endif

#endif
