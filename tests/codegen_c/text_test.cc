#include <gtest/gtest.h>

#include "ardea/codegen/c/text.h"

#include "ardea/arith/load.h"
#include "ardea/codegen/c/codegen_c.h"
#include "ardea/lower/pipeline.h"
#include "ardea/runtime/registry.h"
#include "ardea/support/text_file.h"
#include "tests/codegen/lowered.h"
#include "tests/codegen_c/compiled_text.h"

namespace ardea::test {
namespace {

std::string lowered_text(const std::string& program) {
  const Function f = arith::load_program(program, "test").functions.at(0);
  return codegen::c_source(std::vector{lower::lower(f, target::find("avx2"))}, target::find("avx2"),
                           {.contract = false});
}

/// The functions of the program itself: from the comment with its arguments to the packed entry point.
std::string kernel_of(const std::string& text, const std::string& name) {
  const std::size_t helpers_end = text.find("/* " + name + "("), entry = text.find("/* Checks the arguments");
  const std::size_t loop = text.find("/* What the iterations");
  const std::size_t begin = std::min(helpers_end, loop);
  return text.substr(begin, entry - begin);
}

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

TEST(CText, loops_left_to_the_compiler_carry_a_request_to_unroll_them) {
  const std::string text = lowered_text(R"(
@T.prim_func
def steps(X: T.Buffer((4096,), "float32"), Y: T.Buffer((4096,), "float32"), n: T.int32):
    for i in T.unroll(2000):
        Y[i] = X[i]
    for i in T.serial(4, annotations={"pragma_auto_unroll_max_step": 16, "pragma_unroll_explicit": 0}):
        Y[i] = X[i]
    for i in T.serial(5, annotations={"pragma_rolled": 1}):
        Y[i] = X[i]
)");
  EXPECT_TRUE(has(kernel_of(text, "steps"), "ARDEA_UNROLL(8)\n  for (int32_t i = 0; i < 2000; ++i)")) << text;
  EXPECT_TRUE(has(kernel_of(text, "steps"), "ARDEA_UNROLL(4)\n  for (int32_t i = 0; i < 4; ++i)")) << text;
  EXPECT_TRUE(has(kernel_of(text, "steps"), "ARDEA_UNROLL(1)\n  for (int32_t i = 0; i < 5; ++i)")) << text;
  EXPECT_TRUE(has(text, "#define ARDEA_UNROLL(count) ARDEA_PRAGMA(GCC unroll count)"));
}

TEST(CText, loops_whose_places_go_round_are_not_left_to_the_vectorizer_of_clang) {
  const auto text = [](const std::string& index) {
    return kernel_of(lowered_text("@T.prim_func\n"
                                  "def f(X: T.Buffer((64,), \"int32\"), Y: T.Buffer((64,), \"int32\")):\n"
                                  "    for i in range(64):\n"
                                  "        Y[i] = X[" +
                                  index + "]\n"),
                     "f");
  };
  EXPECT_TRUE(has(text("i * 3 % 64"), "ARDEA_SCALAR\n  for (")) << text("i * 3 % 64");
  for (const char* index : {"i", "63 - i", "T.min(i + 3, 63)"})
    EXPECT_FALSE(has(text(index), "ARDEA_SCALAR")) << index;
}

TEST(CText, of_a_gemm_reads_as_one_would_write_it) {
  EXPECT_EQ(kernel_of(lowered_text(R"(
@T.prim_func
def gemm(A: T.Buffer((31, 37), "float32"), B: T.Buffer((37, 19), "float32"), C: T.Buffer((31, 19), "float32", align=64)):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i, j, r in T.grid(31, 19, 37):
        with T.block("C"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vr] * B[vr, vj]
)"),
                      "gemm"),
            R"(/* gemm(A: float32[31, 37], B: float32[37, 19], C: float32[31, 19]) */
static void gemm_kernel(const float* restrict A, const float* restrict B, float* restrict C) {
  C = ARDEA_ALIGNED(C, 64);
  for (int32_t i = 0; i < 31; ++i) {
    for (int32_t j = 0; j < 19; ++j) {
      const int32_t cse_var_1 = i * 19 + j;
      C[cse_var_1] = 0.0f;
      for (int32_t r = 0; r < 37; ++r) {
        C[cse_var_1] = C[cse_var_1] + A[i * 37 + r] * B[r * 19 + j];
      }
    }
  }
}

)");
}

TEST(CText, of_a_parallel_loop_over_any_size_has_its_context) {
  EXPECT_EQ(kernel_of(lowered_text(R"(
@T.prim_func
def scale(a: T.handle, b: T.handle, factor: T.float32):
    n = T.int64()
    A = T.match_buffer(a, (n, 5), "float32")
    B = T.match_buffer(b, (n, 5), "float32")
    for i in T.parallel(n):
        for j in range(5):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * factor
)"),
                      "scale"),
            R"(/* What the iterations of the loop over i use. */
struct scale_loop_i {
  float factor;
  const float* A;
  float* B;
};

/* Some iterations of the parallel loop over i. */
static int32_t scale_loop_i(int64_t begin, int64_t end, void* context) {
  const struct scale_loop_i* const closure = context;
  const float factor = closure->factor;
  const float* A = closure->A;
  float* B = closure->B;
  for (int64_t i = begin; i < end; ++i) {
    for (int32_t j = 0; j < 5; ++j) {
      const int64_t cse_var_1 = (int64_t)((uint64_t)i * 5 + (int64_t)j);
      B[cse_var_1] = A[cse_var_1] * factor;
    }
  }
  return 0;
}

/* scale(A: float32[n, 5], B: float32[n, 5], factor: float32) */
static int32_t scale_kernel(float factor, int64_t n, const float* A, float* B) {
  struct scale_loop_i captured = {.factor = factor, .A = A, .B = B};
  if (ardea_parallel_for(scale_loop_i, &captured, n) != 0) return -1;
  return 0;
}

)");
}

TEST(CText, of_vectors_uses_operators_and_masks) {
  const Buffer a = flat("a", 24, float32), out = flat("out", 24, float32);
  const Stmt body = loop(3, [&](const Var& i) {
    const Expr at = make_ramp(i * 8, make_int(1), 8), x = make_load(a, {at});
    const Expr zero = make_broadcast(make_float(0), 8);
    return make_store(out, {at}, make_select(x < zero, make_unary(UnaryOp::negate, x), x * x + zero));
  });
  const std::string text = codegen::c_source(std::vector{entry("lanes", {a, out}, body)}, host(), {});
  EXPECT_TRUE(has(text, "typedef float float32x8 __attribute__((vector_size(32)));"));
  EXPECT_TRUE(has(text, R"(  for (int64_t i = 0; i < 3; ++i) {
    const float32x8 a_value = load_float32x8(a + i * 8);
    const float32x8 lanes = broadcast_float32x8(0.0f);
    store_float32x8(out + i * 8, select_float32x8((int32x8)(a_value < lanes), -a_value, a_value * a_value + lanes));
  }
)")) << text;
}

TEST(CText, reads_a_mask_before_the_calls_that_follow_it) {
  runtime::register_function(
      "test.clear", [](void* memory) { return static_cast<std::int64_t>(static_cast<int*>(memory)[1] = 0); },
      true);
  const Buffer out = flat("out", 4, int32);
  const Expr row = make_ramp(make_int(0), make_int(1), 4), x = make_load(out, {row});
  const Expr cleared =
      make_call("call_registered", int32,
                {make_string("test.clear"), make_call("address_of", {make_load(out, {make_int(0)})})});
  const Expr zero = make_broadcast(make_int(0, int32), 4);
  const auto answer = integers({0, 2, 0, 4}, int32);
  compile(entry("masks", {out},
                make_store(out, {row}, make_select(x > zero, make_broadcast(cleared + 7, 4), zero))))(answer);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_int(i), i % 2 == 1 ? 7 : 0) << i;
}

TEST(CText, frees_what_is_allocated_on_every_way_out) {
  const Buffer out = flat("out", 4, int32);
  const Stmt check = Assert{make_load(out, {make_int(0)}) < make_int(0, int32), "not negative"};
  const Function f = entry("checked", {out}, through_temporaries(out, 50021, check));
  EXPECT_TRUE(has(codegen::c_source(std::vector{f}, host(), {}), R"(
  if (!(out[0] < 0)) {
    fail("not negative");
    ardea_free(second);
    ardea_free(first);
    return -1;
  }
  ardea_free(second);
  ardea_free(first);
  return 0;
)"));
}

TEST(CText, gives_every_name_a_form_that_c_has_free) {
  const Buffer a = flat("restrict", 4, int32), out = flat("exp", 4, int32);
  const Var x("x", int32), same("x", int32), odd("µ-1", int32), helper("floor_div_int32", int32);
  const auto value = [&](const Expr& i) {
    const Expr quotient = floor_div(make_load(a, {i}), make_load(out, {i}));
    return make_let(x, quotient,
                    make_let(same, x + 1, make_let(odd, same * x, make_let(helper, odd - x, helper * odd))));
  };
  const auto answer = integers({3, 3, 3, 3}, int32);
  compile(entry("names", {a, out}, loop(4, [&](const Var& i) { return make_store(out, {i}, value(i)); })))(
      integers({-7, 7, 9, 100}, int32), answer);
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t q = std::vector<std::int64_t>{-3, 2, 3, 33}[static_cast<std::size_t>(i)];
    EXPECT_EQ(answer.get_int(i), ((q + 1) * q - q) * ((q + 1) * q)) << i;
  }
}

TEST(CText, can_stand_behind_the_whole_header_of_the_abi) {
  const Buffer out = flat("out", 1, int32);
  const std::string text = codegen::c_source(
      std::vector{entry("one", {out}, make_store(out, {make_int(0)}, make_int(1, int32)))}, host(), {});
  const std::string header = read_text_file(ARDEA_SOURCE_DIR "/ardea/runtime/abi.h");
  EXPECT_EQ(complaints("cc", header + text + "const ArdeaPackedFunction function = ardea_entry_one;\n", {}),
            "");
}

TEST(CText, says_how_it_is_to_be_compiled) {
  const Buffer out = flat("out", 1, int32);
  const std::vector functions{entry("one", {out}, make_store(out, {make_int(0)}, make_int(1, int32)))};
  EXPECT_TRUE(has(codegen::c_source(functions, host(), {.contract = false}), "-ffp-contract=off"));
  EXPECT_TRUE(has(codegen::c_source(functions, host(), {.contract = true}), "-ffp-contract=fast"));
}

TEST(CText, refuses_what_c_or_the_target_cannot_say) {
  const Buffer out = flat("out", 1, int32);
  const Stmt one = make_store(out, {make_int(0)}, make_int(1, int32));
  const auto refusal = [&](const std::vector<Function>& functions, const std::string& target = "host") {
    return error_of([&] { codegen::c_source(functions, target::find(target), {}); });
  };
  EXPECT_EQ(refusal({entry("naïve name", {out}, one)}),
            "function \"naïve name\": C source needs a name of letters, digits and _; rename it");
  EXPECT_EQ(refusal({entry("f", {out}, one), entry("f", {out}, one)}),
            "two functions are called f; rename one");
  EXPECT_EQ(refusal({entry("f", {out}, one)}, "h200"),
            "target h200: C source is for cpus, this is cuda; choose a cpu target");
  const Stmt barrier = Evaluate{make_call("barrier", {make_string("shared")})};
  EXPECT_TRUE(has(refusal({entry("f", {out}, barrier)}), "f: T.barrier has no meaning on the cpu target"));
}

TEST(BrokenLine, is_never_wider_than_the_page_and_keeps_its_words) {
  const std::string sentence(300, 'x');
  const std::string line =
      "    return fail(\"" + std::string("a sentence with \\\"quotes\\\" and many words, ") +
      "which goes on and on until it is far longer than a line of text should ever be, \", " +
      "first, second, third);";
  const std::string broken = codegen::c::broken_line(line);
  std::size_t begin = 0;
  for (std::size_t end = broken.find('\n'); begin <= broken.size(); end = broken.find('\n', begin)) {
    EXPECT_LE(std::min(end, broken.size()) - begin, 118u);
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  EXPECT_TRUE(has(broken, "\n"));
  const std::string program =
      "static const char* fail(const char* s, int a, int b, int c) { (void)a; (void)b; "
      "(void)c; return s; }\nconst char* f(int first, int second, int third);\n"
      "const char* f(int first, int second, int third) {\n";
  EXPECT_EQ(complaints("cc", program + broken + "\n}\n", {"-fsyntax-only"}), "");
  EXPECT_EQ(codegen::c::broken_line("  " + sentence), "  " + sentence) << "there is no place to break it";
}

}  // namespace
}  // namespace ardea::test
