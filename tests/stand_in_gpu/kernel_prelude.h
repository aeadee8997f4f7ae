/* What stands before kernels that the host's compiler compiles: a block's threads are contexts that take
 * turns at barriers. */
#pragma once

#include <math.h>
#include <time.h>
#include <ucontext.h>

#include <utility>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// Kernels run one after the other here: those that wait for others, as GPUs' assembler has it, need not.
asm(".macro griddepcontrol.wait\n.endm\n.macro griddepcontrol.launch_dependents\n.endm\n");

struct Index {
  unsigned x, y, z;
};
static Index threadIdx, blockIdx, blockDim, gridDim;
alignas(1024) unsigned char shared_memory[256 << 10];

namespace stand_in {

struct Thread {
  ucontext_t context;
  bool is_done = false, shuffles = false;
  char slots[2][16];
  alignas(64) char stack[64 << 10];
};
static Thread threads[1024];
static ucontext_t block_context;
static unsigned living, waiting, barriers;  ///< of the block: threads, those at a barrier, barriers so far
static Thread* current;
/// What each thread does, with what it is called with.
static void (*body)(void*);
static void* body_arguments;

static void run_thread() {
  body(body_arguments);
  current->is_done = true;
  --living;
}

static void run_block() {
  const unsigned count = blockDim.x * blockDim.y * blockDim.z;
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = threads[i];
    thread.is_done = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack;
    thread.context.uc_stack.ss_size = sizeof(thread.stack);
    thread.context.uc_link = &block_context;
    makecontext(&thread.context, run_thread, 0);
  }
  living = count;
  waiting = 0;
  for (bool is_left = true; is_left;) {
    is_left = false;
    for (unsigned i = 0; i < count; ++i) {
      current = &threads[i];
      if (current->is_done) continue;
      threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
      swapcontext(&block_context, &current->context);
      is_left = is_left || !current->is_done;
    }
  }
}

template <class... T>
struct Call {
  void (*kernel)(T...);
  void** arguments;

  template <std::size_t... i>
  void make(std::index_sequence<i...>) const {
    kernel(*static_cast<std::remove_cv_t<T>*>(arguments[i])...);
  }
  static void make(void* call) { static_cast<const Call*>(call)->make(std::index_sequence_for<T...>()); }
};

template <class... T>
void launch(void (*kernel)(T...), const unsigned* grid, const unsigned* block, void** arguments) {
  Call<T...> call{kernel, arguments};
  body = Call<T...>::make;
  body_arguments = &call;
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  for (blockIdx.z = 0; blockIdx.z < grid[2]; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < grid[1]; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < grid[0]; ++blockIdx.x) run_block();
}

template <class... T>
constexpr int count_of(void (*)(T...)) {
  return sizeof...(T);
}

}  // namespace stand_in

namespace stand_in {

/// Until the others have had a turn.
inline void yield() {
  Thread* const me = current;
  const Index index = threadIdx;
  swapcontext(&me->context, &block_context);
  threadIdx = index;
}

/// A warp's threads stay in step: what each has written before its turn ends, the others read in their next
/// one. By two slots in turn, so that nobody writes what another has still to read.
template <class T>
T shuffled(T value, unsigned from, unsigned width) {
  Thread* const me = current;
  me->shuffles = !me->shuffles;
  __builtin_memcpy(me->slots[me->shuffles], &value, sizeof(T));
  yield();
  const unsigned lane = static_cast<unsigned>(me - threads) % 32;
  if (from >= width) return value;
  T found;
  __builtin_memcpy(&found, (me - lane + lane / width * width + from)->slots[me->shuffles], sizeof(T));
  return found;
}

inline unsigned lane_in(unsigned width) { return static_cast<unsigned>(current - threads) % width; }

}  // namespace stand_in

static void __syncthreads() {
  const unsigned turn = stand_in::barriers;
  ++stand_in::waiting;
  while (stand_in::barriers == turn) {
    if (stand_in::waiting == stand_in::living) {
      stand_in::waiting = 0;
      ++stand_in::barriers;
      return;
    }
    stand_in::yield();
  }
}

/// A cycle is a nanosecond.
static long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void __syncwarp(unsigned = 0) { stand_in::yield(); }

template <class T>
T __shfl_sync(unsigned, T value, int from, int width = 32) {
  return stand_in::shuffled(value, static_cast<unsigned>(from) % width, width);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned by, int width = 32) {
  return stand_in::shuffled(value, stand_in::lane_in(width) + by, width);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int with, int width = 32) {
  return stand_in::shuffled(value, stand_in::lane_in(width) ^ static_cast<unsigned>(with), width);
}
