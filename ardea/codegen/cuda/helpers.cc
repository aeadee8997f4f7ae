#include "ardea/codegen/cuda/helpers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ardea/intrin/families.h"
#include "ardea/lower/gpu/kernel_boxes.h"
#include "ardea/support/error.h"

namespace ardea::codegen::cuda {

namespace {

/// Each is used by those below it only.
const std::vector<std::pair<std::string, std::string>>& definitions() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"Pack", R"(// Lanes that are read or written at once.
template <class T, int count>
struct alignas(sizeof(T) * count) Pack {
  T lane[count];
};
)"},
      {"load_bytes", R"(// Of memory that is seen as numbers of several types.
template <class T>
__device__ __forceinline__ T load_bytes(const unsigned char* at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}
)"},
      {"store_bytes", R"(template <class T>
__device__ __forceinline__ void store_bytes(unsigned char* at, T value) {
  memcpy(at, &value, sizeof value);
}
)"},
      {"bits_of", R"(// The same bits as another type.
template <class To, class From>
__device__ __forceinline__ To bits_of(From value) {
  static_assert(sizeof(To) == sizeof(From), "bits are neither added nor lost");
  To out;
  memcpy(&out, &value, sizeof out);
  return out;
}
)"},
      {"is_negative", R"(template <class T>
__device__ __forceinline__ bool is_negative(T x) {
  if constexpr (T(-1) < T(0))
    return x < 0;
  else
    return false;
}
)"},
      {"floor_div", R"(// Rounds down; 0 by zero; the smallest by -1 is itself.
template <class T>
__device__ __forceinline__ T floor_div(T a, T b) {
  if (b == 0) return 0;
  if (T(-1) < T(0) && b == T(-1)) return T(0ull - (unsigned long long)a);
  const T quotient = a / b, rest = a % b;
  return T(quotient - (rest != 0 && is_negative(rest) != is_negative(b)));
}
)"},
      {"floor_mod", R"(// Has the sign of b; a by zero.
template <class T>
__device__ __forceinline__ T floor_mod(T a, T b) {
  if (b == 0) return a;
  if (T(-1) < T(0) && b == T(-1)) return 0;
  const T rest = a % b;
  return rest != 0 && is_negative(rest) != is_negative(b) ? T(rest + b) : rest;
}
)"},
      {"trunc_div", R"(// Rounds towards zero; 0 by zero; the smallest by -1 is itself.
template <class T>
__device__ __forceinline__ T trunc_div(T a, T b) {
  if (b == 0) return 0;
  return T(-1) < T(0) && b == T(-1) ? T(0ull - (unsigned long long)a) : T(a / b);
}
)"},
      {"trunc_mod", R"(// Has the sign of a; a by zero.
template <class T>
__device__ __forceinline__ T trunc_mod(T a, T b) {
  if (b == 0) return a;
  return T(-1) < T(0) && b == T(-1) ? T(0) : T(a % b);
}
)"},
      {"shift_left", R"(// An amount that is negative or too large shifts everything out.
template <class T>
__device__ __forceinline__ T shift_left(T a, T b) {
  return !is_negative(b) && b < T(sizeof(T) * 8) ? T((unsigned long long)a << b) : T(0);
}
)"},
      {"shift_right", R"(// The same; the sign is copied.
template <class T>
__device__ __forceinline__ T shift_right(T a, T b) {
  if (!is_negative(b) && b < T(sizeof(T) * 8)) return T(a >> b);
  return is_negative(a) ? T(-1) : T(0);
}
)"},
      {"least", R"(template <class T>
__device__ __forceinline__ T least(T a, T b) { return a < b ? a : b; }
)"},
      {"greatest", R"(template <class T>
__device__ __forceinline__ T greatest(T a, T b) { return a > b ? a : b; }
)"},
      {"minimum", R"(// IEEE 754-2019: NaN where either is NaN, and -0 is below +0.
template <class T>
__device__ __forceinline__ T minimum(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
)"},
      {"maximum", R"(// IEEE 754-2019: NaN where either is NaN, and -0 is below +0.
template <class T>
__device__ __forceinline__ T maximum(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
)"},
      {"absolute", R"(// That of the smallest integer is itself.
template <class T>
__device__ __forceinline__ T absolute(T a) { return is_negative(a) ? T(0ull - (unsigned long long)a) : a; }
)"},
      {"to_integer", R"(// Towards zero, and to the nearest end of the range; NaN is 0.
template <class To, class From>
__device__ __forceinline__ To to_integer(From x) {
  constexpr bool is_signed = To(-1) < To(0);
  constexpr int digits = int(sizeof(To) * 8) - is_signed;
  constexpr unsigned long long half = 1ull << (digits - 1);
  constexpr To largest = To(half - 1 + half), smallest = is_signed ? To(half << 1) : To(0);
  const From beyond = From(half) * From(2);
  if (x != x) return 0;
  if (x <= (is_signed ? -beyond : From(0))) return smallest;
  return x >= beyond ? largest : To(x);
}
)"},
      {"scaled", R"(// x * 2^n; beyond the limits every number has become 0 or infinite.
template <class T>
__device__ __forceinline__ T scaled(T x, T n) {
  if (n != n) return n;
  return ldexp(x, n < T(-5000) ? -5000 : n > T(5000) ? 5000 : int(n));
}
)"},
      {"leading_zeros", R"(template <class T>
__device__ __forceinline__ T leading_zeros(T x) {
  constexpr unsigned long long mask = ~0ull >> (64 - sizeof(T) * 8);
  return T(__clzll((long long)((unsigned long long)x & mask)) - (64 - int(sizeof(T)) * 8));
}
)"},
      {"copy_async", R"(// From the device's memory to shared memory, while the thread goes on.
template <int bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  const unsigned target = (unsigned)__cvta_generic_to_shared(to);
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(target), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" : : "r"(target), "l"(from), "n"(bytes) : "memory");
}
)"},
      {"copy_async_or_zero", R"(// The same where the condition holds, else zeros; then nothing is read.
template <int bytes>
__device__ __forceinline__ void copy_async_or_zero(void* to, const void* from, bool holds) {
  const unsigned target = (unsigned)__cvta_generic_to_shared(to);
  const int read = holds ? bytes : 0;
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(target), "l"(from), "r"(read) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"(target), "l"(from), "n"(bytes), "r"(read)
                 : "memory");
}
)"},
      {"copy_async_kept", R"(// The same; the first cache keeps what is copied.
template <int bytes>
__device__ __forceinline__ void copy_async_kept(void* to, const void* from) {
  const unsigned target = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" : : "r"(target), "l"(from), "n"(bytes) : "memory");
}
)"},
      {"copy_async_kept_or_zero", R"(template <int bytes>
__device__ __forceinline__ void copy_async_kept_or_zero(void* to, const void* from, bool holds) {
  const unsigned target = (unsigned)__cvta_generic_to_shared(to);
  const int read = holds ? bytes : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
               :
               : "r"(target), "l"(from), "n"(bytes), "r"(read)
               : "memory");
}
)"},
      {"copy_or_zero", R"(template <int bytes>
__device__ __forceinline__ void copy_or_zero(void* to, const void* from, bool holds) {
  if (holds)
    memcpy(to, from, bytes);
  else
    memset(to, 0, bytes);
}
)"},
      {"sync_with_fence",
       R"(// A barrier, behind which units find what threads have written to shared memory before it.
__device__ __forceinline__ void sync_with_fence() {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  __syncthreads();
}
)"},
      {"wait_for_products", R"(// Those of tensor units that are under way, to these sums.
template <int words>
__device__ __forceinline__ void wait_for_products(uint32_t (&sums)[words]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
#pragma unroll
  for (int i = 0; i < words; ++i) asm volatile("" : "+r"(sums[i]) : : "memory");
}
)"},
      {"commit_copies", R"(__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}
)"},
      {"wait_for_copies", R"(// Until at most so many of the thread's groups are under way.
template <int groups>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" : : "n"(groups) : "memory");
}
)"},
      {"TensorMap", R"(// What the unit that copies boxes knows of an array.
struct alignas(64) TensorMap {
  uint64_t words[16];
};
)"},
      {"Landings",
       R"(// Of boxes on their way to shared memory: groups of them, begun and landed, and a barrier for each that may be
// under way. The block's first thread asks for all of them.
struct Landings {
  uint64_t* barriers;
  uint32_t begun = 0, landed = 0;
  uint32_t bytes = 0;  // of the group that is open

  static constexpr uint32_t count = 8;
  static __device__ __forceinline__ bool is_first() { return (threadIdx.x | threadIdx.y | threadIdx.z) == 0; }
  __device__ __forceinline__ uint32_t barrier(uint32_t group) const {
    return (uint32_t)__cvta_generic_to_shared(barriers + group % count);
  }
  __device__ __forceinline__ explicit Landings(void* at) : barriers((uint64_t*)at) {
    if (is_first())
      for (uint32_t i = 0; i < count; ++i)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barrier(i)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
  }
  // Closes a group; the next one's barrier is free behind it.
  __device__ __forceinline__ void commit() {
    if (is_first())
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   : : "r"(barrier(begun)), "r"(bytes) : "memory");
    bytes = 0;
    ++begun;
    wait(count - 1);
  }
  // Until at most so many groups are under way.
  __device__ __forceinline__ void wait(uint32_t left) {
    for (; landed + left < begun; ++landed) {
      uint32_t has_landed = 0;
      while (has_landed == 0)
        asm volatile(
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}\n"
            : "=r"(has_landed) : "r"(barrier(landed)), "r"(landed / count % 2) : "memory");
    }
  }
};
)"},
      {"copy_box", R"(// So many bytes, zeros for what is outside of the array.
template <int bytes>
__device__ __forceinline__ void copy_box(Landings& landings, void* to, const TensorMap* from, int column, int row,
                                         int outer) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];"
      : : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(landings.barrier(landings.begun)), "r"(column),
          "r"(row), "r"(outer)
      : "memory");
  landings.bytes += bytes;
}
)"},
      {"copy_windows_1d",
       R"(// Of windows, each a pixel away from its corner, the next image's behind an image's last; zeros for what is outside.
template <int bytes>
__device__ __forceinline__ void copy_windows_1d(Landings& landings, void* to, const TensorMap* from, int channel,
                                                int x, int image, uint16_t tap_x) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
      "[%2], {%6};"
      : : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(landings.barrier(landings.begun)), "r"(channel),
          "r"(x), "r"(image), "h"(tap_x)
      : "memory");
  landings.bytes += bytes;
}
)"},
      {"copy_windows_2d",
       R"(// Of windows, each a pixel away from its corner, the next image's behind an image's last; zeros for what is outside.
template <int bytes>
__device__ __forceinline__ void copy_windows_2d(Landings& landings, void* to, const TensorMap* from, int channel,
                                                int x, int y, int image, uint16_t tap_x, uint16_t tap_y) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2], {%7, %8};"
      : : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(landings.barrier(landings.begun)), "r"(channel),
          "r"(x), "r"(y), "r"(image), "h"(tap_x), "h"(tap_y)
      : "memory");
  landings.bytes += bytes;
}
)"},
      {"copy_windows_3d",
       R"(// Of windows, each a pixel away from its corner, the next image's behind an image's last; zeros for what is outside.
template <int bytes>
__device__ __forceinline__ void copy_windows_3d(Landings& landings, void* to, const TensorMap* from, int channel,
                                                int x, int y, int z, int image, uint16_t tap_x, uint16_t tap_y,
                                                uint16_t tap_z) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
      "%7}], [%2], {%8, %9, %10};"
      : : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(landings.barrier(landings.begun)), "r"(channel),
          "r"(x), "r"(y), "r"(z), "r"(image), "h"(tap_x), "h"(tap_y), "h"(tap_z)
      : "memory");
  landings.bytes += bytes;
}
)"},
      {"wait_for_kernels_before",
       R"(// Until those have ended that were launched before this one, and what they have written is there.
__device__ __forceinline__ void wait_for_kernels_before() {
  asm volatile("griddepcontrol.wait;" : : : "memory");
}
)"},
      {"call_next_kernel",
       R"(// As soon as all blocks have come here: it waits for this one's end by itself.
__device__ __forceinline__ void call_next_kernel() {
  asm volatile("griddepcontrol.launch_dependents;");
}
)"},
      {"one_bits", R"(template <class T>
__device__ __forceinline__ T one_bits(T x) {
  constexpr unsigned long long mask = ~0ull >> (64 - sizeof(T) * 8);
  return T(__popcll((unsigned long long)x & mask));
}
)"},
  };
  return all;
}

}  // namespace

std::string Helpers::need(const std::string& name) {
  bool is_known = false;
  for (const auto& [known, text] : definitions()) is_known = is_known || known == name;
  ensure(is_known, "the CUDA backend has no helper {}", name);
  needed_.insert(name);
  for (const char* user : {"floor_div", "floor_mod", "shift_left", "shift_right", "absolute"})
    if (name == user) needed_.insert("is_negative");
  if (name == "copy_box" || name.starts_with("copy_windows_")) needed_.insert({"TensorMap", "Landings"});
  return name;
}

std::string Helpers::instruction(const std::string& name, const std::string& text) {
  std::string function = name;
  std::replace(function.begin(), function.end(), '.', '_');
  instructions_[function] = intrin::filled(text, {{"function", function}});
  return function;
}

void Helpers::need_type(DataType type) {
  has_float16_ = has_float16_ || type.element() == float16;
  has_bfloat16_ = has_bfloat16_ || type.element() == bfloat16;
}

std::string Helpers::includes() const {
  return std::string(has_float16_ ? "#include <cuda_fp16.h>\n" : "") +
         (has_bfloat16_ ? "#include <cuda_bf16.h>\n" : "");
}

std::string Helpers::text() const {
  std::string out;
  for (const auto& [name, text] : definitions())
    if (needed_.contains(name)) out += "\n" + text;
  for (const auto& [name, text] : instructions_) out += (text.starts_with('\n') ? "" : "\n") + text;
  return out;
}

const std::unordered_set<std::string>& Helpers::taken_names() {
  static const std::unordered_set<std::string> names = [] {
    std::unordered_set<std::string> all = {
        // C++, beyond what C has
        "and", "and_eq", "bitand", "bitor", "catch", "char16_t", "char32_t", "class", "compl", "concept",
        "const_cast", "consteval", "constinit", "decltype", "delete", "dynamic_cast", "explicit", "export",
        "friend", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "operator", "or", "or_eq",
        "private", "protected", "public", "reinterpret_cast", "requires", "static_cast", "template", "this",
        "throw", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq", "std",
        // CUDA
        "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "half", "half2", "nv_bfloat16",
        "nv_bfloat162", "printf", "rsqrt", "exp10", "min", "max", "abs", "shared_memory", "landings"};
    for (const auto& [name, text] : definitions()) all.insert(name);
    for (std::size_t i = 0; i < lower::most_boxed_arrays; ++i)
      all.insert(tensor_map_name + std::to_string(i));
    return all;
  }();
  return names;
}

}  // namespace ardea::codegen::cuda
