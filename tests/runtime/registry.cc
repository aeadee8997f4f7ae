#include "ardea/runtime/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "ardea/runtime/arguments.h"
#include "ardea/runtime/error_state.h"
#include "ardea/runtime/module.h"
#include "expect_error.h"

namespace ardea::runtime {
namespace {

/// The registry lasts as long as the process, so that a test run twice needs another name.
std::string fresh_name(const std::string& what) {
  static std::atomic<int> serial{0};
  return fmt::format("registry_test.{}.{}", what, serial++);
}

TEST(Registry, finds_what_was_registered_and_lists_it) {
  const std::string name = fresh_name("add");
  EXPECT_FALSE(find_function(name).has_value());
  register_function(name, [](int a, int b) { return a + b; });
  EXPECT_EQ(get_function(name)(2, 3).as<int>(), 5);
  EXPECT_EQ(get_function(name).name(), name);
  const std::vector<std::string> names = registered_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), name), 1);
}

TEST(Registry, refuses_a_name_that_is_taken_unless_replacing) {
  const std::string name = fresh_name("taken");
  register_function(name, [] { return 1; });
  expect_error(
      [&] { register_function(name, [] { return 2; }); },
      "register_function(\"" + name + "\"): the name is taken; choose another, or pass replace=true");
  EXPECT_EQ(get_function(name)().as<int>(), 1);
  register_function(name, [] { return 2; }, true);
  EXPECT_EQ(get_function(name)().as<int>(), 2);
}

TEST(Registry, suggests_the_nearest_names) {
  register_function("kingfisher", [] {}, true);
  expect_error([] { get_function("kingfischer"); },
               "no function is registered as \"kingfischer\"; did you mean kingfisher?");
  expect_error([] { get_function("x"); },
               "no function is registered as \"x\"; register_function makes one known");
}

TEST(Registry, refuses_no_name_and_no_function) {
  expect_error([] { register_function("", [] {}); }, "register_function: the name is empty");
  expect_error([] { register_function("registry_test.null", Function()); },
               "register_function(\"registry_test.null\"): the function is null");
}

TEST(Registry, serves_threads_that_register_and_look_up_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = fresh_name("thread");
        register_function(name, [i] { return i; });
        EXPECT_EQ(get_function(name)().as<int>(), i);
        EXPECT_FALSE(registered_names().empty());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Registry, is_what_generated_code_calls_by_name) {
  const std::string scale = fresh_name("scale");
  register_function(scale, [](const Array& x, double factor) {
    for (std::int64_t i = 0; i < x.element_count(); ++i) x.set_float(i, x.get_float(i) * factor);
    return x.element_count();
  });
  const Array array = Array::zeros({3}, float32);
  array.set_float(1, 2);
  const std::vector<Value> values{array, 2.5};
  const Arguments arguments(values);
  ArdeaValue result{};
  std::int32_t code = -1;
  const auto call = [&](const char* name, std::int32_t count) {
    return ardea_call_registered(name, arguments.values(), arguments.type_codes(), count, &result, &code);
  };
  EXPECT_EQ(call(scale.c_str(), 2), 0);
  EXPECT_EQ(array.get_float(1), 5);
  EXPECT_EQ(code, ARDEA_INT);
  EXPECT_EQ(result.as_int, 3);
  EXPECT_NE(call(scale.c_str(), 1), 0);
  EXPECT_EQ(take_error(), scale + ": takes 2 arguments, 1 was given");
  EXPECT_NE(call("nowhere near anything", 2), 0);
  EXPECT_EQ(take_error(),
            "no function is registered as \"nowhere near anything\"; register_function makes one known");
}

TEST(Module, finds_its_own_functions_before_its_imports) {
  const Module inner("inner", {{"f", [] { return 1; }}, {"g", [] { return 2; }}});
  const Module outer("outer", {{"f", [] { return 3; }}}, nullptr, {inner});
  EXPECT_EQ(outer.get_function("f")().as<int>(), 3);
  EXPECT_EQ(outer.get_function("g")().as<int>(), 2);
  EXPECT_EQ(outer.get_function("g").name(), "g");
  EXPECT_EQ(outer.function_names(), (std::vector<std::string>{"f", "f", "g"}));
  EXPECT_EQ(outer.imports().size(), 1u);
}

TEST(Module, lists_its_functions_where_one_is_unknown) {
  expect_error([] { Module("m", {{"main", [] {}}, {"helper", [] {}}}).get_function("mian"); },
               "module m has no function \"mian\"; it has main, helper");
  expect_error([] { Module("m", {}).get_function("main"); },
               "module m has no function \"main\"; it has none");
  expect_error([] { Module().get_function("main"); }, "get_function(\"main\"): the module is null");
  expect_error([] { Module("m", {{"f", [] {}}, {"f", [] {}}}); },
               "module m: two functions are called f; rename one");
  expect_error([] { Module("m", {{"f", Function()}}); }, "module m: the function f is null");
}

TEST(Module, keeps_its_owner_alive) {
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owner;
  Module module("m", {}, std::move(owner));
  Value value = module;
  module = {};
  EXPECT_FALSE(watch.expired());
  value = nullptr;
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace ardea::runtime
