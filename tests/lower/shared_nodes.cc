#include <gtest/gtest.h>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/builder.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Programs made in C++ share nodes where text repeats them. A pass that rewrites a shared let differently in
/// two statements must not leave one variable with two definitions.

namespace ardea::lower {

namespace {

/// Two stores of one value: let x = f(i, j, memory) in g(x), of a type that legalise_types rewrites.
Function two_stores_of_one_let(ForKind kind, DataType type) {
  FunctionBuilder f("shared");
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{7, 12}, type);
  const Buffer b = f.parameter("B", std::vector<std::int64_t>{7, 12}, type);
  const Buffer c = f.parameter("C", std::vector<std::int64_t>{7, 12}, type);
  const Buffer row = f.parameter("R", std::vector<std::int64_t>{7}, type);
  f.grid({"i", "j"}, {make_int(7), make_int(12)}, [&](const std::vector<Var>& loops) {
    f.block("pair", [&](BlockBuilder& block) {
      const Var i = block.spatial("vi", make_int(7), loops[0]);
      const Var j = block.spatial("vj", make_int(12), loops[1]);
      const Var x("x", type);
      const Expr place = make_cast(type, floor_mod(i * 12 + j, make_int(5)));
      const Expr value = make_let(x, make_load(a, {i, j}) * make_load(row, {i}) + place, x * x + x);
      f.store(b, {i, j}, value);
      f.store(c, {i, j}, value + make_load(row, {i}));
    });
  });
  Function out = arith::complete_regions(f.build());
  // The innermost loop runs as asked.
  const std::function<Stmt(const Stmt&)> mark = [&](const Stmt& s) {
    const Stmt inner = map_children(s, Mapper{.stmt = mark});
    const auto* loop = inner.as<For>();
    if (loop == nullptr || loop->var.name() != "j") return inner;
    For marked = *loop;
    marked.kind = kind;
    return Stmt(marked);
  };
  out.body = mark(out.body);
  return out;
}

TEST(SharedNodes, leave_every_variable_one_definition) {
  for (const ForKind kind : {ForKind::serial, ForKind::vectorized, ForKind::unrolled, ForKind::parallel})
    for (const DataType type : {float32, bfloat16, float16, int64, int32}) {
      Function f = two_stores_of_one_let(kind, type);
      ASSERT_TRUE(arith::verify(f).empty()) << print(f);
      const target::Target target = target::find("generic-x86_64");
      for (const Pass& pass : pipeline(target)) {
        f = pass.run(f, target);
        const auto violations = arith::verify(f);
        EXPECT_TRUE(violations.empty()) << pass.name << ", " << to_string(type) << ", loop kind "
                                        << static_cast<int>(kind) << ": " << violations[0].message << "\n"
                                        << print(f);
        if (!violations.empty()) break;
      }
    }
}

}  // namespace

}  // namespace ardea::lower
