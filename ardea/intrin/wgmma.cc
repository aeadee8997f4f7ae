#include <fmt/core.h>

#include "ardea/intrin/families.h"
#include "ardea/intrin/ptx_operands.h"
#include "ardea/support/text.h"

/// `wgmma` of Hopper: four warps multiply 64 rows with up to 256 columns out of shared memory, and hold the
/// sums as `mma.sync` has them (mma.cc), sixteen rows each. A record is one warp's part of a panel that is 64
/// deep: rows of both factors take 128 bytes, and lie swizzled (PTX ISA, "128-byte swizzling mode"). It comes
/// twice: of rows as the program names them, which is what tensorize matches, and of rows as they lie, which
/// lowering puts in its place.

namespace ardea::intrin {

namespace wgmma {

namespace {

using Words = std::map<std::string, std::string>;

constexpr int depth = 64, step = 16, group_warps = 4;

struct Product {
  std::string type;  ///< of factors, as programs spell it
  std::string name;  ///< in names of records and of instructions
  int columns = 64;
  bool has_rows_of_n = false;  ///< rows of the right factor are of n, else of k

  std::string record() const {
    return fmt::format("wgmma.m64n{}k{}_{}{}", columns, depth, name, has_rows_of_n ? "_by_columns" : "");
  }
};

/// Of A[i, k], where `^` changes places of 16 bytes within each row.
std::string meaning(const Product& p, bool is_swizzled) {
  const std::string a = is_swizzled ? "A[vi, ((vk // 8 ^ vi % 8) & 7) * 8 + vk % 8]" : "A[vi, vk]";
  std::string b;
  if (p.has_rows_of_n)
    b = is_swizzled ? "B[vb * 64 + vt * 8 + vj, ((vk // 8 ^ vj) & 7) * 8 + vk % 8]"
                    : "B[vb * 64 + vt * 8 + vj, vk]";
  else
    b = is_swizzled ? "B[vb, vk, ((vt ^ vk % 8) & 7) * 8 + vj]" : "B[vb, vk, vt * 8 + vj]";
  const Words words = {{"blocks", std::to_string(p.columns / 64)},
                       {"rows_of_b", std::to_string(p.columns)},
                       {"type", p.type},
                       {"a", a},
                       {"b", b}};
  const std::string loops = R"(
    for b, t, i, j, k in T.grid($blocks, 8, 16, 8, 64):
        with T.block("C"):
            vb, vt, vi, vj, vk = T.axis.remap("SSSSR", [b, t, i, j, k])
            C[vb, vt, vi, vj] = C[vb, vt, vi, vj] + T.Cast("float32", $a) * T.Cast("float32", $b)
)";
  const std::string as_it_lies = R"(
@T.prim_func
def wgmma(C: T.Buffer(($blocks, 8, 16, 8), "float32"), A: T.Buffer((16, 64), "$type"), B: T.Buffer(($shape), "$type")):)";
  const std::string as_it_is_named = R"(
@T.prim_func
def wgmma(C: T.Buffer(($blocks, 8, 16, 8), "float32"), a: T.handle, b: T.handle, $strides):
    A = T.match_buffer(a, (16, 64), "$type", strides=[lda, 1])
    B = T.match_buffer(b, ($shape), "$type", strides=[$of_b, 1]))";
  const Words of_b =
      p.has_rows_of_n
          ? Words{{"shape", "$rows_of_b, 64"}, {"strides", "lda: T.int64, ldb: T.int64"}, {"of_b", "ldb"}}
          : Words{{"shape", "$blocks, 64, 64"},
                  {"strides", "lda: T.int64, ldblock: T.int64, ldb: T.int64"},
                  {"of_b", "ldblock, ldb"}};
  return filled(filled((is_swizzled ? as_it_lies : as_it_is_named) + loops, of_b), words);
}

/// Asks for all steps of the panel, one after the other; who wants the sums waits for them. What a descriptor
/// says beside where the factor begins: blocks of 64 columns are 8192 bytes apart, rows eight further on
/// 1024, all in sixteens; rows are swizzled by 128 bytes.
std::string implementation(const Product& p) {
  const int words = p.columns / 2;
  std::vector<std::string> products, factors;
  for (int k = 0; k < depth / step; ++k) {
    products.push_back(fmt::format(
        "      \"wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{2} {{{3}}}, %{4}, %{5}, 1, 1, 1, 0, "
        "{6};\\n\"\n",
        p.columns, step, p.name, operands_from(0, words), words + 2 * k, words + 2 * k + 1,
        p.has_rows_of_n ? 0 : 1));
    // Sixteen elements further in a row, or sixteen rows.
    factors.push_back(fmt::format("\"l\"(a + {}), \"l\"(b + {})", 2 * k, p.has_rows_of_n ? 2 * k : 128 * k));
  }
  return filled(R"(
__device__ __forceinline__ void $function(uint32_t* C, const void* A, const void* B) {
  const uint32_t warp = (threadIdx.z * blockDim.y + threadIdx.y) % $warps;  // of those that multiply together
  const uint32_t rows = (uint32_t)__cvta_generic_to_shared(A) - warp * $warp_bytes;
  const uint32_t columns = (uint32_t)__cvta_generic_to_shared(B);
  const uint64_t a = (rows & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
  const uint64_t b = (columns & 0x3ffff) >> 4 | $apartull << 16 | 64ull << 32 | 1ull << 62;
  asm volatile(
      "wgmma.fence.sync.aligned;\n"
$products      "wgmma.commit_group.sync.aligned;\n"
      : $sums
      : $factors
      : "memory");
}
)",
                {{"warps", std::to_string(group_warps)},
                 {"warp_bytes", "2048"},
                 {"apart", p.has_rows_of_n ? "1" : "512"},
                 {"products", join(products, "")},
                 {"sums", registers("+r", "C", words)},
                 {"factors", join(factors, ", ")}});
}

Instruction record(const Product& p, bool is_swizzled, const std::string& rounding) {
  const Operand sums{.scope = "mma.c", .tile_bytes = std::int64_t{16} * 8 * 4, .lane_words = 4},
      rows{.scope = "shared", .alignment_bytes = is_swizzled ? 1024 : 2, .warp_bytes = 2048},
      columns{.scope = "shared", .alignment_bytes = is_swizzled ? 1024 : 2};
  Instruction out = written_instruction(
      p.record() + (is_swizzled ? "_swizzled" : ""), "sm90", meaning(p, is_swizzled), {sums, rows, columns},
      is_swizzled ? std::map<std::string, std::string>{{"cuda", implementation(p)}}
                  : std::map<std::string, std::string>{},
      rounding);
  out.warps = group_warps;
  if (!is_swizzled) out.on_swizzled_rows = p.record() + "_swizzled";
  return out;
}

}  // namespace

}  // namespace wgmma

std::vector<Instruction> wgmma_instructions() {
  using namespace wgmma;
  std::vector<Instruction> all;
  for (const auto& [type, name] : {std::pair{"float16", "f16"}, {"bfloat16", "bf16"}})
    for (const int columns : {64, 128, 256})
      for (const bool has_rows_of_n : {false, true})
        for (const bool is_swizzled : {false, true})
          all.push_back(record({type, name, columns, has_rows_of_n}, is_swizzled, tensor_core_rounding()));
  return all;
}

}  // namespace ardea::intrin
