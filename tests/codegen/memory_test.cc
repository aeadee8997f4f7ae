#include <gtest/gtest.h>

#include "ardea/ir/store_hint.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "tests/codegen/lowered.h"

namespace ardea::test {
namespace {

using runtime::Array;

Expr row(const Expr& first, int lanes, std::int64_t stride = 1) {
  return make_ramp(first, make_int(stride), lanes);
}

TEST(Memory, copies_every_type_by_scalars_and_by_vectors) {
  Random random(11);
  for (DataType type :
       {boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64})
    for (const int lanes : {1, 3, 8}) {
      const Buffer a = flat("a", 24, type), out = flat("out", 24, type);
      const auto source = Array::zeros({24}, type), answer = Array::zeros({24}, type);
      for (std::int64_t i = 0; i < 24; ++i)
        source.set_bits(i, type.is_bool() ? random.next() % 2 : random.next());
      const Stmt body = loop(24 / lanes, [&](const Var& i) {
        const Expr at = lanes == 1 ? Expr(i) : row(i * lanes, lanes);
        return make_store(out, {at}, make_load(a, {at}));
      });
      compile(entry("copy", {a, out}, body))(source, answer);
      for (std::int64_t i = 0; i < 24; ++i)
        EXPECT_EQ(answer.get_bits(i), source.get_bits(i)) << to_string(type) << " x" << lanes << " at " << i;
    }
}

TEST(Memory, gathers_and_scatters_by_stride_and_by_index) {
  const Buffer a = flat("a", 16, int32), which = flat("which", 4, int64), out = flat("out", 16, int32);
  const auto source = integers({0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150}, int32);
  const auto answer = Array::zeros({16}, int32);
  const Stmt body = make_seq({
      make_store(out, {row(make_int(0), 4)}, make_load(a, {row(make_int(1), 4, 3)})),      // 10 40 70 100
      make_store(out, {row(make_int(4), 4, 2)}, make_load(a, {row(make_int(3), 4, -1)})),  // 30 . 20 . 10 . 0
      make_store(out, {row(make_int(12), 4)},
                 make_load(a, {make_load(which, {row(make_int(0), 4)})})),  // 150 0 70 70
  });
  compile(entry("strides", {a, which, out}, body))(source, integers({15, 0, 7, 7}, int64), answer);
  const std::vector<std::int64_t> wanted = {10, 40, 70, 100, 30, 0, 20, 0, 10, 0, 0, 0, 150, 0, 70, 70};
  for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(answer.get_int(i), wanted[i]) << i;
}

/// for i: for j: a vector of out, with or without the request to go past the caches, on the loop of that
/// kind.
Stmt rows_past_caches(const Buffer& a, const Buffer& out, ForKind kind) {
  const Stmt rows = loop(
      8,
      [&](const Var& i) {
        return loop(4, [&](const Var& j) {
          const Expr at = row(i * 64 + j * 16, 16);
          return make_store(out, {at}, make_load(a, {at}) + make_broadcast(make_int(1, int32), 16));
        });
      },
      kind);
  For marked = *rows.as<For>();
  marked.annotations[past_caches_key] = Attribute{make_bool(true)};
  return marked;
}

/// Whole lines are written past the caches where the array begins on one, and as ever where it begins
/// elsewhere: the answers are the same.
TEST(Memory, stores_past_the_caches_store_the_same_wherever_an_array_begins) {
  const Buffer a = flat("a", 512, int32), out = flat("out", 512, int32);
  for (const ForKind kind : {ForKind::serial, ForKind::parallel}) {
    const auto add = compile(entry("add", {a, out}, rows_past_caches(a, out, kind)));
    for (const std::int64_t begin : {0, 1, 4, 16}) {
      const auto source = Array::zeros({512}, int32), memory = Array::zeros({544}, int32);
      for (std::int64_t i = 0; i < 512; ++i) source.set_int(i, 7 * i);
      add(source, Array::view(static_cast<std::int32_t*>(memory.data()) + begin, {512}, int32));
      for (std::int64_t i = 0; i < 544; ++i) {
        const bool is_inside = i >= begin && i < begin + 512;
        EXPECT_EQ(memory.get_int(i), is_inside ? 7 * (i - begin) + 1 : 0) << begin << " at " << i;
      }
    }
  }
}

/// Every lane of one load is the same element: the backend makes a scalar load for it, which is no other such
/// load, wherever the two happen to lie in memory.
TEST(Memory, lanes_that_all_load_one_element_load_their_own) {
  const Buffer a = flat("a", 36, int32), out = flat("out", 4, int32);
  const auto source = Array::zeros({36}, int32), answer = Array::zeros({4}, int32);
  for (std::int64_t i = 0; i < 36; ++i) source.set_int(i, 1000 + i * i);
  const auto everywhere = [&](std::int64_t at) { return make_load(a, {make_broadcast(make_int(at), 4)}); };
  const Stmt body = make_store(out, {row(make_int(0), 4)},
                               everywhere(17) + everywhere(35) * make_broadcast(make_int(3, int32), 4));
  compile(entry("same", {a, out}, body))(source, answer);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_int(i), 1289 + 3 * 2225) << i;
}

TEST(Memory, the_last_lane_wins_where_lanes_store_to_one_place) {
  const Buffer out = flat("out", 2, int32);
  const auto answer = Array::zeros({2}, int32);
  const Stmt body =
      make_store(out, {make_broadcast(make_int(1), 4)}, make_ramp(make_int(5, int32), make_int(1, int32), 4));
  compile(entry("overlap", {out}, body))(answer);
  EXPECT_EQ(answer.get_int(1), 8);
}

/// Memory that ends where the array ends: a lane that is switched off must not touch what follows.
TEST(Memory, lanes_that_are_off_touch_nothing_and_read_as_zero) {
  for (DataType type : {int8, int32, float32, float64, boolean})
    for (const bool strided : {false, true}) {
      const Buffer a = flat("a", 5, type), out = flat("out", 16, type);
      const Expr lanes = make_ramp(make_int(0), make_int(1), 8);
      const Expr at = strided ? make_ramp(make_int(4), make_int(-1), 8) : lanes;
      const Expr on = lanes < make_broadcast(make_int(5), 8);
      const auto source = integers({1, 1, 1, 1, 1}, type), answer = Array::zeros({16}, type);
      for (std::int64_t i = 0; i < 16; ++i) answer.set_int(i, 1);
      const Stmt body = make_seq({
          make_store(out, {lanes}, make_load(a, {at}, on)),
          make_store(
              out,
              {strided ? make_ramp(make_int(15), make_int(-1), 8) : make_ramp(make_int(8), make_int(1), 8)},
              make_broadcast(make_const(0, type), 8), on),
      });
      compile(entry("masked", {a, out}, body))(source, answer);
      for (std::int64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(answer.get_int(i), i < 5) << to_string(type) << " lane " << i;
        const std::int64_t stored = strided ? 15 - i : 8 + i;
        EXPECT_EQ(answer.get_int(stored), i < 5 ? 0 : 1) << to_string(type) << " stored lane " << i;
      }
    }
}

TEST(Memory, a_scalar_predicate_guards_load_and_store) {
  const Buffer a = flat("a", 3, float32), out = flat("out", 6, float32);
  const auto source = floats({1, 2, 3}, float32), answer = floats({9, 9, 9, 9, 9, 9}, float32);
  const Stmt body = loop(6, [&](const Var& i) {
    return make_store(out, {i}, make_load(a, {i}, i < make_int(3)), not_equals(i, make_int(4)));
  });
  compile(entry("guarded", {a, out}, body))(source, answer);
  const std::vector<double> wanted = {1, 2, 3, 0, 9, 0};
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(answer.get_float(i), wanted[i]) << i;
}

TEST(Memory, elements_that_are_vectors_lie_without_gaps) {
  const Buffer a = make_buffer("a", std::vector<std::int64_t>{4}, float32.with_lanes(3)),
               out = flat("out", 12, float32);
  const auto source = Array::zeros({12}, float32), answer = Array::zeros({12}, float32);
  for (std::int64_t i = 0; i < 12; ++i) source.set_float(i, double(i));
  const Stmt body = loop(
      4, [&](const Var& i) { return make_store(out, {row(make_int(9) - i * 3, 3)}, make_load(a, {i})); });
  compile(entry("triples", {a, out}, body))(source, answer);
  for (std::int64_t i = 0; i < 12; ++i) {
    const std::int64_t triple = 3 - i / 3;
    EXPECT_EQ(answer.get_float(i), double(triple * 3 + i % 3));
  }
}

TEST(Memory, arguments_may_overlap_unless_the_program_says_otherwise) {
  // out[i + 1] = a[i] + 1 with out and a the same memory: each step reads what the one before wrote.
  const Buffer a = flat("a", 5000, int32), out = flat("out", 5000, int32);
  const Stmt body = loop(4999, [&](const Var& i) { return make_store(out, {i + 1}, make_load(a, {i}) + 1); });
  const auto both = Array::zeros({5000}, int32);
  compile(entry("chain", {a, out}, body))(both, both);
  for (std::int64_t i = 0; i < 5000; ++i) ASSERT_EQ(both.get_int(i), i);
}

TEST(Vectors, ramp_broadcast_shuffle_select_and_compare) {
  const Buffer out = flat("out", 24, int32);
  const Expr ramp = make_ramp(make_int(3, int32), make_int(-2, int32), 4);  // 3 1 -1 -3
  const Expr seven = make_broadcast(make_int(7, int32), 4);
  const auto answer = Array::zeros({24}, int32);
  const Stmt body = make_seq({
      make_store(out, {row(make_int(0), 4)}, ramp),
      make_store(out, {row(make_int(4), 4)}, make_shuffle({ramp, seven}, {3, 4, 0, 7})),
      make_store(out, {row(make_int(8), 4)},
                 make_select(ramp < make_broadcast(make_int(0, int32), 4), seven, ramp)),
      make_store(out, {row(make_int(12), 2)}, make_shuffle({make_int(1, int32), make_int(2, int32)}, {1, 0})),
      make_store(out, {make_int(14)}, make_shuffle({ramp}, {2})),
      make_store(out, {row(make_int(16), 4)}, make_select(make_bool(false), seven, ramp * ramp)),
  });
  compile(entry("vectors", {out}, body))(answer);
  const std::vector<std::int64_t> wanted = {3, 1, -1, -3, -3, 7, 3, 7, 3, 1, 7, 7, 2, 1, -1, 0, 9, 1, 1, 9};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(answer.get_int(std::int64_t(i)), wanted[i]) << i;
}

}  // namespace
}  // namespace ardea::test
