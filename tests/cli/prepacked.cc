#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/runtime/array.h"
#include "ardea/runtime/load_module.h"
#include "tests/cli/command.h"

namespace ardea::cli {
namespace {

using nlohmann::json;

TEST(PrepackedCommand, run_packs_once_and_checks_against_the_weights_as_given) {
  for (const std::string backend : {"llvm", "c", "interp"}) {
    const Answer answer =
        ardea("run gemm 13,17,37 --prepacked --check --min-repeat-ms 0 --backend " + backend);
    ASSERT_EQ(answer.exit_code, 0) << answer.error;
    for (const char* part : {"B_packed: float32[", "weights prepacked by main_pack", "check: C agrees"})
      EXPECT_NE(answer.out.find(part), std::string::npos) << part << " is not in: " << answer.out;
  }
  const json prepacked = json::parse(ardea("run gemm 13,17,37 --prepacked --json --min-repeat-ms 0").out);
  EXPECT_EQ(prepacked["prepacked"], true);
  EXPECT_EQ(prepacked["parameters"][1]["name"], "B_packed");
  EXPECT_EQ(json::parse(ardea("run gemm 13,17,37 --json --min-repeat-ms 0").out)["prepacked"], false);
}

TEST(PrepackedCommand, a_trace_replays_with_its_packing) {
  const Folder folder;
  const Answer trace = ardea("show gemm 13,17,37 --prepacked --as trace");
  ASSERT_EQ(trace.exit_code, 0) << trace.error;
  const std::string file = folder.write("trace.py", trace.out);
  const Answer shown = ardea("show gemm 13,17,37 --prepacked --schedule " + file);
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_NE(shown.out.find("def main_pack(B: "), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out, ardea("show gemm 13,17,37 --prepacked").out);
}

TEST(PrepackedCommand, compile_declares_both_functions) {
  const Folder folder;
  const Answer answer = ardea("compile gemm 13,17,37 --prepacked --only c,h -o " + folder.path().string());
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const std::string header = read_text_file(folder.path() / "gemm.h");
  EXPECT_NE(header.find("int ardea_gemm(const float* A, const float* B_packed, float* C);"),
            std::string::npos)
      << header;
  EXPECT_NE(header.find("int ardea_gemm_pack(const float* B, float* B_packed);"), std::string::npos)
      << header;
}

/// Weights that are packed once and used twice.
TEST(PrepackedCommand, a_library_packs_once_and_computes_often) {
  const Folder folder;
  const Answer made = ardea("compile gemm 13,17,37 --prepacked --only so,h -o " + folder.path().string());
  ASSERT_EQ(made.exit_code, 0) << made.error;
  std::vector<std::int64_t> shape;
  const json manifest = json::parse(read_text_file(folder.path() / "gemm.json"));
  for (const json& f : manifest["functions"])
    if (f["name"] == "gemm_pack") shape = f["parameters"][1]["shape"].get<std::vector<std::int64_t>>();
  const auto array = [](const std::vector<std::int64_t>& extents) {
    return runtime::Array::zeros(extents, float32);
  };
  const runtime::Array a = array({13, 17}), b = array({17, 37}), packed = array(shape), c = array({13, 37});
  const auto values = [](const runtime::Array& x) { return static_cast<float*>(x.data()); };
  for (int row = 0; row < 17; ++row)
    for (int column = 0; column < 37; ++column)
      values(b)[row * 37 + column] = static_cast<float>(row + column);
  const runtime::Module library = runtime::load_module(folder.path() / "gemm.so");
  library.get_function("gemm_pack")(b, packed);
  std::fill_n(values(b), 17 * 37, -1.0F);
  for (const int call : {1, 2}) {
    std::fill_n(values(a), 13 * 17, static_cast<float>(call));
    library.get_function("gemm")(a, packed, c);
    for (int i = 0; i < 13 * 37; ++i)  // the sum over k of k + n
      ASSERT_EQ(values(c)[i], static_cast<float>(call * (136 + 17 * (i % 37)))) << i;
  }
}

TEST(PrepackedCommand, bench_labels_it) {
  const std::string& where = with_measured_peaks();
  const Answer answer = ardea("bench gemm 13,17,37 --prepacked --against cloop --rounds 6 --json", "", where);
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["prepacked"], true);
  EXPECT_EQ(result["agrees"], true);
  EXPECT_EQ(result["contenders"][0]["label"], "prepacked");
  EXPECT_NE(result["schedule"].get<std::string>().find("weights prepacked"), std::string::npos);
  const json plain =
      json::parse(ardea("bench gemm 13,17,37 --against cloop --rounds 6 --json", "", where).out);
  EXPECT_EQ(plain["prepacked"], false);
  EXPECT_EQ(plain["contenders"][0]["label"], "");
}

TEST(PrepackedCommand, what_cannot_be_packed_is_refused_with_a_sentence) {
  const auto refused = [](const std::string& arguments, const std::string& part) {
    const Answer answer = ardea(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.error.find(part), std::string::npos) << answer.error;
  };
  refused("run softmax 5,7 --prepacked", "no rule packs weights of softmax 5,7");
  refused("run gemm 5,7,3 --prepacked --schedule none", "as it is written packs nothing");
  refused("run examples/gemm.tir --prepacked", "--prepacked belong to operators");
  refused("run gemm 5,7,3 --prepacked --function main", "--function main: with --prepacked");
  refused("bench --set cpu_f32 --prepacked --against cloop", "not all of its operators have weights");
  const Folder folder;
  const std::string steps = folder.write("steps.py", "C = sch.get_block(\"C\")\n");
  refused("run gemm 5,7,3 --prepacked --schedule " + steps, "separate_packing(parameter=B): what reads it");
  const std::string sums = folder.write("sums.py", "s = sch.get_block(\"softmax\")\n");
  refused("run softmax 5,7 --prepacked --schedule " + sums, "softmax 5,7 has no weights");
}

}  // namespace
}  // namespace ardea::cli
