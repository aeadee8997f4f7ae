#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "ardea/support/error.h"
#include "ardea/target/target.h"

namespace ardea::target {
namespace {

using nlohmann::json;

std::vector<std::filesystem::path> record_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ARDEA_SOURCE_DIR "/targets"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  return files;
}

json read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "(no error)";
}

/// What is said of a whole valid record after `change`.
std::string refusal(const std::string& name, const std::function<void(json&)>& change) {
  json record = to_json(find(name));
  change(record);
  return message_of([&] { target::from_json(record, "mine.json"); });
}

testing::AssertionResult says(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\n  " << message << "\nlacks\n  " << part;
}

TEST(Records, each_file_is_compiled_in_under_its_own_name) {
  std::vector<std::string> expected = {"host"};
  for (const auto& file : record_files()) expected.push_back(file.stem());
  std::sort(expected.begin() + 1, expected.end());
  EXPECT_EQ(names(), expected);
  EXPECT_GE(expected.size(), 10U);
  for (const auto& file : record_files()) EXPECT_EQ(find(file.stem()).name, file.stem());
}

TEST(Records, the_compiled_in_record_is_the_file) {
  for (const auto& file : record_files()) {
    EXPECT_EQ(find(file.stem()), find(file.string())) << file;
    EXPECT_EQ(to_json(find(file.stem())), read(file)) << file;
  }
}

TEST(Records, survive_the_way_through_json) {
  for (const std::string& name : names()) {
    const Target target = find(name);
    EXPECT_EQ(from_json(json::parse(to_json(target).dump())), target) << name;
  }
  Target measured = find("avx2");
  measured.peak_per_second = {{"float32_operations", 1.25e11}, {"memory_bytes", 2e10}};
  EXPECT_EQ(from_json(to_json(measured)), measured);
}

TEST(Records, of_cpus_have_the_vectors_their_features_say) {
  for (const std::string& name : names()) {
    const Target target = find(name);
    if (target.arch == Arch::x86_64) {
      EXPECT_EQ(target.vector_bits, target.has("avx512f") ? 512 : target.has("avx2") ? 256 : 128) << name;
      EXPECT_EQ(target.vector_registers, target.has("avx512f") ? 32 : 16) << name;
    }
    if (target.arch == Arch::aarch64) {
      EXPECT_TRUE(target.has("neon")) << name;
      EXPECT_EQ(target.vector_registers, 32) << name;
      if (!target.has("sve")) {
        EXPECT_EQ(target.vector_bits, 128) << name;
      }
    }
  }
}

TEST(Records, have_caches_that_grow_with_the_level) {
  for (const auto& file : record_files()) {
    const std::string name = file.stem();
    const Target target = find(name);
    ASSERT_NE(target.cache(1), nullptr) << name;
    ASSERT_NE(target.cache(2), nullptr) << name;
    EXPECT_LT(target.cache(1)->bytes, target.cache(2)->bytes) << name;
    EXPECT_LT(target.caches.back().bytes, target.memory_bytes) << name;
  }
}

TEST(Records, neoverse_v1_comes_with_and_without_scalable_vectors) {
  // The processor's name implies SVE, so a machine without it needs the feature taken away, not merely left
  // out.
  EXPECT_EQ(find("neoverse-v1").features.back(), "-sve");
  EXPECT_TRUE(find("neoverse-v1-sve").has("sve"));
  EXPECT_FALSE(find("neoverse-v1").has("sve"));
  EXPECT_TRUE(find("neoverse-v1").has("i8mm"));
}

TEST(Records, llvm_features_are_one_comma_separated_list) {
  EXPECT_EQ(find("generic-aarch64").llvm_features(), "+fp-armv8,+neon");
}

TEST(Records, h200_has_a_gpus_limits) {
  const Target target = find("h200");
  EXPECT_EQ(target.kind, Kind::cuda);
  ASSERT_TRUE(target.gpu);
  EXPECT_EQ(target.gpu->shared_bytes_per_block, 227 * 1024);
  EXPECT_EQ(target.gpu->copy_engines.size(), 2U);
}

TEST(Find, names_the_nearest_target) {
  const std::string message = message_of([] { find("neoverse-v2"); });
  EXPECT_TRUE(says(message, "target \"neoverse-v2\" is not known"));
  EXPECT_TRUE(says(message, "did you mean neoverse-v1 or neoverse-n1"));
}

TEST(Find, refuses_files_it_cannot_read) {
  EXPECT_TRUE(
      says(message_of([] { find("no/such/file"); }), "target \"no/such/file\": the file cannot be read"));
  EXPECT_TRUE(says(message_of([] { find("/"); }), "target \"/\": the file cannot be read"));
}

TEST(Find, refuses_text_that_is_not_json) {
  const std::string path = testing::TempDir() + "ardea_not_json.json";
  for (const std::string text : {"", "{\"name\": \"x\"", "\xff\xfe\x00", "[1, 2"}) {
    std::ofstream(path) << text;
    EXPECT_TRUE(says(message_of([&] { find(path); }), path + ": byte "));
  }
  std::ofstream(path) << "[]";
  EXPECT_TRUE(says(message_of([&] { find(path); }), "a target must be a JSON object, not array"));
  std::filesystem::remove(path);
}

TEST(Json, names_each_missing_field) {
  const json whole = to_json(find("h200"));
  for (const auto& [field, value] : whole.items()) {
    if (field == "gpu") continue;  // its absence is refused because of the kind, below
    EXPECT_TRUE(says(refusal("h200", [&](json& r) { r.erase(field); }),
                     "mine.json: field \"" + field + "\" is missing"));
  }
  for (const auto& [field, value] : whole["gpu"].items())
    EXPECT_TRUE(says(refusal("h200", [&](json& r) { r["gpu"].erase(field); }),
                     "field \"gpu." + field + "\" is missing"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["caches"][1].erase("bytes"); }),
                   "field \"caches[].bytes\" is missing"));
}

TEST(Json, names_an_unknown_field_and_the_nearest) {
  const std::string message = refusal("avx2", [](json& r) { r["vector_bit"] = 128; });
  EXPECT_TRUE(says(message, "mine.json: field \"vector_bit\" is unknown"));
  EXPECT_TRUE(says(message, "did you mean vector_bits"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["caches"][0]["size"] = 1; }),
                   "field \"caches[].size\" is unknown"));
}

TEST(Json, names_a_field_of_the_wrong_type) {
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["cores"] = "four"; }),
                   "\"cores\" must be an integer, not \"four\""));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["cores"] = 4.5; }), "\"cores\" must be an integer, not 4.5"));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["cores"] = 4294967297; }), "an integer of at most 2147483647"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["memory_bytes"] = ~std::uint64_t{0}; }),
                   "\"memory_bytes\" must be"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["kind"] = "gpu"; }),
                   "\"kind\" must be one of cpu, cuda, not \"gpu\""));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["features"] = "+fma"; }), "\"features\" must be an array"));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["features"] = {7}; }), "\"features[]\" must be a string, not 7"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["caches"] = {3}; }),
                   "\"caches[]\" must be a JSON object, not number"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["peak_per_second"] = {{"memory_bytes", "fast"}}; }),
                   "\"peak_per_second.memory_bytes\" must be a number"));
}

TEST(Json, refuses_numbers_at_odds_with_each_other) {
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["cores"] = 0; }), "\"cores\" is 0, it must be positive"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["vector_bits"] = 200; }), "\"vector_bits\" is 200"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["vector_registers"] = 0; }), "\"vector_registers\" is 0"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r.erase("core"); }), "\"core\" is missing"));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["core"]["sum_cycles"] = 0; }), "\"core.sum_cycles\" is 0"));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["core"]["page_bytes"] = 5000; }), "\"core.page_bytes\" is 5000"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["triple"] = "aarch64-linux-gnu"; }),
                   "must begin with the arch, x86_64"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["arch"] = "nvptx64"; }), "kind cuda goes with nvptx64"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["cores"] = 2; }), "shared_by_cores is 4 at level 3"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["caches"][0]["bytes"] = 1000; }),
                   "no multiple of 8 ways of 64 bytes"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["caches"][0]["line_bytes"] = 48; }),
                   "line_bytes is 48 at level 1"));
  EXPECT_TRUE(
      says(refusal("avx2", [](json& r) { r["caches"][1]["level"] = 1; }), "level 1 comes after level 1"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["peak_per_second"] = {{"memory_bytes", -1}}; }),
                   "must be positive"));
  EXPECT_TRUE(says(refusal("h200", [](json& r) { r.erase("gpu"); }),
                   "field \"gpu\" is missing but \"kind\" is cuda"));
  EXPECT_TRUE(
      says(refusal("h200", [](json& r) { r["gpu"]["threads_per_block"] = 1000; }), "whole warps of 32"));
  EXPECT_TRUE(says(refusal("h200", [](json& r) { r["gpu"]["shared_bytes_per_block"] = 1 << 20; }),
                   "shared_bytes_per_block"));
  EXPECT_TRUE(says(refusal("h200", [](json& r) { r["gpu"]["registers_per_block"] = 1 << 20; }),
                   "registers_per_block"));
}

TEST(Json, refuses_features_llvm_could_not_read) {
  for (const char* bad : {"avx2", "", "+", "+avx,+fma", "+avx 2"})
    EXPECT_TRUE(says(refusal("avx2", [&](json& r) { r["features"] = {bad}; }),
                     "must be '+' or '-' and one LLVM feature"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["features"] = {"+fma", "-fma"}; }),
                   "feature \"fma\" is listed twice"));
}

}  // namespace
}  // namespace ardea::target
