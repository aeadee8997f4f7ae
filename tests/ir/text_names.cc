#include <gtest/gtest.h>

#include "ardea/ir/builder.h"
#include "programs.h"
#include "text_programs.h"

namespace ardea {
namespace {

TEST(TextNames, are_unique_in_a_scope_and_reused_by_siblings) {
  const Var a("i"), b("i"), c("i");
  const Stmt inner = For{.var = b, .min = make_int(0), .extent = make_int(3), .body = Evaluate{a + b}};
  const Stmt outer =
      For{.var = a, .min = make_int(0), .extent = make_int(2), .body = make_seq({inner, inner})};
  const Stmt sibling = For{.var = c, .min = make_int(0), .extent = make_int(4), .body = Evaluate{c}};
  EXPECT_EQ(print(make_seq({outer, sibling})),
            "for i in range(2):\n"
            "    for i_1 in range(3):\n"
            "        T.evaluate(i + i_1)\n"
            "    for i_1 in range(3):\n"
            "        T.evaluate(i + i_1)\n"
            "for i in range(4):\n"
            "    T.evaluate(i)\n");
}

TEST(TextNames, of_views_step_aside_for_the_memory_they_view) {
  const Var memory("C", handle_type);
  const Buffer view(BufferNode{.name = "C", .data = memory, .shape = {make_int(4)}});
  const Stmt program = Allocate{.data = memory,
                                .type = float32,
                                .extents = {make_int(4)},
                                .body = DeclareBuffer{view, make_store(view, {make_int(0)}, make_float(0))}};
  EXPECT_EQ(print(program),
            "C = T.allocate([4], \"float32\", \"global\")\n"
            "C_1 = T.Buffer((4,), data=C)\n"
            "C_1[0] = T.float32(0.0)\n");
}

TEST(TextNames, become_identifiers_of_the_grammar) {
  struct Named {
    std::string name, in_programs, to_people;
  };
  for (const auto& [name, in_programs, to_people] : std::vector<Named>{{"a.b", "a_b", "a_b"},
                                                                       {"0", "v0", "v0"},
                                                                       {"", "v", "v"},
                                                                       {"for", "for_", "for"},
                                                                       {"T", "T_", "T"},
                                                                       {"I", "I_", "I"},
                                                                       {"range", "range_", "range"},
                                                                       {"é", "__", "__"}}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(print(Var(name)), to_people);
    Function f;
    f.parameters.push_back({Var(name, int64)});
    f.body = Evaluate{f.parameters[0].var + 1};
    EXPECT_NE(print(f).find("(" + in_programs + ": T.int64)"), std::string::npos) << print(f);
    EXPECT_EQ(first_difference(f, parse_function(print(f))), "");
  }
}

TEST(TextNames, of_hidden_definitions_do_not_leak) {
  // The inner n hides the outer one, in its own suite only.
  const Function f =
      parse_function(around("for i in range(4):\n    n: T.int32 = i\n    T.evaluate(n)\nT.evaluate(n)"));
  const auto& statements = f.body.as<Seq>()->statements;
  const auto* let = statements[0].as<For>()->body.as<LetStmt>();
  EXPECT_EQ(let->body.as<Evaluate>()->value, let->var);
  EXPECT_EQ(statements[1].as<Evaluate>()->value, f.parameters[3].var);
  EXPECT_EQ(first_difference(f, parse_function(print(f))), "");
}

TEST(TextNames, a_definition_holds_to_the_end_of_its_suite) {
  EXPECT_THROW(parse(around("if p:\n    y: T.int32 = k\n    T.evaluate(y)\nT.evaluate(y)")), Error);
  EXPECT_NO_THROW(parse(around("y: T.int32 = k\nif p:\n    T.evaluate(y)\nT.evaluate(y)")));
}

TEST(TextBuilder, programs_print_back) {
  for (const auto& [m, k, n] :
       std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {7, 13, 3}, {64, 32, 128}}) {
    const Function f = gemm_program(m, k, n);
    EXPECT_EQ(first_difference(f, parse_function(print(f))), "") << print(f);
  }
}

TEST(TextBuilder, a_program_with_symbolic_extents_takes_handles) {
  FunctionBuilder builder("copy");
  const Var n("n");
  const Buffer a = builder.parameter("A", {n}), b = builder.parameter("B", {n});
  builder.grid({"i"}, {n}, [&](const std::vector<Var>& loops) {
    builder.store(b, {loops[0]}, make_load(a, {loops[0]}));
  });
  const Function f = builder.build();
  EXPECT_EQ(print(f), text_header +
                          "def copy(A_handle: T.handle, B_handle: T.handle):\n"
                          "    n = T.int64()\n"
                          "    A = T.match_buffer(A_handle, (n,))\n"
                          "    B = T.match_buffer(B_handle, (n,))\n"
                          "    for i in range(n):\n"
                          "        B[i] = A[i]\n");
  EXPECT_EQ(first_difference(f, parse_function(print(f))), "");
}

TEST(TextParts, print_for_messages) {
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{16, 16});
  const Var i("i");
  EXPECT_EQ(print(BufferRegion{a, {{i, make_int(1)}, {make_int(0), make_int(16)}}}), "A[i, 0:16]");
  EXPECT_EQ(print(whole_region(a)), "A[0:16, 0:16]");
  EXPECT_EQ(print(make_load(a, {i, i + 1}) * make_float(2)), "A[i, i + 1] * T.float32(2.0)");
}

}  // namespace
}  // namespace ardea
