#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "ardea/compile/compile_by_c.h"
#include "ardea/interp/interpreter.h"
#include "ardea/intrin/families.h"
#include "ardea/ir/parse.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/text_file.h"
#include "ardea/target/target.h"
#include "tests/intrin/call.h"

/// Products that schedules put on tensor instructions: right wherever they run, and the machine's
/// instructions where there are such.

namespace ardea::intrin {
namespace {

struct Product {
  const char* name;
  Function original;
  std::string steps;
  const char* target;                  ///< that has the instructions
  std::vector<const char*> mnemonics;  ///< that its assembly must have
};

std::string file(const std::string& name) {
  return read_text_file(ARDEA_SOURCE_DIR "/tests/intrin/programs/" + name);
}

Product by_tiles(const char* name, const std::map<std::string, std::string>& words) {
  return {name,
          parse_function(filled(file("amx.tir"), words)),
          filled(file("amx.py"), words),
          "sapphirerapids",
          {"ldtilecfg", "tilezero", "tileloadd", words.at("product").c_str(), "tilestored", "tilerelease"}};
}

std::vector<Product> products() {
  static const std::map<std::string, std::string> bssd = {
      {"product", "tdpbssd"}, {"a", "int8"}, {"b", "int8"}, {"sum", "int32"}, {"group", "4"},
      {"depth", "64"},        {"sa", "i8"},  {"sb", "i8"},  {"ss", "i32"},    {"all", "128"}};
  static const auto with = [](std::map<std::string, std::string> words,
                              const std::map<std::string, std::string>& other) {
    for (const auto& [word, value] : other) words[word] = value;
    return words;
  };
  static const auto bsud = with(bssd, {{"product", "tdpbsud"}, {"b", "uint8"}, {"sb", "u8"}});
  static const auto busd = with(bssd, {{"product", "tdpbusd"}, {"a", "uint8"}, {"sa", "u8"}});
  static const auto buud = with(busd, {{"product", "tdpbuud"}, {"b", "uint8"}, {"sb", "u8"}});
  static const auto bf16 = with(bssd, {{"product", "tdpbf16ps"},
                                       {"a", "bfloat16"},
                                       {"b", "bfloat16"},
                                       {"sum", "float32"},
                                       {"group", "2"},
                                       {"depth", "32"},
                                       {"sa", "bf16"},
                                       {"sb", "bf16"},
                                       {"ss", "f32"},
                                       {"all", "64"}});
  return {
      by_tiles("amx_bssd", bssd),
      by_tiles("amx_bsud", bsud),
      by_tiles("amx_busd", busd),
      by_tiles("amx_buud", buud),
      by_tiles("amx_bf16", bf16),
      {"vnni", parse_function(file("bytes.tir")), file("vnni.py"), "sapphirerapids", {"vpdpbusd"}},
      {"sdot",
       parse_function(filled(file("signed_bytes.tir"), {})),
       file("sdot.py"),
       "neoverse-n1",
       {"sdot"}},
      {"smmla", parse_function(file("rows.tir")), file("smmla.py"), "neoverse-v1", {"smmla"}},
      {"fmla", parse_function(file("floats.tir")), file("fmla.py"), "neoverse-n1", {"fmla"}},
  };
}

void PrintTo(const Product& product, std::ostream* out) { *out << product.name; }

class Products : public testing::TestWithParam<Product> {};

TEST_P(Products, compute_what_they_computed_before) {
  const Function& original = GetParam().original;
  schedule::Schedule schedule(original);
  schedule.replay(schedule::parse_steps(GetParam().steps, "steps"));
  const auto before = measure::make_arguments(original, {.seed = 7});
  const auto expect_agrees = [&](const std::vector<interp::Argument>& after, const char* how) {
    for (const measure::Comparison& c :
         measure::check(original, before, after, measure::Reference::interpreter).arguments)
      EXPECT_EQ(c.mismatches, 0) << how << ": " << c.argument << " at " << c.index << " is " << c.got
                                 << " instead of " << c.expected;
  };
  const auto interpreted = measure::copy_arguments(before), compiled = measure::copy_arguments(before),
             by_c = measure::copy_arguments(before), expanded = measure::copy_arguments(before);
  interp::run(schedule.program(), interpreted);
  expect_agrees(interpreted, "interpreted");
  call(compile::callable(schedule.program(), target::host()), compiled);
  expect_agrees(compiled, "compiled");
  call(compile::compile_by_c(schedule.program(), target::host()), by_c);
  expect_agrees(by_c, "compiled by C");
  target::Target plain = target::host();
  plain.features =
      target::find(plain.arch == target::Arch::x86_64 ? "generic-x86_64" : "generic-aarch64").features;
  call(compile::callable(schedule.program(), plain), expanded);
  expect_agrees(expanded, "without the instructions");
}

TEST_P(Products, use_the_instructions_of_their_target) {
  schedule::Schedule schedule(GetParam().original);
  schedule.replay(schedule::parse_steps(GetParam().steps, "steps"));
  const std::string assembly =
      compile::assembly(Module{{}, {schedule.program()}}, target::find(GetParam().target));
  for (const char* mnemonic : GetParam().mnemonics)
    EXPECT_NE(assembly.find(mnemonic), std::string::npos) << mnemonic << "\n" << assembly;
}

INSTANTIATE_TEST_SUITE_P(Scheduled, Products, testing::ValuesIn(products()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Tiles, beyond_the_registers_are_an_error_that_names_them) {
  std::string text = "@T.prim_func\ndef main(C: T.Buffer((16, 16), \"int32\")):\n";
  for (int i = 0; i < 9; ++i)
    text += "    S" + std::to_string(i) + " = T.alloc_buffer((16, 16), \"int32\", scope=\"amx.tile\")\n";
  for (int i = 0; i < 9; ++i)
    text += "    T.tensor_instruction(\"amx.tilezero_i32\", T.address_of(S" + std::to_string(i) +
            "[0, 0]), 16)\n";
  for (int i = 8; i >= 0; --i)
    text += "    T.tensor_instruction(\"amx.tilestored_i32\", T.address_of(C[0, 0]), T.address_of(S" +
            std::to_string(i) + "[0, 0]), 16, 16)\n";
  try {
    compile::assembly(Module{{}, {parse_function(text)}}, target::find("sapphirerapids"));
    FAIL() << "nine tiles were taken for eight";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("S8 (1) take 9 tiles, and there are 8 registers"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ardea::intrin
