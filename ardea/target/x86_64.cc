#include <algorithm>
#include <array>

#include "ardea/target/features.h"

namespace ardea::target {
namespace {

// The state components of XCR0: an instruction is usable only if the operating system saves the registers it
// writes.
constexpr std::uint64_t sse_and_avx_state = 0x6;
constexpr std::uint64_t avx512_state =
    sse_and_avx_state | 0xe0;                  // mask registers, upper halves, registers 16 to 31
constexpr std::uint64_t tile_state = 0x60000;  // tile configuration and tile data

enum class Needs : std::uint8_t { nothing, avx, avx512, tiles };

struct CpuidFeature {
  std::uint32_t X86Words::* word;
  int bit;
  Needs needs;
  const char* feature;
};

constexpr auto leaf1 = &X86Words::leaf1_ecx;
constexpr auto leaf7b = &X86Words::leaf7_ebx;
constexpr auto leaf7c = &X86Words::leaf7_ecx;
constexpr auto leaf7d = &X86Words::leaf7_edx;
constexpr auto leaf7_1a = &X86Words::leaf7_1_eax;
constexpr auto leaf7_1d = &X86Words::leaf7_1_edx;
constexpr auto extended = &X86Words::extended_ecx;

// Intel's Software Developer's Manual, volume 2A, CPUID; AMD's for the extended leaf.
constexpr std::array cpuid_features = {
    CpuidFeature{leaf1, 0, Needs::nothing, "sse3"},
    CpuidFeature{leaf1, 9, Needs::nothing, "ssse3"},
    CpuidFeature{leaf1, 19, Needs::nothing, "sse4.1"},
    CpuidFeature{leaf1, 20, Needs::nothing, "sse4.2"},
    CpuidFeature{leaf1, 1, Needs::nothing, "pclmul"},
    CpuidFeature{leaf1, 13, Needs::nothing, "cx16"},
    CpuidFeature{leaf1, 22, Needs::nothing, "movbe"},
    CpuidFeature{leaf1, 23, Needs::nothing, "popcnt"},
    CpuidFeature{leaf1, 25, Needs::nothing, "aes"},
    CpuidFeature{extended, 0, Needs::nothing, "sahf"},
    CpuidFeature{extended, 5, Needs::nothing, "lzcnt"},
    CpuidFeature{extended, 6, Needs::nothing, "sse4a"},
    CpuidFeature{extended, 11, Needs::avx, "xop"},
    CpuidFeature{extended, 16, Needs::avx, "fma4"},
    CpuidFeature{extended, 21, Needs::nothing, "tbm"},
    CpuidFeature{leaf7b, 3, Needs::nothing, "bmi"},
    CpuidFeature{leaf7b, 8, Needs::nothing, "bmi2"},
    CpuidFeature{leaf7b, 19, Needs::nothing, "adx"},
    CpuidFeature{leaf7b, 29, Needs::nothing, "sha"},
    CpuidFeature{leaf7c, 8, Needs::nothing, "gfni"},
    CpuidFeature{leaf1, 28, Needs::avx, "avx"},
    CpuidFeature{leaf1, 12, Needs::avx, "fma"},
    CpuidFeature{leaf1, 29, Needs::avx, "f16c"},
    CpuidFeature{leaf7b, 5, Needs::avx, "avx2"},
    CpuidFeature{leaf7c, 9, Needs::avx, "vaes"},
    CpuidFeature{leaf7c, 10, Needs::avx, "vpclmulqdq"},
    CpuidFeature{leaf7_1a, 4, Needs::avx, "avxvnni"},
    CpuidFeature{leaf7_1a, 23, Needs::avx, "avxifma"},
    CpuidFeature{leaf7_1d, 4, Needs::avx, "avxvnniint8"},
    CpuidFeature{leaf7_1d, 5, Needs::avx, "avxneconvert"},
    CpuidFeature{leaf7_1d, 10, Needs::avx, "avxvnniint16"},
    CpuidFeature{leaf7b, 16, Needs::avx512, "avx512f"},
    CpuidFeature{leaf7b, 17, Needs::avx512, "avx512dq"},
    CpuidFeature{leaf7b, 21, Needs::avx512, "avx512ifma"},
    CpuidFeature{leaf7b, 28, Needs::avx512, "avx512cd"},
    CpuidFeature{leaf7b, 30, Needs::avx512, "avx512bw"},
    CpuidFeature{leaf7b, 31, Needs::avx512, "avx512vl"},
    CpuidFeature{leaf7c, 1, Needs::avx512, "avx512vbmi"},
    CpuidFeature{leaf7c, 6, Needs::avx512, "avx512vbmi2"},
    CpuidFeature{leaf7c, 11, Needs::avx512, "avx512vnni"},
    CpuidFeature{leaf7c, 12, Needs::avx512, "avx512bitalg"},
    CpuidFeature{leaf7c, 14, Needs::avx512, "avx512vpopcntdq"},
    CpuidFeature{leaf7d, 8, Needs::avx512, "avx512vp2intersect"},
    CpuidFeature{leaf7d, 23, Needs::avx512, "avx512fp16"},
    CpuidFeature{leaf7_1a, 5, Needs::avx512, "avx512bf16"},
    CpuidFeature{leaf7d, 24, Needs::tiles, "amx-tile"},
    CpuidFeature{leaf7d, 25, Needs::tiles, "amx-int8"},
    CpuidFeature{leaf7d, 22, Needs::tiles, "amx-bf16"},
    CpuidFeature{leaf7_1a, 21, Needs::tiles, "amx-fp16"},
    CpuidFeature{leaf7_1d, 8, Needs::tiles, "amx-complex"},
};

bool permitted(Needs needs, const X86Words& words) {
  const auto saves = [&](std::uint64_t states) { return (words.xcr0 & states) == states; };
  switch (needs) {
    case Needs::nothing: return true;
    case Needs::avx: return saves(sse_and_avx_state);
    case Needs::avx512: return saves(avx512_state);
    case Needs::tiles: return saves(tile_state) && words.tile_data_permitted;
  }
  return false;
}

bool usable(const CpuidFeature& row, const X86Words& words) {
  return ((words.*row.word >> row.bit) & 1) != 0 && permitted(row.needs, words);
}

bool has(const std::vector<std::string>& features, const char* feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

std::string intel_cpu(std::uint32_t model, const std::vector<std::string>& features) {
  switch (model) {
    case 0x3c:
    case 0x3f:
    case 0x45:
    case 0x46: return "haswell";
    case 0x3d:
    case 0x47:
    case 0x4f:
    case 0x56: return "broadwell";
    case 0x4e:
    case 0x5e:
    case 0x8e:
    case 0x9e:
    case 0xa5:
    case 0xa6: return "skylake";
    case 0x55:  // one model number for three generations
      return has(features, "+avx512bf16")   ? "cooperlake"
             : has(features, "+avx512vnni") ? "cascadelake"
                                            : "skylake-avx512";
    case 0x6a:
    case 0x6c: return "icelake-server";
    case 0x7d:
    case 0x7e: return "icelake-client";
    case 0x8c:
    case 0x8d: return "tigerlake";
    case 0xa7: return "rocketlake";
    case 0x97:
    case 0x9a: return "alderlake";
    case 0xb7:
    case 0xba:
    case 0xbf: return "raptorlake";
    case 0xaa:
    case 0xac: return "meteorlake";
    case 0x8f: return "sapphirerapids";
    case 0xcf: return "emeraldrapids";
    case 0xad: return "graniterapids";
    case 0xae: return "graniterapids-d";
    case 0xaf: return "sierraforest";
    default: return "";
  }
}

std::string amd_cpu(std::uint32_t family, std::uint32_t model) {
  switch (family) {
    case 0x17: return model < 0x30 ? "znver1" : "znver2";
    case 0x19:
      return (model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0xaf) ? "znver4" : "znver3";
    case 0x1a: return "znver5";
    default: return "";
  }
}

std::string level_cpu(const std::vector<std::string>& features) {
  const auto all = [&](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const char* feature) { return has(features, feature); });
  };
  if (!all({"+sse4.2", "+popcnt", "+cx16"})) return "x86-64";
  if (!all({"+avx2", "+fma", "+f16c", "+bmi", "+bmi2", "+lzcnt", "+movbe"})) return "x86-64-v2";
  return all({"+avx512f", "+avx512bw", "+avx512cd", "+avx512dq", "+avx512vl"}) ? "x86-64-v4" : "x86-64-v3";
}

}  // namespace

std::vector<std::string> x86_64_features(const X86Words& words) {
  std::vector<std::string> features = {"+sse2"};
  for (const CpuidFeature& row : cpuid_features)
    if (usable(row, words)) features.push_back(std::string("+") + row.feature);
  for (const CpuidFeature& row : cpuid_features)
    if (!usable(row, words)) features.push_back(std::string("-") + row.feature);
  // Some processors' names ask for 256-bit vectors for the sake of the clock; the width is the schedule's
  // decision.
  if (has(features, "+avx512f")) features.emplace_back("-prefer-256-bit");
  return features;
}

std::string x86_64_cpu(const X86Words& words) {
  const std::vector<std::string> features = x86_64_features(words);
  const std::uint32_t base_family = (words.signature >> 8) & 0xf;
  const std::uint32_t family =
      base_family == 0xf ? base_family + ((words.signature >> 20) & 0xff) : base_family;
  const std::uint32_t model = ((words.signature >> 4) & 0xf) | ((words.signature >> 12) & 0xf0);
  std::string name;
  if (words.vendor == "GenuineIntel" && family == 6) name = intel_cpu(model, features);
  if (words.vendor == "AuthenticAMD") name = amd_cpu(family, model);
  return name.empty() ? level_cpu(features) : name;
}

}  // namespace ardea::target
