#include "ardea/target/features.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/target/host.h"

namespace ardea::target {
namespace {

/// Recorded on a two-core virtual machine of an Emerald Rapids Xeon, tile registers granted.
X86Words emerald_rapids() {
  return {.vendor = "GenuineIntel",
          .signature = 0xc06f2,
          .leaf1_ecx = 0xfffa3203,
          .leaf7_ebx = 0xf1bf27eb,
          .leaf7_ecx = 0x1b415fde,
          .leaf7_edx = 0xbfd14410,
          .leaf7_1_eax = 0x1c30,
          .leaf7_1_edx = 0,
          .extended_ecx = 0x121,
          .xcr0 = 0x602e7,
          .tile_data_permitted = true};
}

/// Composed from the bit numbers of asm/hwcap.h for what a Neoverse V1 with scalable vectors of 256 bits has.
Aarch64Words neoverse_v1() {
  constexpr std::uint64_t hwcap =
      0xf | (0xf << 4) | (0xf << 8) | (0xf << 12) | (1 << 17) | (0x3f << 20) | (0xf << 26);
  constexpr std::uint64_t hwcap2 = (1 << 0) | (1 << 8) | (1 << 9) | (1 << 12) | (1 << 13) | (1 << 14);
  return {.hwcap = hwcap, .hwcap2 = hwcap2, .midr = 0x411fd401, .sve_bytes = 32};
}

bool lists(const std::vector<std::string>& features, const std::string& feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

/// Every feature once, every '-' after every '+'.
void expect_ordered(const std::vector<std::string>& features) {
  EXPECT_TRUE(std::is_partitioned(features.begin(), features.end(),
                                  [](const std::string& f) { return f[0] == '+'; }));
  std::vector<std::string> bare;
  for (const std::string& feature : features) bare.push_back(feature.substr(1));
  std::sort(bare.begin(), bare.end());
  EXPECT_EQ(std::adjacent_find(bare.begin(), bare.end()), bare.end());
}

TEST(X86Features, are_read_from_recorded_words) {
  const std::vector<std::string> features = x86_64_features(emerald_rapids());
  for (const char* has : {"+sse4.2", "+avx2", "+fma", "+f16c", "+avxvnni", "+avx512f", "+avx512bw",
                          "+avx512dq", "+avx512vl", "+avx512vnni", "+avx512bf16", "+avx512fp16", "+amx-tile",
                          "+amx-int8", "+amx-bf16", "-prefer-256-bit"})
    EXPECT_TRUE(lists(features, has)) << has;
  for (const char* lacks : {"-avxvnniint8", "-avx512vp2intersect", "-amx-fp16", "-fma4"})
    EXPECT_TRUE(lists(features, lacks)) << lacks;
  expect_ordered(features);
}

TEST(X86Features, need_the_operating_system_to_save_the_registers) {
  X86Words words = emerald_rapids();
  words.xcr0 = 0x7;  // AVX state only
  Target target = describe(words);
  EXPECT_TRUE(target.has("avx2"));
  EXPECT_TRUE(lists(target.features, "-avx512f"));
  EXPECT_TRUE(lists(target.features, "-avx512bf16"));
  EXPECT_TRUE(lists(target.features, "-amx-tile"));
  EXPECT_EQ(target.vector_bits, 256);
  EXPECT_EQ(target.vector_registers, 16);
  words.xcr0 = 0x67;  // the upper registers are not saved
  EXPECT_FALSE(describe(words).has("avx512f"));
  words.xcr0 = 0x3;  // not even AVX's
  target = describe(words);
  EXPECT_TRUE(target.has("sse4.2"));
  EXPECT_TRUE(lists(target.features, "-avx"));
  EXPECT_TRUE(lists(target.features, "-fma"));
  EXPECT_EQ(target.vector_bits, 128);
}

TEST(X86Features, offer_tiles_only_where_the_kernel_granted_them) {
  X86Words words = emerald_rapids();
  words.tile_data_permitted = false;
  const std::vector<std::string> features = x86_64_features(words);
  for (const char* lacks : {"-amx-tile", "-amx-int8", "-amx-bf16"})
    EXPECT_TRUE(lists(features, lacks)) << lacks;
  EXPECT_TRUE(lists(features, "+avx512f"));
}

TEST(X86Features, of_a_processor_that_answers_nothing_are_the_baseline) {
  const Target target = describe(X86Words{});
  EXPECT_EQ(target.cpu, "x86-64");
  EXPECT_TRUE(target.has("sse2"));
  EXPECT_EQ(std::count_if(target.features.begin(), target.features.end(),
                          [](const auto& f) { return f[0] == '+'; }),
            1);
}

TEST(X86Cpu, is_named_by_family_and_model) {
  const auto named = [](const char* vendor, std::uint32_t signature) {
    X86Words words = emerald_rapids();
    words.vendor = vendor;
    words.signature = signature;
    return x86_64_cpu(words);
  };
  EXPECT_EQ(named("GenuineIntel", 0xc06f2), "emeraldrapids");
  EXPECT_EQ(named("GenuineIntel", 0x806f8), "sapphirerapids");
  EXPECT_EQ(named("GenuineIntel", 0x306c3), "haswell");
  EXPECT_EQ(named("AuthenticAMD", 0x800f12), "znver1");
  EXPECT_EQ(named("AuthenticAMD", 0x830f10), "znver2");
  EXPECT_EQ(named("AuthenticAMD", 0xa00f11), "znver3");
  EXPECT_EQ(named("AuthenticAMD", 0xa10f11), "znver4");
  EXPECT_EQ(named("AuthenticAMD", 0xb00f21), "znver5");
  EXPECT_EQ(named("GenuineIntel", 0x50654), "cooperlake");  // the words claim bf16
  EXPECT_EQ(named("SomebodyElse", 0xc06f2), "x86-64-v4");
}

TEST(X86Cpu, of_one_model_number_is_told_apart_by_features) {
  X86Words words = emerald_rapids();
  words.signature = 0x50654;
  words.leaf7_1_eax = 0;
  EXPECT_EQ(x86_64_cpu(words), "cascadelake");
  words.leaf7_ecx = 0;
  EXPECT_EQ(x86_64_cpu(words), "skylake-avx512");
}

TEST(X86Cpu, of_an_unknown_model_is_its_level) {
  X86Words words = emerald_rapids();
  words.vendor = "SomebodyElse";
  words.xcr0 = 0x7;
  EXPECT_EQ(x86_64_cpu(words), "x86-64-v3");
  words.xcr0 = 0;
  EXPECT_EQ(x86_64_cpu(words), "x86-64-v2");
}

TEST(Aarch64Features, are_read_from_recorded_words) {
  const Target target = describe(neoverse_v1());
  EXPECT_EQ(target.cpu, "neoverse-v1");
  for (const char* has : {"neon", "dotprod", "i8mm", "bf16", "fullfp16", "fp16fml", "lse", "sve"})
    EXPECT_TRUE(target.has(has)) << has;
  for (const char* lacks : {"-sve2", "-sme", "-mops"}) EXPECT_TRUE(lists(target.features, lacks)) << lacks;
  EXPECT_EQ(target.vector_bits, 256);
  expect_ordered(target.features);
}

TEST(Aarch64Features, take_scalable_vectors_away_where_the_kernel_has_none) {
  Aarch64Words words = neoverse_v1();
  words.hwcap &= ~(std::uint64_t{1} << 22);
  words.sve_bytes = 0;
  const Target target = describe(words);
  EXPECT_EQ(target.cpu, "neoverse-v1");  // the name implies SVE, which is why the list must say no
  for (const char* lacks : {"-sve", "-sve2", "-f32mm"}) EXPECT_TRUE(lists(target.features, lacks)) << lacks;
  EXPECT_TRUE(target.has("i8mm"));
  EXPECT_TRUE(target.has("bf16"));
  EXPECT_EQ(target.vector_bits, 128);
}

TEST(Aarch64Features, need_scalar_and_vector_half_precision) {
  Aarch64Words words = neoverse_v1();
  words.hwcap &= ~(std::uint64_t{1} << 10);
  EXPECT_TRUE(lists(aarch64_features(words), "-fullfp16"));
}

TEST(Aarch64Features, of_the_baseline_are_neon_alone) {
  const Target target = describe(Aarch64Words{.hwcap = 0x3, .hwcap2 = 0, .midr = 0, .sve_bytes = 0});
  EXPECT_EQ(target.cpu, "generic");
  EXPECT_TRUE(target.has("neon"));
  EXPECT_FALSE(target.has("dotprod"));
  EXPECT_EQ(target.vector_bits, 128);
}

TEST(Aarch64Cpu, is_named_by_implementer_and_part) {
  const auto named = [](std::uint64_t midr) {
    return aarch64_cpu({.hwcap = 0, .hwcap2 = 0, .midr = midr, .sve_bytes = 0});
  };
  EXPECT_EQ(named(0x413fd0c1), "neoverse-n1");
  EXPECT_EQ(named(0x410fd4f0), "neoverse-v2");
  EXPECT_EQ(named(0x410fd083), "cortex-a72");
  EXPECT_EQ(named(0xc00fac30), "ampere1");
  EXPECT_EQ(named(0x610f0220), "generic");
}

}  // namespace
}  // namespace ardea::target
