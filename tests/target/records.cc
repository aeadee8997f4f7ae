#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

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
    if (target.kind == Kind::accelerator) continue;
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

TEST(Records, cascade_lake_is_skylake_with_products_of_bytes) {
  const Target cascade = find("cascade-lake"), skylake = find("skylake-avx512");
  EXPECT_TRUE(cascade.has("avx512vnni"));
  EXPECT_FALSE(skylake.has("avx512vnni"));
  for (const std::string& feature : skylake.features)
    EXPECT_TRUE(std::find(cascade.features.begin(), cascade.features.end(), feature) !=
                cascade.features.end())
        << feature;
}

TEST(Records, of_arm_say_which_products_of_bytes_and_bfloat16_they_have) {
  for (const auto& [name, dotprod, matrices] :
       {std::tuple("generic-aarch64", false, false), std::tuple("cortex-a76", true, false),
        std::tuple("neoverse-n1", true, false), std::tuple("neoverse-v1", true, true),
        std::tuple("neoverse-v2", true, true)}) {
    const Target target = find(name);
    EXPECT_EQ(target.has("dotprod"), dotprod) << name;
    EXPECT_EQ(target.has("i8mm"), matrices) << name;
    EXPECT_EQ(target.has("bf16"), matrices) << name;
    EXPECT_FALSE(target.has("sve")) << name;
  }
}

/// As NVIDIA's table of compute capabilities has them, in KiB: 7.0, 7.5, 8.0, 9.0, 9.0.
TEST(Records, of_gpus_have_the_limits_of_their_capability) {
  struct Row {
    const char *name, *cpu;
    int cores, block_kib, core_kib, reserved_kib, threads_per_core, blocks_per_core;
    std::size_t copy_engines;
  };
  for (const Row& row :
       {Row{"v100", "sm_70", 80, 96, 96, 0, 2048, 32, 0}, Row{"t4", "sm_75", 40, 64, 64, 0, 1024, 16, 0},
        Row{"a100", "sm_80", 108, 163, 164, 1, 2048, 32, 1},
        Row{"h100", "sm_90a", 132, 227, 228, 1, 2048, 32, 2},
        Row{"h200", "sm_90a", 132, 227, 228, 1, 2048, 32, 2}}) {
    const Target target = find(row.name);
    ASSERT_TRUE(target.gpu) << row.name;
    EXPECT_EQ(target.cpu, row.cpu);
    EXPECT_EQ(target.cores, row.cores) << row.name;
    EXPECT_EQ(target.gpu->shared_bytes_per_block, row.block_kib * 1024) << row.name;
    EXPECT_EQ(target.gpu->shared_bytes_per_core, row.core_kib * 1024) << row.name;
    EXPECT_EQ(target.gpu->shared_bytes_reserved_per_block, row.reserved_kib * 1024) << row.name;
    EXPECT_EQ(target.gpu->threads_per_core, row.threads_per_core) << row.name;
    EXPECT_EQ(target.gpu->blocks_per_core, row.blocks_per_core) << row.name;
    EXPECT_EQ(target.gpu->copy_engines.size(), row.copy_engines) << row.name;
    EXPECT_EQ(target.gpu->registers_per_core, 65536) << row.name;
    EXPECT_EQ(target.gpu->registers_per_thread, 255) << row.name;
    EXPECT_EQ(target.gpu->threads_per_block, 1024) << row.name;
    // What Heron's constraints ask of wmma: m, n of {8, 16, 32}, k of 16, and their product 4096.
    int fragments = 0;
    for (const TensorShape& shape : target.tensor_shapes) {
      if (shape.unit != "wmma") continue;
      EXPECT_EQ(shape.rows * shape.columns * shape.depth, 4096) << row.name;
      fragments += shape.inputs == "float16" && shape.sums == "float32" ? 1 : 0;
    }
    EXPECT_EQ(fragments, 3) << row.name;
  }
}

TEST(Records, may_be_asked_for_with_one_family_of_tensor_instructions) {
  const Target target = find("h200:wmma");
  EXPECT_EQ(target.name, "h200:wmma");
  EXPECT_FALSE(target.tensor_shapes.empty());
  for (const TensorShape& shape : target.tensor_shapes) EXPECT_EQ(shape.unit, "wmma");
  for (const auto& [name, words] : {std::pair{"v100:mma", "v100 has tensor instructions wmma, not mma"},
                                    {"avx2:mma", "avx2 has no tensor instructions"}})
    try {
      find(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(Records, h100_and_h200_differ_in_their_memory_alone) {
  Target h100 = find("h100"), h200 = find("h200");
  EXPECT_LT(h100.memory_bytes, h200.memory_bytes);
  h100.name = h200.name;
  h100.memory_bytes = h200.memory_bytes;
  h100.caches.back().bytes = h200.caches.back().bytes;
  EXPECT_EQ(h100, h200);
}

/// 2^15, 2^18 and 2^17 bytes; tiles of 1 × 16 by 16 × 16.
TEST(Records, vta_has_its_scratchpads) {
  for (const char* name : {"vta", "vta-out32"}) {
    const Target target = find(name);
    EXPECT_EQ(target.kind, Kind::accelerator);
    ASSERT_TRUE(target.accelerator);
    EXPECT_EQ(target.accelerator->scratchpad("vta.inp")->bytes, 1 << 15);
    EXPECT_EQ(target.accelerator->scratchpad("vta.wgt")->bytes, 1 << 18);
    EXPECT_EQ(target.accelerator->scratchpad("vta.acc")->bytes, 1 << 17);
    EXPECT_EQ(target.accelerator->scratchpad("vta.uop"), nullptr);
    EXPECT_EQ(target.accelerator->virtual_threads, 2);
    const TensorShape gemm{"gemm", "int8", "int32", 1, 16, {}, 16};
    EXPECT_EQ(target.tensor_shapes, std::vector{gemm});
  }
}

TEST(Find, names_the_nearest_target) {
  const std::string message = message_of([] { find("neoverse-v3"); });
  EXPECT_TRUE(says(message, "target \"neoverse-v3\" is not known"));
  EXPECT_TRUE(says(message, "did you mean neoverse-v1, neoverse-v2 or neoverse-n1"));
  EXPECT_TRUE(says(message_of([] { find("a10"); }), "did you mean a100"));
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
    // The absence of the first is refused because of the kind, below; the other may be absent.
    if (field == "gpu" || field == "tensor_shapes") continue;
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
                   "\"kind\" must be one of cpu, cuda, accelerator, not \"gpu\""));
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

/// "/gpu/copy_engines/0/max_rank" as messages say it: "gpu.copy_engines[].max_rank".
std::string said(const std::string& pointer) {
  std::string text;
  for (std::size_t at = 0; at < pointer.size();) {
    const std::size_t next = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string part = pointer.substr(at + 1, next - at - 1);
    const bool is_position = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    text += is_position ? "[]" : text.empty() ? part : "." + part;
    at = next;
  }
  return text;
}

/// Each number of each record, made 0 and made negative: refused by its name and value, with what it must be.
TEST(Json, refuses_limits_of_nothing_and_less) {
  int tried = 0;
  for (const auto& file : record_files()) {
    const json whole = read(file), flat = whole.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      if (!value.is_number()) continue;
      for (const int bad : {0, -3}) {
        const bool may_be_nothing = pointer == "/gpu/shared_bytes_reserved_per_block" ||
                                    (pointer == "/vector_registers" && whole["kind"] != "cpu");
        if (bad == 0 && may_be_nothing) continue;
        json record = whole;
        record[json::json_pointer(pointer)] = bad;
        const std::string message = message_of([&] { target::from_json(record, "mine.json"); });
        EXPECT_TRUE(says(message, "mine.json: ")) << file;
        EXPECT_TRUE(says(message, said(pointer))) << file;
        EXPECT_TRUE(says(message, " " + std::to_string(bad))) << file;
        EXPECT_TRUE(says(message, "must") || says(message, "nearest first")) << file;
        ++tried;
      }
    }
  }
  EXPECT_GE(tried, 500);
}

/// In each object of each record.
TEST(Json, refuses_unknown_fields_wherever_they_stand) {
  for (const char* name : {"avx2", "h100", "vta"}) {
    const json whole = to_json(find(name)), flat = whole.flatten();
    std::set<std::string> objects = {""};
    for (const auto& [pointer, value] : flat.items())
      if (pointer.find("/features") == std::string::npos && !value.is_array())
        objects.insert(pointer.substr(0, pointer.rfind('/')));
    for (const std::string& object : objects) {
      json record = whole;
      record[json::json_pointer(object)]["coffee"] = 1;
      EXPECT_TRUE(says(message_of([&] { target::from_json(record, "mine.json"); }),
                       said(object + "/coffee") + "\" is unknown; the fields here are "));
    }
  }
}

TEST(Json, refuses_accelerators_that_cannot_be) {
  const auto vta = [](const std::function<void(json&)>& change) { return refusal("vta", change); };
  EXPECT_TRUE(says(vta([](json& r) { r.erase("accelerator"); }),
                   "field \"accelerator\" is missing but \"kind\" is accelerator"));
  EXPECT_TRUE(says(refusal("avx2", [](json& r) { r["accelerator"] = to_json(find("vta"))["accelerator"]; }),
                   "field \"accelerator\" is present but \"kind\" is cpu"));
  EXPECT_TRUE(says(vta([](json& r) { r["arch"] = "x86_64"; }), "kind accelerator with vta"));
  EXPECT_TRUE(says(vta([](json& r) { r["accelerator"]["scratchpads"] = json::array(); }),
                   "\"accelerator.scratchpads\" is empty; list the memories"));
  for (const char* bad : {"inp", "vta.", ".inp", ""})
    EXPECT_TRUE(says(vta([&](json& r) { r["accelerator"]["scratchpads"][0]["scope"] = bad; }),
                     "it must be a word, a dot and a name, such as \"vta.inp\""));
  EXPECT_TRUE(says(vta([](json& r) { r["accelerator"]["scratchpads"][1]["scope"] = "vta.inp"; }),
                   "the scratchpad \"vta.inp\" is listed twice"));
  EXPECT_TRUE(says(vta([](json& r) { r["tensor_shapes"][0]["inputs"] = "byte"; }),
                   "\"tensor_shapes[].inputs\" is \"byte\", it must be a type"));
  EXPECT_TRUE(says(vta([](json& r) { r["tensor_shapes"] = 3; }), "\"tensor_shapes\" must be an array"));
  EXPECT_TRUE(says(refusal("h100", [](json& r) { r["tensor_shapes"].back()["most_columns"] = 250; }),
                   "\"tensor_shapes[].most_columns\" is 250, it must be a larger multiple of columns, 8"));
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
