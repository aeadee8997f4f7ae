// CUDA C++ as a C++ compiler for this machine takes it: threads of a block are threads, blocks run one after
// the other. Only what generated kernels use; tests compile them behind this text.
#include <math.h>

#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))

// Kernels run one after the other here: those that wait for others, as GPUs' assembler has it, need not.
asm(".macro griddepcontrol.wait\n.endm\n.macro griddepcontrol.launch_dependents\n.endm\n");

struct Index {
  unsigned x, y, z;
};
inline thread_local Index threadIdx, blockIdx;
inline thread_local std::barrier<>* waiting;

inline void __syncthreads() { waiting->arrive_and_wait(); }
// All threads of a block come to each of them.
inline void __syncwarp() { __syncthreads(); }
inline thread_local unsigned thread_number, thread_count;
template <class T>
inline T __shfl_down_sync(unsigned, T value, int offset, int width) {
  static T given[1024];
  given[thread_number] = value;
  __syncthreads();
  const unsigned from = thread_number + offset;
  const bool is_there = thread_number % width + offset < (unsigned)width && from < thread_count;
  const T taken = is_there ? given[from] : value;
  __syncthreads();
  return taken;
}
[[noreturn]] inline void __trap() { abort(); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

#ifdef __aarch64__
typedef __fp16 __half;
#else
typedef _Float16 __half;
#endif
inline float __half2float(__half x) { return (float)x; }
inline __half __float2half_rn(float x) { return (__half)x; }
inline __half __double2half(double x) { return (__half)x; }
inline __half __ushort_as_half(unsigned short bits) {
  __half x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

struct __nv_bfloat16 {
  unsigned short bits;
};
inline float __bfloat162float(__nv_bfloat16 x) {
  const unsigned bits = unsigned(x.bits) << 16;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  if (x != x) return {0x7fc0};
  return {(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
// By way of the float beside x whose last bit is odd, so that the second rounding sees where x was.
inline __nv_bfloat16 __double2bfloat16(double x) {
  float nearest = (float)x;
  unsigned bits;
  memcpy(&bits, &nearest, sizeof bits);
  if (nearest != x && x == x) bits = (bits - (fabs((double)nearest) > fabs(x))) | 1;
  memcpy(&nearest, &bits, sizeof nearest);
  return __float2bfloat16_rn(nearest);
}
inline __nv_bfloat16 __int2bfloat16_rn(int x) { return __double2bfloat16(x); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __double2bfloat16(x); }
// Of numbers below 2^53, as the tests have.
inline __nv_bfloat16 __ll2bfloat16_rn(long long x) { return __double2bfloat16((double)x); }
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x) { return __double2bfloat16((double)x); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return {bits}; }

alignas(1024) unsigned char shared_memory[1 << 18];

/// An array of whatever type the kernel takes.
struct AnyArray {
  void* data;
  template <class T>
  operator T*() const {
    return (T*)data;
  }
};

template <class Kernel>
void launch(const int64_t* grid, const int64_t* block, const Kernel& kernel) {
  const int64_t threads = block[0] * block[1] * block[2];
  for (int64_t b = 0; b < grid[0] * grid[1] * grid[2]; ++b) {
    memset(shared_memory, 0xff, sizeof shared_memory);
    std::barrier<> all(threads);
    std::vector<std::thread> running;
    for (int64_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        waiting = &all;
        thread_number = unsigned(t);
        thread_count = unsigned(threads);
        blockIdx = {unsigned(b % grid[0]), unsigned(b / grid[0] % grid[1]), unsigned(b / grid[0] / grid[1])};
        threadIdx = {unsigned(t % block[0]), unsigned(t / block[0] % block[1]),
                     unsigned(t / block[0] / block[1])};
        kernel();
      });
    for (std::thread& one : running) one.join();
  }
}
