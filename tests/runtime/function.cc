#include "ardea/runtime/function.h"

#include <gtest/gtest.h>

#include "ardea/runtime/arguments.h"
#include "ardea/runtime/error_state.h"
#include "ardea/runtime/module.h"
#include "expect_error.h"

namespace ardea::runtime {
namespace {

TEST(Function, takes_and_gives_every_kind_of_value) {
  const Function count = [](const Array& a) { return a.element_count(); };
  const Function all = [](std::int64_t i, double d, const std::string& s, const Array& a, const Function& f,
                          const Module& m, void* p, bool b, std::string_view v, const Value& any) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {}", i, d, s, a.element_count(), f(a).as<int>(), m.name(),
                       p == nullptr, b, v, any.description());
  };
  const Array array = Array::zeros({2, 3}, float32);
  const Module module("house", {{"count", count}});
  int target = 0;
  EXPECT_EQ(all(7, 2.5, "text", array, count, module, static_cast<void*>(&target), true, "view", 3)
                .as<std::string>(),
            "7 2.5 text 6 6 house false true view the integer 3");
  EXPECT_TRUE(Function([] {})().is_null());
  EXPECT_TRUE(Function([](void* p) { return p == nullptr; })(nullptr).as<bool>());
  EXPECT_EQ(Function([](Array a) { return a; })(array).as<Array>(), array);
  EXPECT_EQ(Function([&] { return count; })().as<Function>()(array).as<int>(), 6);
  EXPECT_EQ(Function([&] { return module; })().as<Module>().name(), "house");
}

TEST(Function, takes_any_number_of_values_where_it_asks_for_all) {
  const Function sum = [](std::span<const Value> values) -> Value {
    double total = 0;
    for (const Value& value : values) total += value.as<double>();
    return total;
  };
  EXPECT_EQ(sum().as<double>(), 0);
  EXPECT_EQ(sum(1, 2.5, 3).as<double>(), 6.5);
}

TEST(Function, is_made_of_function_pointers_and_keeps_the_state_of_lambdas) {
  struct Plain {
    static int twice(int x) noexcept { return 2 * x; }
  };
  EXPECT_EQ(Function(&Plain::twice)(21).as<int>(), 42);
  const Function counter = [calls = 0]() mutable { return ++calls; };
  counter();
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): that a copy is the same function is tested
  const Function same = counter;
  EXPECT_EQ(same().as<int>(), 2);
}

TEST(Function, names_the_argument_that_is_wrong) {
  const Function f = Function([](std::int64_t, double, const std::string&, const Array&) {}).named("f");
  const Array array = Array::zeros({2}, int8);
  expect_error([&] { f(1.5, 1, "s", array); }, "f: argument 1 of 4 is the float 1.5, expected an integer");
  expect_error([&] { f(1, "one", "s", array); },
               "f: argument 2 of 4 is the string \"one\", expected a number");
  expect_error([&] { f(1, 2, array, array); }, "f: argument 3 of 4 is the array int8[2], expected a string");
  expect_error([&] { f(1, 2, "s", nullptr); }, "f: argument 4 of 4 is null, expected an array");
  expect_error([&] { f(1, 2, "s", Array()); }, "f: argument 4 of 4 is null, expected an array");
  expect_error([&] { f(1, "two", 3, 4); }, "f: argument 2 of 4 is the string \"two\", expected a number");
}

TEST(Function, refuses_functions_modules_and_handles_in_each_others_place) {
  const Function f = [] {};
  const Module m("m", {});
  int target = 0;
  void* const p = &target;
  expect_error([&] { Function([](const Function&) {})(m); },
               "function: argument 1 of 1 is a module, expected a function");
  expect_error([&] { Function([](const Module&) {})(f); },
               "function: argument 1 of 1 is a function, expected a module");
  expect_error([&] { Function([](const Array&) {})(p); },
               "function: argument 1 of 1 is a handle, expected an array");
  expect_error([&] { Function([](void*) {})(3); },
               "function: argument 1 of 1 is the integer 3, expected a handle or null");
}

TEST(Function, refuses_a_wrong_number_of_arguments) {
  expect_error([] { Function([](int, int) {})(1); }, "function: takes 2 arguments, 1 was given");
  expect_error([] { Function([](int) {})(); }, "function: takes 1 argument, 0 were given");
  expect_error([] { Function([] {})(1, 2); }, "function: takes 0 arguments, 2 were given");
}

TEST(Function, refuses_integers_that_the_parameter_cannot_hold) {
  expect_error([] { Function([](std::int32_t) {})(std::int64_t{1} << 31); },
               "function: argument 1 of 1 is the integer 2147483648, expected an integer that fits int32");
  expect_error([] { Function([](std::uint8_t) {})(-1); },
               "function: argument 1 of 1 is the integer -1, expected an integer that fits uint8");
  expect_error([] { Function([](std::uint64_t) {})(-1); },
               "function: argument 1 of 1 is the integer -1, expected an integer that fits uint64");
  expect_error([] { Function([](bool) {})(2); },
               "function: argument 1 of 1 is the integer 2, expected a boolean");
  EXPECT_EQ(Function([](std::int8_t x) { return x; })(-128).as<int>(), -128);
  EXPECT_EQ(Function([](std::uint64_t x) { return x == INT64_MAX; })(INT64_MAX).as<bool>(), true);
}

TEST(Function, refuses_to_be_called_when_null) {
  expect_error([] { Function()(1); }, "a null function was called");
  expect_error([] { Function("f", ArdeaPackedFunction{nullptr}, nullptr); },
               "f: the pointer to its code is null");
}

TEST(Value, says_what_it_is_where_it_is_read_wrongly) {
  expect_error([] { Value("x").as<int>(); },
               "the value is the string \"x\", expected an integer that fits int32");
  EXPECT_EQ(Value(true).as<int>(), 1);
  EXPECT_EQ(Value(2).as<float>(), 2);
}

/// Stands for generated code: adds 1 to each element of a float32 tensor; refuses others.
std::int32_t add_one(const ArdeaValue* arguments, const std::int32_t* codes, std::int32_t count,
                     ArdeaValue* result, std::int32_t* result_code) {
  if (count != 1 || codes[0] != ARDEA_TENSOR) {
    ardea_set_error("add_one: argument 1 must be a tensor");
    return -1;
  }
  const auto* tensor = static_cast<const DLTensor*>(arguments[0].as_pointer);
  auto* elements = reinterpret_cast<float*>(static_cast<char*>(tensor->data) + tensor->byte_offset);
  for (std::int64_t i = 0; i < tensor->shape[0]; ++i) elements[i] += 1;
  result->as_int = tensor->shape[0];
  *result_code = ARDEA_INT;
  return 0;
}

TEST(Function, calls_generated_code_with_tensors) {
  const Function function("add_one", add_one, nullptr);
  const Array array = Array::zeros({5}, float32);
  EXPECT_EQ(function(array).as<int>(), 5);
  EXPECT_EQ(array.get_float(4), 1);
}

TEST(Function, turns_an_error_code_into_the_recorded_sentence) {
  const Function function("add_one", add_one, nullptr);
  expect_error([&] { function(3); }, "add_one: argument 1 must be a tensor");
  EXPECT_EQ(take_error(), "") << "the sentence was taken";
  const Function silent("silent", [](auto...) -> std::int32_t { return 7; }, nullptr);
  ardea_set_error("of an earlier call");
  expect_error([&] { silent(); }, "silent: returned the error code 7 without a sentence");
}

TEST(Function, keeps_the_owner_of_its_code_as_long_as_a_copy_lives) {
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = owner;
  Function first("add_one", add_one, std::move(owner));
  Function second = first.named("other");
  first = {};
  EXPECT_FALSE(watch.expired());
  second = {};
  EXPECT_TRUE(watch.expired());
}

/// Gives its first argument back, as generated code would.
std::int32_t echo(const ArdeaValue* arguments, const std::int32_t* codes, std::int32_t, ArdeaValue* result,
                  std::int32_t* result_code) {
  *result = arguments[0];
  *result_code = codes[0];
  return 0;
}

TEST(Function, passes_every_kind_of_value_through_the_abi) {
  const Function function("echo", echo, nullptr);
  int target = 0;
  EXPECT_EQ(function(-5).as<int>(), -5);
  EXPECT_EQ(function(2.25).as<double>(), 2.25);
  EXPECT_EQ(function("text").as<std::string>(), "text");
  EXPECT_TRUE(function(nullptr).is_null());
  EXPECT_EQ(function(static_cast<void*>(&target)).as<void*>(), &target);
  EXPECT_EQ(function(Function([] { return 3; })).as<Function>()().as<int>(), 3);
  EXPECT_EQ(function(Module("m", {})).as<Module>().name(), "m");
  const Array array = Array::zeros({2}, int8);
  array.set_int(1, 9);
  const Array result = function(array).as<Array>();
  EXPECT_EQ(result.get_int(1), 9);
  EXPECT_NE(result.data(), array.data()) << "a result owns its elements";
}

TEST(Function, refuses_a_type_code_that_there_is_not) {
  const Function bad(
      "bad",
      [](const ArdeaValue*, const std::int32_t*, std::int32_t, ArdeaValue*,
         std::int32_t* code) -> std::int32_t {
        *code = 99;
        return 0;
      },
      nullptr);
  expect_error([&] { bad(); }, "a packed value has the type code 99, codes are 0 to 7");
}

TEST(Function, called_from_generated_code_lets_no_exception_out) {
  const Function throws_error = Function([](int) { fail("no luck with {}", 3); }).named("unlucky");
  const std::vector<Value> values{1};
  const Arguments arguments(values);
  EXPECT_NE(throws_error.call_packed(arguments.values(), arguments.type_codes(), 1, nullptr, nullptr), 0);
  EXPECT_EQ(take_error(), "no luck with 3");
  EXPECT_NE(throws_error.call_packed(nullptr, nullptr, 0, nullptr, nullptr), 0);
  EXPECT_EQ(take_error(), "unlucky: takes 1 argument, 0 were given");
  const Function throws_int = [] { throw 3; };
  EXPECT_NE(throws_int.call_packed(nullptr, nullptr, 0, nullptr, nullptr), 0);
  EXPECT_EQ(take_error(),
            "an exception that is no std::exception was thrown by a function called from generated code");
}

TEST(Function, called_from_generated_code_gives_results_that_outlive_the_call) {
  const Function make = [](const std::string& text) { return text + text; };
  const std::vector<Value> values{std::string(40, 'x')};
  const Arguments arguments(values);
  ArdeaValue result{};
  std::int32_t code = -1;
  ASSERT_EQ(make.call_packed(arguments.values(), arguments.type_codes(), 1, &result, &code), 0);
  ASSERT_EQ(code, ARDEA_STRING);
  EXPECT_EQ(std::string(result.as_string), std::string(80, 'x'));
}

TEST(PreparedCall, calls_again_and_again_with_the_same_arguments) {
  const Array array = Array::zeros({3}, float32);
  const std::vector<Value> values{array};
  const PreparedCall generated(Function("add_one", add_one, nullptr), values);
  for (int i = 0; i < 4; ++i) generated.run();
  EXPECT_EQ(array.get_float(0), 4);
  EXPECT_EQ(generated.call().as<int>(), 3);
  const PreparedCall plain([](const Array& a) { a.set_float(0, -1); }, values);
  plain.run();
  EXPECT_EQ(array.get_float(0), -1);
  const std::vector<Value> wrong{1};
  expect_error([&] { PreparedCall(Function("add_one", add_one, nullptr), wrong).run(); },
               "add_one: argument 1 must be a tensor");
  expect_error([&] { PreparedCall(Function(), wrong); }, "a null function was prepared to be called");
}

}  // namespace
}  // namespace ardea::runtime
