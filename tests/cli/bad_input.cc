#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/cli/command.h"

namespace ardea::cli {
namespace {

namespace fs = std::filesystem;

std::string program(const std::string& body,
                    const std::string& parameters = "X: T.Buffer((4,), \"float32\")") {
  return "@T.prim_func\ndef f(" + parameters + "):\n" + body;
}

TEST(BadInput, a_missing_file_a_folder_and_an_unreadable_one) {
  const Folder folder;
  expect_refusal(ardea("run nowhere.tir"), "nowhere.tir");
  expect_refusal(ardea("run " + folder.path().string()), folder.path().string());
  expect_refusal(ardea("show ''"), "show needs a program: a file, as in");
}

TEST(BadInput, a_syntax_error_names_its_line_and_column) {
  const Folder folder;
  expect_refusal(
      ardea("run " +
            folder.write("a.tir", program("    for i in range(4)\n        X[i] = T.float32(0.0)\n"))),
      "a.tir:3:22: ");
}

TEST(BadInput, sizes_that_cannot_be_open) {
  expect_refusal(ardea("run scan 3,n,5"), "scan: n cannot be open");
  expect_refusal(ardea("run gemm m,7,3 --size k=3"), "the program has no size called k; it has m");
  expect_refusal(ardea("run c2d 1,h,9,3,5,3,3,1,0,1 --size h=1"),
                 "argument out: its extent 3, h - 2, comes out as -1; give larger sizes");
  expect_refusal(ardea("bench gemm m,7,3 --copies --threads 2"), "write a number for each name in m,7,3");
  expect_refusal(ardea("bench gemm 4,7,3 --size m=3"), "in whose sizes a name stands");
}

TEST(BadInput, truncated_programs_at_every_length) {
  const Folder folder;
  const std::string text = read_text_file(ARDEA_SOURCE_DIR "/examples/softmax.tir");
  for (std::size_t length = 0; length < text.size(); length += 97) {
    const Answer answer = ardea("show " + folder.write("cut.tir", text.substr(0, length)));
    EXPECT_TRUE(answer.exit_code == 0 || answer.exit_code == 2)
        << "cut at " << length << ": " << answer.error;
    if (answer.exit_code == 2) expect_refusal(answer, "cut.tir");
  }
}

/// A record that cannot be is refused wherever a target is asked for, by its field, its value and what to do.
TEST(BadInput, target_records_that_cannot_be) {
  const Folder folder;
  const std::string vta = read_text_file(ARDEA_SOURCE_DIR "/targets/vta.json");
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = vta;
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return folder.write("mine.json", text.replace(at, old.size(), now));
  };
  const std::string zero = "\"bytes\": 0", much = "\"bytes\": 32768";
  const std::string part = "\"accelerator.scratchpads[].bytes\" is 0 for \"vta.inp\", it must be positive";
  for (const std::string command :
       {"target ", "show gemm 16,16,16 --as limits --target ", "instructions --target ",
        "space gemm 16,16,16 --in int8,int8 --schedule examples/vta_gemm.py --target "})
    expect_refusal(ardea(command + with(much, zero)), part);
  expect_refusal(ardea("target " + with(much, "\"bytes\": -1")),
                 "is -1 for \"vta.inp\", it must be positive");
  expect_refusal(ardea("target " + with("\"virtual_threads\": 2", "\"virtual_threads\": 0")),
                 "\"accelerator.virtual_threads\" is 0, it must be positive");
  expect_refusal(
      ardea("target " + with("\"virtual_threads\"", "\"virtual_thread\"")),
      "\"accelerator.virtual_threads\" is missing; add it (`ardea target --json` prints a whole record)");
  expect_refusal(ardea("target " + with("\"cores\": 1,", "\"cores\": 1, \"core_count\": 1,")),
                 "\"core_count\" is unknown; the fields here are ");
  expect_refusal(ardea("target " + with("\"cores\": 1,", "\"cores\": one,")),
                 "is not valid JSON; write one object");
  EXPECT_EQ(ardea("target " + with("\"cores\": 1,", "\"cores\": 3,")).exit_code, 0);
}

TEST(BadInput, random_bytes) {
  const Folder folder;
  std::string noise;
  for (unsigned i = 0, x = 1; i < 4096; ++i)
    noise += static_cast<char>((x = x * 1664525u + 1013904223u) >> 24);
  expect_refusal(ardea("show " + folder.write("noise.tir", noise)), "noise.tir");
  expect_refusal(ardea("show " + folder.write("empty.tir", "")), "empty.tir");
}

TEST(BadInput, alignments_that_nothing_can_have) {
  const Folder folder;
  const std::string call = "compile gemm 3,5,7 -o " + (folder.path() / "out").string() + " --align ";
  expect_refusal(ardea(call + "48"), "--align 48: 48 bytes is no alignment; give a power of two");
  expect_refusal(ardea(call + "much"), "--align much: write a number of bytes for all arrays");
  expect_refusal(ardea(call + "D=64"), "--align D=64: gemm has no array D; its arrays are A, B, C");
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

TEST(BadInput, sizes_whose_product_overflows) {
  const Folder folder;
  expect_refusal(
      ardea("run " +
            folder.write("big.tir", program("    X[0, 0, 0] = T.float32(0.0)\n",
                                            "X: T.Buffer((4294967296, 4294967296, 4), \"float32\")"))),
      "X");
}

TEST(BadInput, more_memory_than_there_is) {
  const Folder folder;
  const Answer answer =
      ardea("run " + folder.write("huge.tir", program("    X[0] = T.float32(0.0)\n",
                                                      "X: T.Buffer((1152921504606846976,), \"int8\")")));
  EXPECT_EQ(answer.exit_code, 2) << answer.error;
}

TEST(BadInput, an_unsupported_type_with_the_nearest_names) {
  const Folder folder;
  expect_refusal(
      ardea("run " + folder.write("t.tir", program("    X[0] = X[1]\n", "X: T.Buffer((4,), \"flot32\")"))),
      "float32");
}

TEST(BadInput, a_program_that_leaves_its_buffer) {
  const Folder folder;
  for (const std::string backend : {"llvm", "interp"}) {
    expect_refusal(
        ardea("run --backend " + backend + " " +
              folder.write("w.tir", program("    for i in range(5):\n        X[i] = T.float32(0.0)\n"))),
        "X");
    // Not to be seen before it runs: the index is data.
    const std::string gather = folder.write(
        "g.tir",
        program(
            "    for i in range(4):\n        Y[i] = X[T.Cast(\"int64\", I[i]) + 4]\n",
            "X: T.Buffer((4,), \"float32\"), I: T.Buffer((4,), \"int32\"), Y: T.Buffer((4,), \"float32\")"));
    expect_refusal(ardea(fmt::format("run --backend {} {}", backend, gather)), "X");
  }
}

TEST(BadInput, wrong_flags_and_values) {
  expect_refusal(ardea("run examples/gemm.tir --sed 3"), "--sed");
  expect_refusal(ardea("run examples/gemm.tir --seed three"), "--seed");
  expect_refusal(ardea("run examples/gemm.tir --backend lvm"), "did you mean llvm");
  expect_refusal(ardea("run examples/gemm.tir --size n=3"), "no size called n");
  expect_refusal(ardea("run examples/dynamic_gemm.tir --size n"), "--size n: write it as name=number");
  expect_refusal(ardea("run examples/dynamic_gemm.tir --size n=-3"), "must not be negative");
  expect_refusal(ardea("run examples/gemm.tir --repeat 0"), "--repeat 0");
  expect_refusal(ardea("run examples/gemm.tir --function gem"), "did you mean gemm");
  expect_refusal(ardea("show examples/gemm.tir --as ir"),
                 "use one of te, tir, lowered, limits, llvm, asm, c, cuda");
  expect_refusal(ardea("show examples/gemm.tir --pass flaten_storage"), "flatten_storage");
  expect_refusal(ardea("show examples/gemm.tir --target neoverse-v9"), "neoverse-v1");
  expect_refusal(ardea("target nonsense"), "nonsense");
  expect_refusal(ardea("fly"), "fly");
  expect_refusal(ardea(""), "");
}

TEST(BadInput, a_place_that_cannot_be_written) {
  const Folder folder;
  const std::string file = folder.write("taken", "");
  expect_refusal(ardea("run examples/prefix_sum.tir --save " + file), "there is a file of that name");
  expect_refusal(ardea("run examples/prefix_sum.tir --save /proc/nowhere/out"), "/proc/nowhere/out");
  const Answer full = ardea("show examples/gemm.tir", "/dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.error.find("standard output cannot be written"), std::string::npos) << full.error;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1)
      << "something was left behind";
}

TEST(BadInput, compiles_nothing_where_a_word_is_wrong) {
  const Folder folder;
  const std::string out = " -o " + (folder.path() / "out").string();
  expect_refusal(ardea("compile examples/gemm.tir"), "-o is required");
  expect_refusal(ardea("compile nowhere.tir" + out), "nowhere.tir");
  expect_refusal(ardea("compile examples/gemm.tir --only o,dll" + out), "\"dll\" is no kind of file");
  expect_refusal(ardea("compile examples/gemm.tir --prefix 1" + out), "is no identifier of C");
  expect_refusal(ardea("compile examples/gemm.tir --target avx3" + out), "avx2");
  expect_refusal(ardea("compile examples/gemm.tir --target h200" + out),
                 "stands in no loop that is bound to threads");
  expect_refusal(ardea("compile examples/gemm.tir --name a/b" + out), "--name");
  expect_refusal(ardea("compile examples/gemm.tir -o " + folder.write("taken", "")),
                 "there is a file of that name");
  expect_refusal(ardea("compile examples/gemm.tir -o /proc/nowhere/out"), "/proc/nowhere/out");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Help, has_examples_and_exit_code_zero) {
  for (const std::string command : {"show", "run", "compile", "target"}) {
    const Answer answer = ardea(command + " --help");
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_NE(answer.out.find("Examples:"), std::string::npos) << answer.out;
  }
  EXPECT_EQ(ardea("--version").exit_code, 0);
}

}  // namespace
}  // namespace ardea::cli
