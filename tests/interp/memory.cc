#include "tests/interp/programs.h"

#include <gtest/gtest.h>

namespace ardea::interp {
namespace {

using Numbers = std::vector<double>;

TEST(Memory, an_index_out_of_range_is_reported_with_its_place) {
  const Function f = program(R"(def main(A: T.Buffer((3, 8)), B: T.Buffer((3, 8))):
    for i, j in T.grid(3, 8):
        B[i, j] = A[i, j + 1]
)");
  const std::string sentence = error_of([&] { run(f, {zeros(float32, {3, 8}), zeros(float32, {3, 8})}); });
  EXPECT_TRUE(says(sentence, "main: reads A[0, 8], but index 2 must be in [0, 8)"));
  EXPECT_TRUE(says(sentence, "in `B[i, j] = A[i, j + 1]` at i = 0, j = 7"));

  const Function g =
      program("def main(A: T.Buffer((3,))):\n    for i in range(3):\n        A[1 - i] = T.float32(1)\n");
  EXPECT_TRUE(
      says(error_of([&] { run(g, {zeros(float32, {3})}); }), "writes A[-1], but index 1 must be in [0, 3)"));
}

TEST(Memory, reading_what_was_never_written_is_reported) {
  const Function f = program(R"(def main(B: T.Buffer((4,))):
    A = T.allocate([4], "float32", "global")
    A_1 = T.Buffer((4,), data=A)
    for i in range(3):
        A_1[i] = T.float32(i)
    for i in range(4):
        B[i] = A_1[i]
)");
  EXPECT_TRUE(says(error_of([&] { run(f, {zeros(float32, {4})}); }),
                   "reads A_1[3], which was never written, in `B[i] = "));
}

TEST(Memory, outputs_can_be_declared_unwritten) {
  const Function f = program(
      "def main(A: T.Buffer((2,)), C: T.Buffer((2,))):\n    for i in range(2):\n        C[i] = C[i] + "
      "A[i]\n");
  run(f, {zeros(float32, {2}), zeros(float32, {2})});
  EXPECT_TRUE(says(
      error_of([&] { run(f, {zeros(float32, {2}), zeros(float32, {2})}, {.uninitialised_arguments = {1}}); }),
      "reads C[0], which was never written"));
}

TEST(Memory, views_of_other_shapes_strides_and_offsets_share_their_bytes) {
  const Function f = program(R"(def main(A: T.Buffer((12,), "int32"), B: T.Buffer((12,), "int32")):
    M = T.allocate([12], "int32", "global")
    flat = T.Buffer((12,), "int32", data=M)
    columns = T.Buffer((4, 3), "int32", data=M, strides=[1, 4])
    tail = T.Buffer((5,), "int32", data=M, elem_offset=7)
    for i in range(12):
        flat[i] = A[i]
    for i in range(5):
        tail[i] = tail[i] + 1000
    for i, j in T.grid(4, 3):
        B[i * 3 + j] = columns[i, j]
)");
  Numbers numbers(12);
  for (std::size_t i = 0; i < 12; ++i) numbers[i] = static_cast<double>(i);
  const runtime::Array b = zeros(int32, {12});
  run(f, {array(int32, {12}, numbers), b});
  EXPECT_EQ(elements(b), (Numbers{0, 4, 1008, 1, 5, 1009, 2, 6, 1010, 3, 1007, 1011}));
}

TEST(Memory, a_view_that_leaves_its_allocation_is_reported) {
  const Function f = program(R"(def main(n: T.int64):
    M = T.allocate([4], "int32", "global")
    V = T.Buffer((4,), "int32", data=M, elem_offset=n)
    V[3] = 1
)");
  run(f, {std::int64_t{0}});
  for (const std::int64_t n : {1, -4})
    EXPECT_TRUE(
        says(error_of([&] { run(f, {n}); }), "writes V[3], which is element " + std::to_string(n + 3) +
                                                 " from the start of M, whose 16 bytes do not reach there"));
}

TEST(Memory, views_of_another_element_type_see_the_same_bytes) {
  const Function f = program(R"(def main(A: T.Buffer((1,)), B: T.Buffer((4,), "uint8")):
    M = T.allocate([1], "float32", "global")
    F = T.Buffer((1,), data=M)
    U = T.Buffer((4,), "uint8", data=M)
    F[0] = A[0]
    for i in range(4):
        B[i] = U[i]
)");
  const runtime::Array b = zeros(uint8, {4});
  run(f, {array(float32, {1}, {1.5}), b});
  EXPECT_EQ(elements(b), (Numbers{0, 0, 0xc0, 0x3f}));
}

TEST(Memory, a_view_of_wider_elements_needs_every_byte_written) {
  const Function f = program(R"(def main(n: T.int64, B: T.Buffer((1,), "int32")):
    M = T.allocate([4], "uint8", "global")
    U = T.Buffer((4,), "uint8", data=M)
    W = T.Buffer((1,), "int32", data=M)
    for i in range(n):
        U[i] = T.uint8(1)
    B[0] = W[0]
)");
  const runtime::Array b = zeros(int32, {1});
  run(f, {std::int64_t{4}, b});
  EXPECT_EQ(b.get_int(0), 0x01010101);
  EXPECT_TRUE(says(error_of([&] { run(f, {std::int64_t{3}, b}); }), "reads W[0], which was never written"));
}

TEST(Memory, four_bit_integers_lie_two_in_a_byte_across_rows) {
  const Function f = program(R"(def main(A: T.Buffer((3, 3), "int4"), B: T.Buffer((3, 3), "int32")):
    for i, j in T.grid(3, 3):
        B[i, j] = T.Cast("int32", A[i, j]) * 2
        A[i, j] = T.Cast("int4", i * 3 + j)
)");
  const runtime::Array a = array(int4, {3, 3}, {-8, -3, 7, 0, 1, 2, 3, -1, 5}), b = zeros(int32, {3, 3});
  run(f, {a, b});
  EXPECT_EQ(elements(b), (Numbers{-16, -6, 14, 0, 2, 4, 6, -2, 10}));
  const auto* bytes = static_cast<const unsigned char*>(a.data());
  EXPECT_EQ((std::vector<int>{bytes[0], bytes[1], bytes[2], bytes[3], bytes[4] & 15}),
            (std::vector<int>{0x10, 0x32, 0x54, 0x76, 0x8}));
}

TEST(Memory, every_element_type_is_loaded_cast_and_stored) {
  for (const DataType type : element_types) {
    FunctionBuilder f("copy");
    const Buffer a = f.parameter("A", std::vector<std::int64_t>{3}, type),
                 b = f.parameter("B", std::vector<std::int64_t>{3}, type);
    f.grid({"i"}, {make_int(3)}, [&](const std::vector<Var>& loops) {
      f.store(b, {loops[0]}, make_cast(type, make_cast(float32, make_load(a, {loops[0]}))));
    });
    const runtime::Array source = array(type, {3}, {1, 0, type.is_bool() ? 1.0 : 3.0}),
                         target = zeros(type, {3});
    run(f.build(), {source, target});
    EXPECT_EQ(elements(target), elements(source)) << to_string(type);
  }
}

TEST(Memory, an_element_may_be_a_vector) {
  FunctionBuilder f("vectors");
  const Buffer out = f.parameter("out", std::vector<std::int64_t>{8}, int32);
  const Var data("V", handle_type);
  const Buffer vectors(
      BufferNode{.name = "V", .data = data, .type = int32.with_lanes(4), .shape = {make_int(2)}});
  const Expr four = make_ramp(make_int(0), make_int(1), 4), ramp = make_cast(int32.with_lanes(4), four);
  const Stmt body = make_seq({make_store(vectors, {make_int(1)}, ramp),
                              make_store(vectors, {make_int(0)}, make_load(vectors, {make_int(1)}) * ramp),
                              make_store(out, {make_ramp(make_int(0), make_int(1), 8)},
                                         make_load(vectors, {make_ramp(make_int(0), make_int(1), 2)}))});
  f.add(Allocate{data, int32.with_lanes(4), {make_int(2)}, "global", DeclareBuffer{vectors, body}});
  const runtime::Array result = zeros(int32, {8});
  run(f.build(), {result});
  EXPECT_EQ(elements(result), (Numbers{0, 1, 4, 9, 0, 1, 2, 3}));
}

TEST(Memory, a_buffer_out_of_scope_and_memory_not_allocated_are_reported) {
  const Buffer lost = make_buffer("lost", std::vector<std::int64_t>{1});
  Function f;
  f.body = make_store(lost, {make_int(0)}, make_float(0));
  EXPECT_TRUE(says(error_of([&] { run(f, {}); }), "the buffer lost is not declared here"));
  f.body = DeclareBuffer{lost, make_no_op()};
  EXPECT_TRUE(
      says(error_of([&] { run(f, {}); }), "the memory lost of the buffer lost is not allocated here"));
}

TEST(Memory, negative_and_overflowing_extents_are_reported) {
  const Function f = program(
      "def main(n: T.int64):\n    A = T.allocate([n, n], \"float32\", \"global\")\n    T.evaluate(0)\n");
  EXPECT_TRUE(says(error_of([&] { run(f, {std::int64_t{-1}}); }),
                   "the extents of A are negative, or too large together"));
  EXPECT_TRUE(says(error_of([&] { run(f, {std::int64_t{1} << 40}); }),
                   "the extents of A are negative, or too large together"));
}

TEST(Memory, the_address_of_half_a_byte_is_reported) {
  const Function f =
      program("def main(A: T.Buffer((4,), \"int4\"), n: T.int64):\n    T.evaluate(T.address_of(A[n]))\n");
  run(f, {zeros(int4, {4}), std::int64_t{2}});
  EXPECT_TRUE(says(error_of([&] { run(f, {zeros(int4, {4}), std::int64_t{1}}); }), "begins in mid-byte"));
}

}  // namespace
}  // namespace ardea::interp
