#include "ardea/ir/equal.h"

#include <gtest/gtest.h>

#include <set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "tests/ir/programs.h"

namespace ardea {
namespace {

TEST(Equal, ignores_the_names_of_what_is_defined_inside) {
  const auto program = [](const std::string& loop, const std::string& array) {
    FunctionBuilder f("f");
    const Buffer a = f.parameter(array, std::vector<std::int64_t>{4});
    f.grid({loop}, {make_int(4)}, [&](const std::vector<Var>& v) { f.store(a, {v[0]}, make_float(1)); });
    return f.build();
  };
  EXPECT_TRUE(structurally_equal(program("i", "A"), program("j", "B")));
  EXPECT_EQ(structural_hash(program("i", "A")), structural_hash(program("j", "B")));
}

TEST(Equal, free_variables_are_equal_only_to_themselves) {
  const Var x("x"), y("x");
  EXPECT_TRUE(structurally_equal(x + 1, x + 1));
  EXPECT_FALSE(structurally_equal(x + 1, y + 1));
}

TEST(Equal, the_correspondence_of_variables_is_one_to_one) {
  const auto program = [](bool twice_the_same) {
    FunctionBuilder f("f");
    const Buffer a = f.parameter("A", std::vector<std::int64_t>{4, 4});
    f.grid({"i", "j"}, {make_int(4), make_int(4)},
           [&](const std::vector<Var>& v) { f.store(a, {v[0], v[twice_the_same ? 0 : 1]}, make_float(1)); });
    return f.build();
  };
  EXPECT_FALSE(structurally_equal(program(true), program(false)));
  EXPECT_FALSE(structurally_equal(program(false), program(true)));
  EXPECT_FALSE(first_difference(program(true), program(false)).empty());
}

TEST(Equal, sees_every_field) {
  const Function base = gemm_program(3, 5, 7);
  std::vector<Function> different = {gemm_program(3, 5, 8), gemm_program(4, 5, 7), gemm_program(3, 6, 7)};
  const auto edited = [&](const std::function<void(Block&)>& edit) {
    Function f = base;
    f.body = rewrite(base.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                       const auto* block = s.as<Block>();
                       if (block == nullptr || block->name != "C") return s;
                       Block copy = *block;
                       edit(copy);
                       return copy;
                     }});
    different.push_back(f);
  };
  edited([](Block& b) { b.name = "D"; });
  edited([](Block& b) { b.predicate = make_bool(false); });
  edited([](Block& b) { b.init = {}; });
  edited([](Block& b) { b.reads.emplace(); });
  edited([](Block& b) { b.annotations["x"] = {make_int(1)}; });
  edited([](Block& b) { b.iterators[2].kind = IteratorKind::spatial; });
  edited([](Block& b) { b.iterators[0].domain.extent = make_int(4); });
  edited([](Block& b) { b.iterators[0].binding = b.iterators[0].binding + 1; });
  edited([](Block& b) { b.allocations.push_back(make_buffer("T", std::vector<std::int64_t>{2})); });
  Function parallel = base;
  parallel.body = rewrite(base.body, Rewriter{.stmt_after = [](const Stmt& s) -> Stmt {
                            const auto* loop = s.as<For>();
                            if (loop == nullptr) return s;
                            For copy = *loop;
                            copy.kind = ForKind::parallel;
                            return copy;
                          }});
  different.push_back(parallel);
  Function attributed = base;
  attributed.attributes["tir.noalias"] = {make_bool(true)};
  different.push_back(attributed);
  std::set<std::uint64_t> hashes = {structural_hash(base)};
  for (std::size_t i = 0; i < different.size(); ++i) {
    EXPECT_FALSE(structurally_equal(base, different[i])) << "edit " << i;
    EXPECT_NE(first_difference(base, different[i]), "") << "edit " << i;
    EXPECT_TRUE(hashes.insert(structural_hash(different[i])).second) << "edit " << i << " collides";
  }
}

TEST(Equal, compares_shared_expressions_in_linear_time) {
  const Var x("x");
  const auto doubled = [&](int n) {
    Expr e = x;
    for (int i = 0; i < n; ++i) e = e + e;
    return e;
  };
  EXPECT_TRUE(structurally_equal(doubled(100), doubled(100)));
  EXPECT_EQ(structural_hash(doubled(100)), structural_hash(doubled(100)));
}

TEST(Equal, a_shared_let_equals_two_copies_of_it) {
  const auto let = [] {
    const Var t("t");
    return make_let(t, make_int(2), t * t);
  };
  const Expr shared = let();
  EXPECT_TRUE(structurally_equal(shared + shared, let() + let()));
  EXPECT_EQ(structural_hash(shared + shared), structural_hash(let() + let()));
}

TEST(Equal, float_constants_compare_by_their_bits) {
  EXPECT_FALSE(structurally_equal(make_float(0.0), make_float(-0.0)));
  EXPECT_TRUE(structurally_equal(make_float(std::numeric_limits<double>::quiet_NaN()),
                                 make_float(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Equal, symbolic_extents_correspond_by_order) {
  const auto program = [](bool square) {
    FunctionBuilder f("f");
    const Var n("n"), m("m");
    const Buffer a = f.parameter("A", {n, square ? n : m});
    f.store(a, {make_int(0), make_int(0)}, make_float(1));
    return f.build();
  };
  EXPECT_TRUE(structurally_equal(program(false), program(false)));
  EXPECT_EQ(structural_hash(program(false)), structural_hash(program(false)));
  EXPECT_FALSE(structurally_equal(program(true), program(false)));
}

TEST(Hash, is_the_same_on_every_machine) {
  EXPECT_EQ(structural_hash(gemm_program(3, 5, 7)), 14648517204816338868u);
}

}  // namespace
}  // namespace ardea
