#include <gtest/gtest.h>

#include <gmock/gmock.h>

#include "ardea/runtime/registry.h"
#include "tests/interp/programs.h"

namespace ardea::interp {
namespace {

using Numbers = std::vector<double>;

TEST(Loops, of_every_kind_are_serial_loops_in_block_form) {
  for (const std::string loop :
       {"range(1, 5)", "T.serial(1, 5)", "T.parallel(1, 5)", "T.vectorized(1, 5)", "T.unroll(1, 5)",
        "T.thread_binding(1, 5, thread=\"threadIdx.x\")", "T.thread_binding(1, 5, thread=\"vthread.x\")"}) {
    const Function f = program("def main(A: T.Buffer((5,), \"int32\")):\n    for i in " + loop +
                               ":\n        A[i] = A[i - 1] * 2\n");
    const runtime::Array a = integers(int32, {1, 0, 0, 0, 0});
    run(f, {a});
    EXPECT_EQ(elements(a), (Numbers{1, 2, 4, 8, 16})) << loop;
  }
}

TEST(Loops, of_extent_zero_or_less_run_nothing_and_bounds_are_read_once) {
  const Function f = program(R"(def main(A: T.Buffer((2,), "int64"), n: T.int64):
    for i in range(n):
        A[0] = A[0] + 1
    for i in range(A[0]):
        A[0] = A[0] + 1
)");
  const runtime::Array a = integers(int64, {0, 0});
  run(f, {a, std::int64_t{-3}});
  EXPECT_EQ(a.get_int(0), 0);
  run(f, {a, std::int64_t{3}});
  EXPECT_EQ(a.get_int(0), 6);
}

TEST(IndexArithmetic, that_leaves_the_64_bits_is_reported) {
  for (const std::string index : {"T.max(j * 2, 5)", "(j * 1152921504606846976) // 1152921504606846976",
                                  "j << 1", "-(-4611686018427387904 - j - j)", "j + j"}) {
    const Function f = program(
        "def main(A: T.Buffer((4,), \"int64\"), n: T.int64):\n    for j in range(n, n + 2):\n"
        "        A[j - n] = " +
        index + "\n");
    const runtime::Array a = integers(int64, {0, 0, 0, 0});
    EXPECT_EQ(error_of([&] { run(f, {a, std::int64_t{2}}); }), "") << index;
    EXPECT_THAT(error_of([&] { run(f, {a, (std::int64_t{1} << 62) + 1}); }),
                testing::HasSubstr("leaves the 64 bits"))
        << index;
  }
}

TEST(IndexArithmetic, is_none_where_data_or_unsigned_numbers_are_in_it) {
  const Function f = program(R"(def main(A: T.Buffer((4,), "int64"), n: T.int64):
    A[1] = A[0] * 2 + n
    x: T.int64 = A[0]
    A[2] = x * 3 + n
    A[3] = T.Cast("int64", T.Cast("uint64", n) * T.uint64(4611686018427387904))
)");
  const runtime::Array a = integers(int64, {INT64_MAX, 0, 0, 0});
  run(f, {a, std::int64_t{7}});
  EXPECT_EQ(a.get_int(1), 5);
  EXPECT_EQ(a.get_int(2), INT64_MIN + 4);
  EXPECT_EQ(a.get_int(3), -(std::int64_t{1} << 62));
}

TEST(Loops, that_leave_the_type_of_their_variable_are_reported) {
  const Var i("i", int8);
  Function f;
  f.body = For{i, make_int(100, int8), make_int(100, int8), ForKind::serial, make_no_op()};
  EXPECT_TRUE(
      says(error_of([&] { run(f, {}); }), "the loop i runs from 100 over 100 values, beyond its type"));
}

TEST(Statements, if_let_and_assert) {
  const Function f = program(R"(def main(A: T.Buffer((4,), "int32"), limit: T.int32):
    for i in range(4):
        x: T.int32 = A[i] * 10
        if x < 25:
            A[i] = x
        else:
            A[i] = -x
        assert A[i] < limit, "too large"
)");
  const runtime::Array a = integers(int32, {1, 2, 3, 4});
  run(f, {a, std::int64_t{100}});
  EXPECT_EQ(elements(a), (Numbers{10, 20, -30, -40}));
  const std::string sentence = error_of([&] { run(f, {integers(int32, {1, 2, 3, 4}), std::int64_t{15}}); });
  EXPECT_TRUE(says(sentence, "main: the assertion failed: too large"));
  EXPECT_TRUE(says(sentence, " at i = 1"));
}

TEST(Statements, the_step_limit_ends_a_long_program) {
  const Function f = program("def main(n: T.int64):\n    for i in range(n):\n        T.evaluate(0)\n");
  run(f, {std::int64_t{90}}, {.step_limit = 100});
  EXPECT_TRUE(
      says(error_of([&] { run(f, {std::int64_t{1000}}, {.step_limit = 100}); }), "more than 100 statements"));
}

const char* const gemm = R"(def main(A: T.Buffer((5, 7)), B: T.Buffer((7, 3)), C: T.Buffer((5, 3))):
    for i, j, k in T.grid(5, 3, 7):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

TEST(Blocks, a_matrix_product_of_odd_extents_is_right) {
  Numbers a(35), b(21), expected(15);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 5) - 2;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 4) - 1;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 7; ++k) expected[i * 3 + j] += a[i * 7 + k] * b[k * 3 + j];
  const runtime::Array c = zeros(float32, {5, 3});
  run(program(gemm), {array(float32, {5, 7}, a), array(float32, {7, 3}, b), c},
      {.uninitialised_arguments = {2}});
  EXPECT_EQ(elements(c), expected);
}

TEST(Blocks, init_runs_where_every_reduce_iterator_starts) {
  // Two reduce iterators whose domains begin at 2 and 0: init runs once for each element, in their first
  // instance.
  const Function f = program(R"(def main(C: T.Buffer((2,), "int64"), starts: T.Buffer((2,), "int64")):
    for i, j, k in T.grid(2, 3, 2):
        with T.block("C"):
            vi = T.axis.spatial(2, i)
            vj = T.axis.reduce((2, 5), j + 2)
            vk = T.axis.reduce(2, k)
            with T.init():
                C[vi] = 100
                starts[vi] = starts[vi] + 1
            C[vi] = C[vi] + vj * vk
)");
  const runtime::Array c = integers(int64, {-1, -1}), starts = integers(int64, {0, 0});
  run(f, {c, starts});
  EXPECT_EQ(elements(c), (Numbers{109, 109}));
  EXPECT_EQ(elements(starts), (Numbers{1, 1}));
}

TEST(Blocks, ordered_iterators_do_not_hold_back_init) {
  const Function f = program(R"(def main(A: T.Buffer((3,), "int64")):
    for i in range(3):
        with T.block("A"):
            vi = T.axis.scan(3, i)
            with T.init():
                A[vi] = 7
            A[vi] = A[vi] + vi
)");
  const runtime::Array a = zeros(int64, {3});
  run(f, {a});
  EXPECT_EQ(elements(a), (Numbers{7, 8, 9}));
}

TEST(Blocks, a_false_predicate_skips_the_instance_even_one_out_of_its_domain) {
  const Function f = program(R"(def main(A: T.Buffer((5,), "int64")):
    for io, ii in T.grid(2, 3):
        with T.block("A"):
            v = T.axis.spatial(5, io * 3 + ii)
            T.where(io * 3 + ii < 5)
            A[v] = v + 1
)");
  const runtime::Array a = zeros(int64, {5});
  run(f, {a});
  EXPECT_EQ(elements(a), (Numbers{1, 2, 3, 4, 5}));
}

TEST(Blocks, a_binding_outside_its_domain_is_reported) {
  const Function f = program(R"(def main(A: T.Buffer((9,), "int32")):
    for i in range(6):
        with T.block("A"):
            v = T.axis.spatial(5, i)
            A[v] = 1
)");
  const std::string sentence = error_of([&] { run(f, {zeros(int32, {9})}); });
  EXPECT_TRUE(says(sentence, "block A binds v to 5, outside its domain [0, 5)"));
  EXPECT_TRUE(says(sentence, " at i = 5"));
}

TEST(Blocks, allocations_are_fresh_in_every_execution) {
  const Function f = program(R"(def main(A: T.Buffer((2,), "int32")):
    for i in range(2):
        with T.block("A"):
            v = T.axis.opaque(2, i)
            S = T.alloc_buffer((1,), "int32")
            if v == 0:
                S[0] = 5
            A[v] = S[0]
)");
  const std::string sentence = error_of([&] { run(f, {zeros(int32, {2})}); });
  EXPECT_TRUE(says(sentence, "reads S[0], which was never written, in `A[v] = S[0]` at i = 1"));
}

TEST(Matches, a_window_has_the_strides_of_its_source) {
  const Function f = program(R"(def main(A: T.Buffer((4, 6), "int64")):
    for i, j in T.grid(2, 3):
        with T.block("window"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.writes(A[vi * 2:vi * 2 + 2, vj * 2:vj * 2 + 2])
            W = T.match_buffer(A[vi * 2:vi * 2 + 2, vj * 2:vj * 2 + 2], (2, 2), "int64")
            for y, x in T.grid(2, 2):
                W[y, x] = vi * 1000 + vj * 100 + y * 10 + x
)");
  const runtime::Array a = zeros(int64, {4, 6});
  run(f, {a});
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 6; ++j)
      EXPECT_EQ(a.get_int(i * 6 + j), i / 2 * 1000 + j / 2 * 100 + i % 2 * 10 + j % 2) << i << ", " << j;
}

TEST(Matches, a_window_may_leave_out_leading_dimensions_and_stays_in_its_extents) {
  const Function f = program(R"(def main(A: T.Buffer((3, 4), "int32"), n: T.int64):
    with T.block("window"):
        W = T.match_buffer(A[1, 1:4], (3,), "int32")
        W[n] = 9
)");
  const runtime::Array a = zeros(int32, {3, 4});
  run(f, {a, std::int64_t{2}});
  EXPECT_EQ(a.get_int(7), 9);
  EXPECT_TRUE(
      says(error_of([&] { run(f, {a, std::int64_t{3}}); }), "writes W[3], but index 1 must be in [0, 3)"));
}

TEST(Matches, variables_of_the_window_get_their_values_from_the_source) {
  FunctionBuilder f("main");
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{4, 6}, int64);
  const Buffer out = f.parameter("out", std::vector<std::int64_t>{4}, int64);
  const Var rows("rows"), stride("stride"), offset("offset");
  const Buffer window(BufferNode{.name = "W",
                                 .data = Var("W", handle_type),
                                 .type = int64,
                                 .shape = {rows, make_int(2)},
                                 .strides = {stride, make_int(1)},
                                 .element_offset = offset});
  Block block{.name = "window"};
  block.matches = {{window, {a, {{make_int(1), make_int(3)}, {make_int(2), make_int(2)}}}}};
  block.body = make_seq({make_store(out, {make_int(0)}, rows), make_store(out, {make_int(1)}, stride),
                         make_store(out, {make_int(2)}, offset),
                         make_store(out, {make_int(3)}, make_load(window, {make_int(2), make_int(1)}))});
  f.add(Stmt(block));
  const runtime::Array source = zeros(int64, {4, 6}), result = zeros(int64, {4});
  source.set_int(3 * 6 + 3, 42);
  run(f.build(), {source, result});
  EXPECT_EQ(elements(result), (Numbers{3, 6, 8, 42}));

  BufferNode wrong = *window;
  wrong.strides = {make_int(2), make_int(1)};
  FunctionBuilder g("main");
  block.matches = {{Buffer(wrong), {a, {{make_int(1), make_int(3)}, {make_int(2), make_int(2)}}}}};
  block.body = make_no_op();
  g.add(Stmt(block));
  Function mismatch = g.build();
  mismatch.parameters.push_back({Var("A", handle_type), a});
  EXPECT_TRUE(says(error_of([&] { run(mismatch, {source}); }),
                   "stride 1 of the window W is 2, but the source has 6"));
}

TEST(Registered, functions_get_numbers_strings_and_addresses_and_give_a_value) {
  runtime::register_function("interp_test.scale",
                             runtime::Function([](void* memory, std::int64_t count, double factor,
                                                  const std::string& name) -> double {
                               auto* values = static_cast<float*>(memory);
                               for (std::int64_t i = 0; i < count; ++i)
                                 values[i] *= static_cast<float>(factor);
                               return name == "scale" ? 2.5 : -1;
                             }),
                             true);
  const Function f = program(R"(def main(A: T.Buffer((4,)), out: T.Buffer((1,))):
    for i in range(4):
        A[i] = T.float32(i + 1)
    out[0] = T.call_registered("interp_test.scale", T.address_of(A[2]), 2, T.float32(10), "scale", dtype="float32")
)");
  const runtime::Array a = zeros(float32, {4}), out = zeros(float32, {1});
  run(f, {a, out});
  EXPECT_EQ(elements(a), (Numbers{1, 2, 30, 40}));
  EXPECT_EQ(out.get_float(0), 2.5);
}

TEST(Registered, an_unknown_function_and_an_entry_point_intrinsic_are_reported) {
  const Function f = program("def main():\n    T.call_registered(\"interp_test.scail\", dtype=\"void\")\n");
  const std::string sentence = error_of([&] { run(f, {}); });
  EXPECT_TRUE(says(sentence, "main: "));
  EXPECT_TRUE(says(sentence, "in `T.call_registered(\"interp_test.scail\""));
  const Function g = program("def main():\n    T.evaluate(T.abi_argument_count(dtype=\"int32\"))\n");
  EXPECT_TRUE(
      says(error_of([&] { run(g, {}); }), "T.abi_argument_count exists only inside compiled entry points"));
}

TEST(Programs, a_product_of_64_cubed_counts_every_term) {
  FunctionBuilder f("gemm");
  const Expr n = make_int(64);
  const Buffer a = f.parameter("A", std::vector<Expr>{n, n}), b = f.parameter("B", std::vector<Expr>{n, n}),
               c = f.parameter("C", std::vector<Expr>{n, n});
  f.grid({"i", "j", "k"}, {n, n, n}, [&](const std::vector<Var>& loops) {
    f.block("C", [&](BlockBuilder& block) {
      const Var i = block.spatial("vi", n, loops[0]), j = block.spatial("vj", n, loops[1]),
                k = block.reduce("vk", n, loops[2]);
      block.init([&] { f.store(c, {i, j}, make_float(0)); });
      f.store(c, {i, j}, make_load(c, {i, j}) + make_load(a, {i, k}) * make_load(b, {k, j}));
    });
  });
  const std::size_t count = std::size_t{64} * 64;
  const runtime::Array ones = array(float32, {64, 64}, Numbers(count, 1)), result = zeros(float32, {64, 64});
  run(f.build(), {ones, ones, result});
  EXPECT_EQ(elements(result), Numbers(count, 64));
}

}  // namespace
}  // namespace ardea::interp
