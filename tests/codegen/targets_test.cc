#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ardea/codegen/llvm/codegen.h"
#include "tests/codegen/lowered.h"

namespace ardea::test {
namespace {

Function axpy() {
  const Buffer a = flat("a", 1024, float32), out = flat("out", 1024, float32);
  const Stmt body = loop(1024, [&](const Var& i) {
    return make_store(out, {i}, make_load(a, {i}) * make_load(a, {i}) + make_load(out, {i}));
  });
  return entry("axpy", {a, out}, body, {{"tir.noalias", Attribute{make_bool(true)}}});
}

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

TEST(Assembly, of_either_architecture_uses_what_its_target_has) {
  const std::vector functions{axpy()};
  const auto assembly = [&](const char* name, bool contract = true) {
    return codegen::assembly(functions, target::find(name), {.contract = contract});
  };
  EXPECT_TRUE(has(assembly("generic-aarch64"), "fmla"));
  EXPECT_FALSE(has(assembly("generic-aarch64", false), "fmla"));
  EXPECT_TRUE(has(assembly("avx2"), "vfmadd"));
  EXPECT_TRUE(has(assembly("avx2"), "ymm"));
  EXPECT_FALSE(has(assembly("avx2", false), "vfmadd"));
  EXPECT_FALSE(has(assembly("avx2"), "zmm"));
  EXPECT_TRUE(has(assembly("sapphirerapids"), "zmm"));
  EXPECT_FALSE(has(assembly("generic-x86_64"), "ymm"));
  EXPECT_FALSE(has(assembly("generic-x86_64"), "vfmadd"));
}

TEST(Assembly, a_processor_s_name_implies_no_feature) {
  target::Target target = target::find("generic-x86_64");
  target.cpu = "sapphirerapids";
  const std::string text = codegen::assembly(std::vector{axpy()}, target, {});
  EXPECT_FALSE(has(text, "ymm") || has(text, "zmm") || has(text, "vfmadd"));
  target = target::find("generic-aarch64");
  target.cpu = "neoverse-v1";
  EXPECT_FALSE(has(codegen::assembly(std::vector{axpy()}, target, {}), "z0.s"))
      << "SVE is not in the feature list";
}

/// out[i] = in[index(i)] + 1 for i in [0, 64).
Function moved(const std::function<Expr(const Var&)>& index, bool named = false) {
  const Buffer in = flat("in", 64, int32), out = flat("out", 64, int32);
  const Stmt body = loop(64, [&](const Var& i) -> Stmt {
    const Var at("at", int64);
    const Stmt store =
        make_store(out, {i}, make_load(in, {named ? Expr(at) : index(i)}) + make_int(1, int32));
    return named ? Stmt(LetStmt{at, index(i), store}) : store;
  });
  return entry("moved", {in, out}, body, {{"tir.noalias", Attribute{make_bool(true)}}});
}

std::string vectorised_for(const std::string& target, const Function& f) {
  const std::string text = codegen::llvm_ir(std::vector{f}, target::find(target), {});
  return has(text, " x i32>") ? text : "";
}

TEST(Loops, whose_places_go_round_are_not_left_to_the_vectorizer_of_llvm) {
  for (const char* target : {"generic-aarch64", "neoverse-v1", "avx2", "sapphirerapids"}) {
    EXPECT_NE(vectorised_for(target, moved([](const Var& i) { return i; })), "") << target;
    for (const std::int64_t step : {3, 5, 7}) {
      const auto round = [&](const Var& i) { return floor_mod(i * step, make_int(64)); };
      EXPECT_EQ(vectorised_for(target, moved(round)), "");
      EXPECT_EQ(vectorised_for(target, moved(round, /*named=*/true)), "");
      EXPECT_EQ(vectorised_for(target, moved([&](const Var& i) {
                                 const Expr narrow = make_cast(uint8, i) * make_const(step, uint8);
                                 return floor_div(make_cast(int64, narrow), make_int(4));
                               })),
                "");
    }
  }
}

TEST(Loops, that_read_places_which_go_round_read_their_own) {
  const auto source = runtime::Array::zeros({64}, int32), answer = runtime::Array::zeros({64}, int32);
  for (std::int64_t i = 0; i < 64; ++i) source.set_int(i, i * i);
  for (const int level : {1, 2, 3})
    for (const std::int64_t step : {3, 5, 7}) {
      compile(moved([&](const Var& i) { return floor_mod(i * step, make_int(64)); }),
              {.optimization_level = level})(source, answer);
      for (std::int64_t i = 0; i < 64; ++i)
        ASSERT_EQ(answer.get_int(i), (i * step % 64) * (i * step % 64) + 1)
            << "level " << level << ", step " << step;
    }
}

/// The masked loops that LLVM 19.1.7 makes of short ones, in vectors of the processor's own length, overwrite
/// registers of others.
TEST(Loops, are_not_left_to_vectors_of_a_length_that_only_the_processor_knows) {
  const char* target = "neoverse-v1-sve";
  ASSERT_TRUE(target::find(target).has("sve"));
  const std::string text = vectorised_for(target, moved([](const Var& i) { return i; }));
  EXPECT_NE(text, "");
  EXPECT_FALSE(has(text, "vscale")) << text;
}

/// vcmpph, vcmpltph, …: vcmp and ph in one word.
bool compares_halves(const std::string& assembly) {
  for (std::size_t at = assembly.find("vcmp"); at != std::string::npos; at = assembly.find("vcmp", at + 1)) {
    const std::size_t end = std::min(assembly.find_first_of(" \t\n", at), assembly.size());
    if (assembly.compare(end - 2, 2, "ph") == 0) return true;
  }
  return false;
}

/// LLVM compares halves where it can, and exchanges the operands of a masked comparison of halves.
TEST(Halves, are_compared_as_singles_where_llvm_would_compare_halves) {
  const Buffer a = flat("a", 32, float16), b = flat("b", 32, float16), out = flat("out", 32, int32);
  const Expr at = make_ramp(make_int(0), make_int(1), 32);
  const auto single = [&](const Buffer& from) {
    return make_cast(float32.with_lanes(32), make_load(from, {at}));
  };
  const auto zero = make_broadcast(make_int(0, int32), 32), one = make_broadcast(make_int(1, int32), 32);
  const Expr ones = make_broadcast(make_const(1, float32), 32);
  for (const Expr& comparison :
       {single(a) > single(b), single(a) <= single(b), single(a) < ones, ones >= single(b)}) {
    const Stmt body = make_store(out, {at}, make_select(comparison, one, zero));
    const std::string text =
        codegen::assembly(std::vector{entry("f", {a, b, out}, body)}, target::find("sapphirerapids"), {});
    EXPECT_TRUE(has(text, "vcmp")) << text;
    EXPECT_FALSE(compares_halves(text)) << text;
  }
}

TEST(Object, is_an_elf_file_with_the_entry_point) {
  for (const char* name : {"generic-aarch64", "avx2"}) {
    const std::string bytes = codegen::object_code(std::vector{axpy()}, target::find(name), {});
    EXPECT_EQ(bytes.substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_TRUE(has(bytes, codegen::entry_symbol("axpy")));
  }
}

TEST(Host, runs_a_vectorised_loop_with_every_feature_that_it_lists) {
  const auto a = runtime::Array::zeros({1024}, float32), out = runtime::Array::zeros({1024}, float32);
  for (std::int64_t i = 0; i < 1024; ++i) a.set_float(i, double(i % 31));
  compile(axpy())(a, out);
  for (std::int64_t i = 0; i < 1024; ++i) ASSERT_EQ(out.get_float(i), double((i % 31) * (i % 31)));
}

TEST(Machine, refuses_what_it_cannot_compile_for) {
  const auto refusal = [](const target::Target& target, std::vector<Function> functions = {axpy()},
                          int level = 3) {
    return error_of([&] { codegen::llvm_ir(functions, target, {.optimization_level = level}); });
  };
  EXPECT_TRUE(has(refusal(target::find("h200")), "h200"));
  EXPECT_TRUE(has(refusal(host(), {axpy(), axpy()}), "two functions are called axpy; rename one"));
  EXPECT_TRUE(has(refusal(host(), {axpy()}, 9), "optimization_level 9: must be 0, 1, 2 or 3"));
  target::Target target = target::find("avx2");
  target.triple = "abacus-unknown-none";
  EXPECT_TRUE(has(refusal(target), "no code generator for the triple abacus-unknown-none"));
  target = target::find("avx2");
  target.cpu = "haswel";
  EXPECT_TRUE(has(refusal(target), "no processor \"haswel\""));
  target = target::find("avx2");
  target.features.emplace_back("+avx52");
  EXPECT_TRUE(has(refusal(target), "no feature \"avx52\" for x86_64; did you mean"));
}

TEST(Machine, knows_every_named_target) {
  for (const std::string& name : target::names()) {
    const target::Target target = target::find(name);
    if (target.kind != target::Kind::cpu) continue;
    EXPECT_EQ(error_of([&] { codegen::llvm_ir(std::vector{axpy()}, target, {.optimization_level = 0}); }), "")
        << name;
  }
}

}  // namespace
}  // namespace ardea::test
