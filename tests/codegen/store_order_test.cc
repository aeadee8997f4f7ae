#include <gtest/gtest.h>

#include "ardea/codegen/llvm/codegen.h"
#include "tests/codegen/lowered.h"

/// Rows of vectors that are stored side by side stay together in the machine's code.

namespace ardea::test {
namespace {

constexpr std::int64_t vector_lanes = 4, row_vectors = 4, distance = 1000;

/// out[r, v] = in[v, r] for rows r and vectors v, all of which are loaded before; with `read` one more is
/// loaded before each row.
Function stored_rows(std::int64_t rows, std::int64_t vectors, bool read = false) {
  const Buffer in = flat("in", 64 * distance, float32), out = flat("out", 64 * distance, float32);
  const auto at = [](std::int64_t first) { return make_ramp(make_int(first), make_int(1), vector_lanes); };
  std::vector<Stmt> stores;
  std::vector<std::pair<Var, Expr>> loads;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t v = 0; v < vectors; ++v) {
      const Expr load = make_load(in, {at((v * rows + r) * distance)});
      loads.emplace_back(Var("loaded", load.type()), load);
      const Expr here = make_load(in, {at((v * rows + r) * distance + 8)});
      const Expr value = read ? loads.back().first + here : Expr(loads.back().first);
      stores.push_back(make_store(out, {at(r * distance + v * vector_lanes)}, value));
    }
  Stmt body = make_seq(stores);
  for (const auto& [name, value] : loads) body = LetStmt{name, value, body};
  return entry("rows", {in, out}, body, {{"tir.noalias", Attribute{make_bool(true)}}});
}

int fences_in(const Function& f, const char* target) {
  const std::string text = codegen::llvm_ir(std::vector{f}, target::find(target), {});
  int found = 0;
  for (std::size_t at = text.find("  fence "); at != std::string::npos; at = text.find("  fence ", at + 1))
    ++found;
  return found;
}

TEST(StoreOrder, rows_are_stored_one_after_another) {
  EXPECT_EQ(fences_in(stored_rows(3, row_vectors), "neoverse-v1"), 2);
  EXPECT_EQ(fences_in(stored_rows(3, row_vectors), "avx2"), 2);
  const std::string text =
      codegen::assembly(std::vector{stored_rows(4, row_vectors)}, target::find("neoverse-v1"), {});
  EXPECT_EQ(text.find("dmb"), std::string::npos) << "a fence of one thread is no instruction";
}

TEST(StoreOrder, single_vectors_are_in_any_order) {
  EXPECT_EQ(fences_in(stored_rows(4, 1), "neoverse-v1"), 0);
}

TEST(StoreOrder, one_row_has_nothing_to_be_kept_from) {
  EXPECT_EQ(fences_in(stored_rows(1, row_vectors), "neoverse-v1"), 0);
}

/// A load would be kept from moving, too.
TEST(StoreOrder, what_is_read_in_between_moves_as_it_did) {
  EXPECT_EQ(fences_in(stored_rows(4, row_vectors, /*read=*/true), "neoverse-v1"), 0);
}

}  // namespace
}  // namespace ardea::test
