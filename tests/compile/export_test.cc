#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ardea/arith/load.h"
#include "ardea/compile/c_names.h"
#include "ardea/compile/roles.h"
#include "ardea/compile/toolchain.h"
#include "tests/compile/both_ways.h"
#include "tests/compile/exported.h"

namespace ardea::test {
namespace {

using compile::LibraryFile;

std::string copy_text(const std::string& name, const std::string& parameter = "X") {
  return "@T.prim_func\ndef " + name + "(" + parameter +
         ": T.Buffer((3,), \"float32\"), Y: T.Buffer((3,), \"float32\")):\n" +
         "    for i in range(3):\n        Y[i] = " + parameter + "[i]\n";
}

TEST(Export, writes_a_manifest_that_says_how_to_call_and_what_was_written) {
  const Folder folder;
  export_text(copy_text("copy"), folder, {.files = {LibraryFile::object, LibraryFile::header}});
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"copy.h", "copy.json", "copy.o"}));
  const auto manifest = nlohmann::json::parse(folder.read("copy.json"));
  EXPECT_EQ(manifest["name"], "copy");
  EXPECT_EQ(manifest["target"]["name"], host().name);
  const auto& f = manifest["functions"].at(0);
  EXPECT_EQ(f["symbol"], "ardea_copy");
  EXPECT_EQ(f["declaration"], "int ardea_copy(const float* X, float* Y)");
  EXPECT_EQ(f["parameters"].at(1)["role"], "output");
  EXPECT_EQ(f["parameters"].at(1)["shape"], nlohmann::json({3}));
  EXPECT_EQ(f["hash"].get<std::string>().size(), 16u);
  for (const auto& file : manifest["files"])
    EXPECT_EQ(file["bytes"], folder.read(file["name"].get<std::string>()).size());
}

TEST(Export, writes_the_same_bytes_again) {
  const Folder first, second;
  export_text(copy_text("copy"), first);
  export_text(copy_text("copy"), second);
  ASSERT_EQ(first.names(), second.names());
  for (const std::string& name : first.names()) EXPECT_TRUE(first.read(name) == second.read(name)) << name;
}

TEST(Export, header_and_source_need_no_compiler) {
  const Folder folder;
  setenv("ARDEA_CC", "/no/such/compiler", 1);
  const std::string refused = error_of([&] { export_text(copy_text("copy"), folder); });
  const std::vector<std::string> left = folder.names();
  const std::string taken = error_of(
      [&] { export_text(copy_text("copy"), folder, {.files = {LibraryFile::header, LibraryFile::source}}); });
  unsetenv("ARDEA_CC");
  EXPECT_EQ(
      refused,
      "ARDEA_CC is \"/no/such/compiler\", which is no C compiler that runs; give it one such as gcc, or "
      "unset it");
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(taken, "");
}

TEST(Export, refuses_names_that_c_programs_cannot_call) {
  const Folder folder;
  const auto refusal = [&](const std::string& text, const std::string& prefix) {
    return error_of([&] { export_text(text, folder, {.name = "lib", .prefix = prefix}); });
  };
  EXPECT_EQ(
      refusal(copy_text("tanhf"), ""),
      "function tanhf: \"tanhf\" is a function of the C library, so that no C program could call it; choose "
      "another --prefix");
  EXPECT_NE(refusal(copy_text("double"), "").find("keyword"), std::string::npos);
  EXPECT_NE(refusal(copy_text("copy"), "9-").find("is no identifier of C"), std::string::npos);
  EXPECT_NE(refusal(copy_text("free"), "ardea_").find("Ardea's own"), std::string::npos);
  EXPECT_NE(
      refusal(copy_text("a") + copy_text("a_error"), "x_").find("two C functions would be called x_a_error"),
      std::string::npos)
      << refusal(copy_text("a") + copy_text("a_error"), "x_");
  EXPECT_NE(error_of([&] { export_text(copy_text("a"), folder, {.name = "../a"}); }).find("--name \"../a\""),
            std::string::npos);
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(Export, gives_parameters_names_that_c_takes) {
  std::set<std::string> taken;
  EXPECT_EQ(compile::c_parameter_name("A", taken), "A");
  EXPECT_EQ(compile::c_parameter_name("A", taken), "A_1");
  EXPECT_EQ(compile::c_parameter_name("restrict", taken), "p_restrict");
  EXPECT_EQ(compile::c_parameter_name("x.y", taken), "x_y");
  EXPECT_EQ(compile::c_parameter_name("1x", taken), "p1x");
  EXPECT_EQ(compile::c_parameter_name("ardea_codes", taken), "p_ardea_codes");
  const Folder folder;
  export_text(copy_text("copy", "register"), folder, {.files = {LibraryFile::object, LibraryFile::header}});
  EXPECT_NE(folder.read("copy.h").find("(const float* p_register, float* Y)"), std::string::npos);
}

TEST(Export, calls_an_argument_const_only_where_nothing_writes_it) {
  const auto roles = [](const std::string& body) {
    std::vector<std::string> names;
    for (const compile::Role role :
         compile::argument_roles(program("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n" + body)))
      names.push_back(to_string(role));
    return names;
  };
  EXPECT_EQ(roles("    T.evaluate(A[0])\n"), std::vector<std::string>{"input"});
  EXPECT_EQ(roles("    A[0] = A[1]\n"), std::vector<std::string>{"in_place"});
  EXPECT_EQ(roles("    A[0] = T.float32(1)\n"), std::vector<std::string>{"output"});
  EXPECT_EQ(roles("    B = T.Buffer((2, 2), data=A.data)\n    B[0, 0] = T.float32(1)\n"),
            std::vector<std::string>{"output"});
  EXPECT_EQ(roles("    T.evaluate(T.call_registered(\"f\", A.data, dtype=\"int32\"))\n"),
            std::vector<std::string>{"in_place"});
  EXPECT_EQ(roles("    p: T.handle = T.address_of(A[1])\n    T.evaluate(T.call_registered(\"f\", p, "
                  "dtype=\"int32\"))\n"),
            std::vector<std::string>{"in_place"});
}

TEST(Export, leaves_nothing_behind_where_a_file_is_in_the_way) {
  const Folder folder;
  std::filesystem::create_directory(folder.path() / "copy.h");
  folder.write("copy.json", "old");
  const std::string sentence =
      error_of([&] { export_text(copy_text("copy"), folder, {.request = "-o out"}); });
  EXPECT_EQ(sentence, "-o out: copy.h cannot be moved there: Is a directory; nothing was changed");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"copy.h", "copy.json"}));
  EXPECT_EQ(folder.read("copy.json"), "old");
}

TEST(Export, leaves_nothing_behind_on_a_full_disk) {
  // A limit on the size of files stands for a full disk, here and in the compiler.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t bytes : {100, 8000, 12000, 17000}) {  // ever later among the files
    const Folder folder;
    rlimit small = before;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string sentence = error_of([&] { export_text(copy_text("copy"), folder); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(sentence, "");
    EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 0) << sentence;
    EXPECT_NE(sentence.find("cannot be written: File too large; free some space or choose another folder"),
              std::string::npos)
        << sentence;
    EXPECT_EQ(sentence.find("partial"), std::string::npos) << sentence;
    EXPECT_EQ(folder.names(), std::vector<std::string>{}) << sentence;
  }
  std::signal(SIGXFSZ, SIG_DFL);
}

TEST(Export, refuses_an_accelerator_and_a_module_without_a_name) {
  const Folder folder;
  EXPECT_NE(error_of([&] {
              compile::export_library(arith::load_program(copy_text("copy"), "t"), target::find("vta"),
                                      {.folder = folder.path()});
            }).find("only code for processors and GPUs can be linked"),
            std::string::npos);
  EXPECT_NE(error_of([&] { export_text(copy_text("a") + copy_text("b"), folder); }).find("--name"),
            std::string::npos);
}

TEST(Toolchain, finds_a_compiler_for_this_machine_and_names_the_package_for_others) {
  const compile::CCompiler own = compile::find_c_compiler(host().arch);
  EXPECT_FALSE(own.program.empty());
  const char* const path = std::getenv("PATH");
  const std::string kept = path != nullptr ? path : "";
  const Folder empty;
  setenv("PATH", empty.path().c_str(), 1);
  const bool is_x86 = host().arch == target::Arch::x86_64;
  const std::string here = error_of([&] { compile::find_c_compiler(host().arch); });
  const std::string other =
      error_of([&] { compile::find_c_compiler(is_x86 ? target::Arch::aarch64 : target::Arch::x86_64); });
  setenv("PATH", kept.c_str(), 1);
  EXPECT_NE(here.find("(Debian: gcc)"), std::string::npos) << here;
  EXPECT_NE(other.find(is_x86 ? "(Debian: gcc-aarch64-linux-gnu)" : "(Debian: gcc-x86-64-linux-gnu)"),
            std::string::npos)
      << other;
}

TEST(Toolchain, refuses_a_compiler_for_another_architecture_and_repeats_the_first_complaint) {
  const compile::CCompiler own = compile::find_c_compiler(host().arch);
  setenv("ARDEA_CC", own.text().c_str(), 1);
  const bool is_x86 = host().arch == target::Arch::x86_64;
  const std::string wrong =
      error_of([&] { compile::find_c_compiler(is_x86 ? target::Arch::aarch64 : target::Arch::x86_64); });
  unsetenv("ARDEA_CC");
  EXPECT_NE(wrong.find("and the target is"), std::string::npos) << wrong;
  const Folder folder;
  folder.write("bad.c", "int f(void) {\n  return nothing;\n}\n");
  const std::string said = error_of([&] { compile::compile_c(own, folder.path(), "bad.c", "bad.o"); });
  EXPECT_NE(said.find("bad.c:2:10: error: "), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 0) << said;
}

/// Where there is a compiler for it; running is for that machine.
TEST(Toolchain, goes_round_a_compiler_that_fails_at_a_high_level_and_says_so) {
  const Folder folder;
  folder.write("good.c", "int one(void) { return 1; }\n");
  folder.write(
      "dies",
      "#!/bin/sh\n"
      "case \"$*\" in *-O3*|*-O2*)\n"
      "  echo 'good.c:1:1: internal compiler error: in vect_transform, at tree-vect.cc:1' >&2; exit 4;;\n"
      "esac\n"
      "exec cc \"$@\"\n");
  std::filesystem::permissions(folder.path() / "dies", std::filesystem::perms::owner_all);
  const compile::CCompiler compiler{(folder.path() / "dies").string()};
  std::vector<std::string> said;
  compile::compile_c(compiler, folder.path(), "good.c", "good.o",
                     {.level = 3, .note = [&](const std::string& sentence) { said.push_back(sentence); }});
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "good.o"));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_NE(said[0].find("fails on it at -O3 (good.c:1:1: internal compiler error"), std::string::npos)
      << said[0];
  EXPECT_NE(said[1].find("it is compiled at -O1"), std::string::npos) << said[1];
}

TEST(Export, makes_libraries_for_the_other_architecture) {
  const bool is_x86 = host().arch == target::Arch::x86_64;
  const target::Target other = target::find(is_x86 ? "generic-aarch64" : "generic-x86_64");
  const Folder folder;
  const std::string sentence = error_of([&] {
    compile::export_library(arith::load_program(copy_text("copy"), "t"), other, {.folder = folder.path()});
  });
  if (!sentence.empty()) {
    EXPECT_NE(sentence.find("there is no C compiler for"), std::string::npos) << sentence;
    EXPECT_EQ(folder.names(), std::vector<std::string>{});
    return;
  }
  const std::string bytes = folder.read("copy.so");
  ASSERT_GT(bytes.size(), 20u);
  EXPECT_EQ(static_cast<unsigned char>(bytes[18]), is_x86 ? 183 : 62) << "the machine in the ELF header";
}

}  // namespace
}  // namespace ardea::test
