/* What stands before kernels that the host's compiler compiles: a block's threads are contexts that take
 * turns at barriers. */
#pragma once

#include <ucontext.h>

#include <utility>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct Index {
  unsigned x, y, z;
};
static Index threadIdx, blockIdx, blockDim, gridDim;
alignas(128) unsigned char shared_memory[256 << 10];

namespace stand_in {

struct Thread {
  ucontext_t context;
  bool is_done = false;
  alignas(64) char stack[64 << 10];
};
static ucontext_t block_context;
static Thread* current;
/// What each thread does, with what it is called with.
static void (*body)(void*);
static void* body_arguments;

static void run_thread() {
  body(body_arguments);
  current->is_done = true;
}

static void run_block() {
  static Thread threads[1024];
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

static void __syncthreads() {
  stand_in::Thread* const me = stand_in::current;
  const Index index = threadIdx;
  swapcontext(&me->context, &stand_in::block_context);
  threadIdx = index;
}
