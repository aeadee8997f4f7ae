#include "ardea/runtime/load_module.h"

#include <gtest/gtest.h>

#include <thread>

#include "ardea/runtime/registry.h"
#include "tests/compile/both_ways.h"
#include "tests/compile/exported.h"

namespace ardea::test {
namespace {

using runtime::Array;

const char* const two_functions = R"(
@T.prim_func
def twice(X: T.Buffer((100,), "float32"), Y: T.Buffer((100,), "float32")):
    for i in T.parallel(100):
        Y[i] = X[i] * T.float32(2)

@T.prim_func
def pick(I: T.Buffer((100,), "int32"), X: T.Buffer((100,), "float32"), Y: T.Buffer((100,), "float32")):
    for i in T.parallel(100):
        Y[i] = X[I[i]]

@T.prim_func
def ask(Y: T.Buffer((1,), "float32")):
    Y[0] = T.call_registered("tests.load_module.answer", 6, dtype="float32")
)";

std::filesystem::path exported(const Folder& folder) {
  return export_text(two_functions, folder,
                     {.name = "two", .files = {compile::LibraryFile::shared_library}})[0];
}

TEST(LoadModule, gives_back_the_functions_that_were_exported) {
  const Folder folder;
  const runtime::Module module = runtime::load_module(exported(folder));
  EXPECT_EQ(module.name(), "two");
  EXPECT_EQ(module.function_names(), (std::vector<std::string>{"twice", "pick", "ask"}));
  const Array x = Array::zeros({100}, float32), y = Array::zeros({100}, float32);
  for (int i = 0; i < 100; ++i) x.set_float(i, i - 50);
  module.get_function("twice")(x, y);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(y.get_float(i), 2 * (i - 50));
}

TEST(LoadModule, reports_errors_and_those_of_workers_as_any_function_does) {
  const Folder folder;
  const runtime::Module module = runtime::load_module(exported(folder));
  const Array i = Array::zeros({100}, int32), x = Array::zeros({100}, float32),
              y = Array::zeros({100}, float32);
  EXPECT_EQ(error_of([&] { module.get_function("pick")(i, x, y); }), "");
  i.set_int(99, 1000);
  EXPECT_NE(error_of([&] { module.get_function("pick")(i, x, y); }).find("1000"), std::string::npos);
  EXPECT_EQ(error_of([&] { module.get_function("twice")(x); }),
            "ardea_twice: got 1 arguments, takes 2: X, Y");
}

TEST(LoadModule, names_the_type_of_wrong_elements_as_ardea_does) {
  const Folder folder;
  const runtime::Module module = runtime::load_module(exported(folder));
  for (const DataType type : element_types) {
    if (type == float32) continue;
    EXPECT_EQ(error_of([&] {
                module.get_function("twice")(Array::zeros({100}, type), Array::zeros({100}, float32));
              }),
              "ardea_twice: argument X (1 of 2) has elements of " + to_string(type) + ", expected float32");
  }
}

TEST(LoadModule, lets_the_program_call_registered_functions) {
  const Folder folder;
  const runtime::Module module = runtime::load_module(exported(folder));
  const Array y = Array::zeros({1}, float32);
  EXPECT_NE(error_of([&] { module.get_function("ask")(y); }).find("tests.load_module.answer"),
            std::string::npos);
  runtime::register_function("tests.load_module.answer",
                             [](std::int64_t x) { return 7.0 * static_cast<double>(x); });
  module.get_function("ask")(y);
  EXPECT_EQ(y.get_float(0), 42);
}

TEST(LoadModule, keeps_the_library_open_as_long_as_a_function_lives) {
  runtime::Function twice;
  {
    const Folder folder;
    twice = runtime::load_module(exported(folder)).get_function("twice");
  }
  const Array x = Array::zeros({100}, float32), y = Array::zeros({100}, float32);
  x.set_float(3, 1.5);
  std::thread other([&] { twice(x, y); });
  other.join();
  EXPECT_EQ(y.get_float(3), 3);
}

TEST(LoadModule, takes_a_newer_library_of_the_same_name) {
  const Folder folder;
  const runtime::Module old = runtime::load_module(exported(folder));
  export_text("@T.prim_func\ndef other(Y: T.Buffer((1,), \"float32\")):\n    Y[0] = T.float32(5)\n", folder,
              {.name = "two"});
  const runtime::Module module = runtime::load_module(folder.path() / "two.so");
  EXPECT_EQ(module.function_names(), std::vector<std::string>{"other"});
  EXPECT_EQ(old.function_names().size(), 3u);
}

TEST(LoadModule, takes_what_a_c_compiler_makes_of_the_source) {
  const Folder folder;
  export_text(two_functions, folder, {.name = "two", .files = {compile::LibraryFile::source}});
  ASSERT_EQ(strict_c(folder, {"-fPIC", "-shared", "two.c", "-o", "mine.so", "-lm", "-lpthread"}).error, "");
  const runtime::Module module = runtime::load_module(folder.path() / "mine.so");
  const Array x = Array::zeros({100}, float32), y = Array::zeros({100}, float32);
  x.set_float(99, 1.5);
  module.get_function("twice")(x, y);
  EXPECT_EQ(y.get_float(99), 3);
}

TEST(LoadModule, refuses_what_is_no_library_of_ardeas_in_one_sentence) {
  const Folder folder;
  folder.write("text.so", "not a library");
  folder.write("plain.c", "int x;\n");
  ASSERT_TRUE(strict_c(folder, {"-shared", "-fPIC", "plain.c", "-o", "plain.so"}).succeeded());
  folder.write("future.c",
               "#include <stdint.h>\nextern const int32_t ardea_library[8];\nconst int32_t ardea_library[8] "
               "= {99};\n");
  ASSERT_TRUE(strict_c(folder, {"-shared", "-fPIC", "future.c", "-o", "future.so"}).succeeded());
  const auto refusal = [&](const std::string& name) {
    return error_of([&] { runtime::load_module(folder.path() / name); });
  };
  EXPECT_NE(refusal("missing.so").find("cannot be opened: cannot open shared object file: No such file"),
            std::string::npos)
      << refusal("missing.so");
  EXPECT_NE(refusal("text.so").find("cannot be opened: "), std::string::npos) << refusal("text.so");
  EXPECT_NE(refusal("plain.so").find("was not written by Ardea"), std::string::npos) << refusal("plain.so");
  EXPECT_NE(refusal("future.so").find("has version 99"), std::string::npos) << refusal("future.so");
  EXPECT_NE(refusal("").find("cannot be opened"), std::string::npos) << refusal("");
}

}  // namespace
}  // namespace ardea::test
