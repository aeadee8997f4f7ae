#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "ardea/runtime/registry.h"
#include "ardea/support/error.h"
#include "tests/codegen/lowered.h"

// Under a sanitizer too, memory that there is not is a null pointer and not the end of the process. The names
// are reserved because they are the sanitizers' own, who look for them.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace ardea::test {
namespace {

using runtime::Array;

TEST(Laziness, the_side_that_is_not_chosen_reads_nothing) {
  // a[i] beyond its end would be another page for a large i: the program runs only if it is never read.
  const Buffer a = flat("a", 2, int32), out = flat("out", 4, int32);
  const Expr far = make_int(std::int64_t(1) << 40);
  const auto answer = Array::zeros({4}, int32);
  const Stmt body = loop(4, [&](const Var& i) {
    const Expr inside = i < make_int(2);
    const Expr at = make_select(inside, i, far);
    const Expr first = make_call("if_then_else", {inside, make_load(a, {at}), make_int(-1, int32)});
    const Expr both = logical_and(inside, equals(make_load(a, {at}), make_int(5, int32)));
    const Expr either = logical_or(logical_not(inside), equals(make_load(a, {at}), make_int(6, int32)));
    return make_store(out, {i}, first + make_cast(int32, both) * 100 + make_cast(int32, either) * 1000);
  });
  for (const int level : {0, 3}) {
    compile(entry("lazy", {a, out}, body), {.optimization_level = level})(integers({5, 6}, int32), answer);
    const std::vector<std::int64_t> wanted = {105, 1006, 999, 999};
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_int(i), wanted[i]) << i;
  }
}

TEST(Let, names_a_value_in_expressions_and_statements) {
  const Buffer out = flat("out", 3, int64);
  const Var x("x"), y("y");
  const auto answer = Array::zeros({3}, int64);
  const Stmt body = loop(
      3, [&](const Var& i) { return LetStmt{x, i * 10, make_store(out, {i}, make_let(y, x + 1, y * y))}; });
  compile(entry("lets", {out}, body))(answer);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(answer.get_int(i), (10 * i + 1) * (10 * i + 1));
}

TEST(Expressions, that_share_their_parts_stay_small) {
  const Buffer out = flat("out", 1, int64);
  Expr value = make_load(out, {make_int(0)});
  for (int i = 0; i < 40; ++i) value = value + value;  // 2^40 nodes as a tree
  const auto answer = integers({3}, int64);
  compile(entry("doubling", {out}, make_store(out, {make_int(0)}, value)))(answer);
  EXPECT_EQ(answer.get_int(0), std::int64_t(3) << 40);
}

TEST(Loops, run_from_their_minimum_and_not_at_all_when_empty) {
  const Buffer out = flat("out", 8, int32);
  for (DataType type : {int64, int32, uint8})
    for (const std::int64_t extent : {0, 1, 5}) {
      const auto answer = Array::zeros({8}, int32);
      const Var i("i", type);
      const Stmt body =
          make_for(i, make_int(2, type), make_int(extent, type), make_store(out, {i}, make_cast(int32, i)));
      compile(entry("loop", {out}, body))(answer);
      for (std::int64_t k = 0; k < 8; ++k) EXPECT_EQ(answer.get_int(k), k >= 2 && k < 2 + extent ? k : 0);
    }
}

TEST(If, takes_either_side) {
  const Buffer out = flat("out", 4, int32);
  const auto answer = Array::zeros({4}, int32);
  const auto put = [&](const Expr& at, std::int64_t x) { return make_store(out, {at}, make_int(x, int32)); };
  const Stmt body = loop(4, [&](const Var& i) {
    return make_seq(
        {make_if(i < make_int(2), put(i, 1), put(i, 2)), make_if(equals(i, make_int(3)), put(i, 3))});
  });
  compile(entry("branches", {out}, body))(answer);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_int(i), std::vector({1, 1, 2, 3})[i]);
}

TEST(Allocate, small_on_the_stack_and_large_on_the_heap) {
  const Buffer out = flat("out", 4, int32);
  for (const std::int64_t elements : {std::int64_t(7), std::int64_t(9000), std::int64_t(100003)}) {
    const Function f = entry("temporaries", {out}, through_temporaries(out, elements, make_no_op()));
    const auto answer = Array::zeros({4}, int32);
    compile(f)(answer);
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_int(i), elements - 1 - i);
  }
}

TEST(Allocate, more_than_there_is_is_an_error_and_not_a_crash) {
  const Buffer out = flat("out", 1, int32), huge = make_buffer("huge", std::vector<Expr>{make_int(1)}, int32);
  for (const std::int64_t extent :
       {std::int64_t(1) << 60, std::int64_t(1) << 62}) {  // the bytes of the second overflow
    const Stmt body =
        Allocate{huge->data,
                 int32,
                 {make_int(extent)},
                 "global",
                 DeclareBuffer{huge, make_store(huge, {make_int(0)}, make_load(out, {make_int(0)}))}};
    EXPECT_EQ(error_of([&] {
                compile(entry("big", {out}, body), {.optimization_level = 0})(Array::zeros({1}, int32));
              }),
              "big: there is no memory for the allocation huge of int32");
  }
}

TEST(Assert, stops_with_its_sentence_and_frees_what_is_allocated) {
  // The address sanitizer's leak check sees this test fail where the memory stays.
  const Buffer out = flat("out", 4, int32);
  const Expr first = make_load(out, {make_int(0)});
  const Stmt check = Assert{first < make_int(0, int32), "the first is not negative"};
  const auto f = compile(entry("checked", {out}, through_temporaries(out, 50021, check)));
  EXPECT_EQ(error_of([&] { f(Array::zeros({4}, int32)); }), "the first is not negative");
}

TEST(Fail, puts_the_values_into_its_sentence) {
  const Buffer out = flat("out", 4, int32);
  const Stmt body = loop(4, [&](const Var& i) {
    const Expr value = make_load(out, {i});
    return make_seq(
        {make_if(value < make_int(0, int32),
                 Evaluate{make_call("fail", {make_string("out[{}] is {}"), i, make_cast(int64, value)})}),
         make_store(out, {i}, value + 1)});
  });
  const auto f = compile(entry("failing", {out}, body));
  const auto data = integers({1, 2, -3, 4}, int32);
  EXPECT_EQ(error_of([&] { f(data); }), "out[2] is -3");
  EXPECT_EQ(data.get_int(1), 3) << "what ran before the failure stays";
  EXPECT_EQ(data.get_int(3), 4) << "what comes after it does not run";
  EXPECT_EQ(error_of([&] { f(integers({1, 2, 3, 4}, int32)); }), "");
}

TEST(Parallel, runs_every_iteration_once_with_the_values_it_captures) {
  const Buffer a = flat("a", 1000, int64), out = flat("out", 1000, int64);
  const Var shift("shift", int32), from("from", int32), i("i", int32);
  const Stmt inner = make_store(out, {i}, make_load(out, {i}) + make_load(a, {i}) * make_cast(int64, shift));
  // The loop begins at a[0] - 2, which is 3: the first three stay.
  const Expr first = make_cast(int32, make_load(a, {make_int(0)})) - 2;
  const Stmt nest = make_for(i, from, make_int(997, int32), inner, ForKind::parallel);
  const Stmt body = LetStmt{shift, make_cast(int32, make_load(a, {make_int(2)})), LetStmt{from, first, nest}};
  std::vector<std::int64_t> values(1000);
  for (std::size_t k = 0; k < 1000; ++k) values[k] = std::int64_t(k) + 5;
  const auto answer = Array::zeros({1000}, int64);
  compile(entry("parallel", {a, out}, body))(integers(values, int64), answer);
  for (std::int64_t k = 0; k < 1000; ++k) ASSERT_EQ(answer.get_int(k), k < 3 ? 0 : (k + 5) * 7) << k;
}

TEST(Parallel, inside_another_and_with_memory_of_its_own) {
  const std::int64_t count = std::int64_t{13} * 17;
  const Buffer out = flat("out", count, int32), local = flat("local", 20000, int32);
  const Var i("i"), j("j");
  const Stmt inner = make_seq({make_store(local, {j}, make_cast(int32, i * 17 + j)),
                               make_store(out, {i * 17 + j}, make_load(local, {j}))});
  const Stmt body = make_for(
      i, make_int(0), make_int(13),
      Allocate{local->data,
               int32,
               {make_int(20000)},
               "global",
               DeclareBuffer{local, make_for(j, make_int(0), make_int(17), inner, ForKind::parallel)}},
      ForKind::parallel);
  const auto answer = Array::zeros({count}, int32);
  compile(entry("nested", {out}, body))(answer);
  for (std::int64_t k = 0; k < count; ++k) ASSERT_EQ(answer.get_int(k), k);
}

TEST(Parallel, an_error_in_one_iteration_is_the_call_s_error) {
  const Buffer out = flat("out", 64, int32), local = flat("local", 50021, int32);
  const Var i("i");
  const Stmt body = make_for(
      i, make_int(0), make_int(64),
      Allocate{local->data,
               int32,
               {make_int(50021)},
               "global",
               DeclareBuffer{local, make_seq({Assert{not_equals(i, make_int(37)), "iteration 37 is refused"},
                                              make_store(out, {i}, make_int(1, int32))})}},
      ForKind::parallel);
  const auto f = compile(entry("refusing", {out}, body));
  for (int repeat = 0; repeat < 5; ++repeat)
    EXPECT_EQ(error_of([&] { f(Array::zeros({64}, int32)); }), "iteration 37 is refused");
}

TEST(Registered, takes_and_gives_every_kind_of_value) {
  std::vector<std::string> seen;
  runtime::register_function(
      "test.take",
      [&](std::int64_t i, double x, const std::string& text, void* memory, bool flag) {
        seen = {std::to_string(i), std::to_string(x), text, std::to_string(static_cast<float*>(memory)[0]),
                flag ? "true" : "false"};
        return x * 2;
      },
      true);
  runtime::register_function("test.count", [](std::int64_t i) { return i + 1; }, true);
  const Buffer a = flat("a", 4, float32), out = flat("out", 2, float32);
  const Expr third = make_load(a, {make_int(2)});
  const Stmt body = make_seq({
      make_store(out, {make_int(0)},
                 make_call("call_registered", float32,
                           {make_string("test.take"), make_int(-5, int8), third, make_string("hello"),
                            make_call("address_of", {third}), make_bool(true)})),
      // An integer where a float is stated, and a call in an argument of a call.
      make_store(out, {make_int(1)},
                 make_call("call_registered", float32,
                           {make_string("test.count"),
                            make_call("call_registered", int64, {make_string("test.count"), make_int(40)})})),
  });
  const auto answer = Array::zeros({2}, float32);
  compile(entry("calls", {a, out}, body))(floats({1, 2, 3.5, 4}, float32), answer);
  EXPECT_EQ(seen, (std::vector<std::string>{"-5", "3.500000", "hello", "3.500000", "true"}));
  EXPECT_EQ(answer.get_float(0), 7);
  EXPECT_EQ(answer.get_float(1), 42);
}

TEST(Registered, errors_come_through_generated_code_as_errors) {
  runtime::register_function(
      "test.throw", [](std::int64_t i) { throw Error("refused " + std::to_string(i)); }, true);
  runtime::register_function("test.text", [] { return std::string("no number"); }, true);
  const Buffer out = flat("out", 4, int32);
  const auto call = [&](std::vector<Expr> arguments, DataType type) {
    const Stmt statement = Evaluate{make_call("call_registered", type, std::move(arguments))};
    return error_of([&] {
      compile(entry("caller", {out}, through_temporaries(out, 50021, statement)))(Array::zeros({4}, int32));
    });
  };
  EXPECT_NE(call({make_string("test.throw"), make_int(7)}, no_type).find("refused 7"), std::string::npos);
  EXPECT_NE(call({make_string("test.nobody")}, no_type).find("test.nobody"), std::string::npos);
  EXPECT_EQ(call({make_string("test.text")}, float32),
            "caller: T.call_registered(\"test.text\") must give back float32, but the registered function "
            "gave something else");
}

TEST(Registered, runs_as_often_as_the_program_says) {
  std::int64_t calls = 0;
  runtime::register_function("test.next", [&] { return ++calls; }, true);
  const Buffer out = flat("out", 3, int64);
  const Expr next = make_call("call_registered", int64, {make_string("test.next")});
  const auto answer = Array::zeros({3}, int64);
  compile(entry("twice", {out},
                loop(3, [&](const Var& i) { return make_store(out, {i}, next * 10 + next); })))(answer);
  EXPECT_EQ(calls, 6);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(answer.get_int(i), (2 * i + 1) * 10 + 2 * i + 2);
}

TEST(Registered, memory_is_read_again_after_a_call) {
  runtime::register_function(
      "test.write", [](void* memory) { return static_cast<int*>(memory)[0] = 5; }, true);
  const Buffer out = flat("out", 1, int32);
  const Expr here = make_load(out, {make_int(0)});
  const Expr write =
      make_call("call_registered", int32, {make_string("test.write"), make_call("address_of", {here})});
  const auto answer = integers({1}, int32);
  compile(entry("reread", {out}, make_store(out, {make_int(0)}, here * 100 + write * 10 + here)))(answer);
  EXPECT_EQ(answer.get_int(0), 155);
}

TEST(Code, lives_as_long_as_one_of_its_functions_and_can_be_made_on_many_threads) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Buffer out = flat("out", 3, int32);
      runtime::Function f;
      {
        const Stmt body =
            loop(3, [&](const Var& i) { return make_store(out, {i}, make_cast(int32, i) * t); });
        f = compile(entry("f", {out}, body));
      }
      const auto answer = Array::zeros({3}, int32);
      f(answer);
      right += answer.get_int(2) == std::int64_t{2} * t;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

TEST(Names, of_functions_do_not_clash_with_the_c_library) {
  const Buffer out = flat("out", 1, float64);
  const Stmt body = make_store(out, {make_int(0)}, make_call("exp", {make_load(out, {make_int(0)})}));
  const auto answer = floats({0}, float64);
  for (const std::string name : {"exp", "main", "memcpy", "ardea_free"})
    compile(entry(name, {out}, body))(answer);
  EXPECT_GT(answer.get_float(0), 1);
}

}  // namespace
}  // namespace ardea::test
