#include <array>

#include "ardea/target/features.h"

namespace ardea::target {
namespace {

constexpr std::uint64_t bit(int index) { return std::uint64_t{1} << index; }

/// The feature is usable where all bits of both masks are set.
struct HwcapFeature {
  std::uint64_t hwcap;
  std::uint64_t hwcap2;
  const char* feature;
};

// Linux's arch/arm64/include/uapi/asm/hwcap.h; LLVM's names. Features that need scalable vectors also ask for
// HWCAP_SVE.
constexpr std::uint64_t sve = bit(22);
constexpr std::array hwcap_features = {
    HwcapFeature{bit(0), 0, "fp-armv8"},
    HwcapFeature{bit(1), 0, "neon"},
    HwcapFeature{bit(3) | bit(4), 0, "aes"},  // AES and PMULL: LLVM has one name
    HwcapFeature{bit(6), 0, "sha2"},
    HwcapFeature{bit(7), 0, "crc"},
    HwcapFeature{bit(8), 0, "lse"},
    HwcapFeature{bit(9) | bit(10), 0, "fullfp16"},  // scalar and vector half precision: LLVM has one name
    HwcapFeature{bit(12), 0, "rdm"},
    HwcapFeature{bit(13), 0, "jsconv"},
    HwcapFeature{bit(14), 0, "complxnum"},
    HwcapFeature{bit(15), 0, "rcpc"},
    HwcapFeature{bit(17) | bit(21), 0, "sha3"},  // SHA3 and SHA512
    HwcapFeature{bit(20), 0, "dotprod"},
    HwcapFeature{bit(23), 0, "fp16fml"},
    HwcapFeature{bit(25), 0, "lse2"},
    HwcapFeature{bit(26), 0, "rcpc-immo"},
    HwcapFeature{bit(27), 0, "flagm"},
    HwcapFeature{0, bit(8), "fptoint"},
    HwcapFeature{0, bit(13), "i8mm"},
    HwcapFeature{0, bit(14), "bf16"},
    HwcapFeature{0, bit(34), "cssc"},
    HwcapFeature{0, bit(43), "mops"},
    HwcapFeature{0, bit(46), "rcpc3"},
    HwcapFeature{sve, 0, "sve"},
    HwcapFeature{sve, bit(1), "sve2"},
    HwcapFeature{sve, bit(1) | bit(4), "sve2-bitperm"},
    HwcapFeature{sve, bit(36) | bit(1), "sve2p1"},
    HwcapFeature{sve, bit(10), "f32mm"},
    HwcapFeature{sve, bit(11), "f64mm"},
    HwcapFeature{0, bit(23), "sme"},
    HwcapFeature{0, bit(37), "sme2"},
};

bool usable(const HwcapFeature& row, const Aarch64Words& words) {
  return (words.hwcap & row.hwcap) == row.hwcap && (words.hwcap2 & row.hwcap2) == row.hwcap2;
}

}  // namespace

std::vector<std::string> aarch64_features(const Aarch64Words& words) {
  std::vector<std::string> features;
  for (const HwcapFeature& row : hwcap_features)
    if (usable(row, words)) features.push_back(std::string("+") + row.feature);
  for (const HwcapFeature& row : hwcap_features)
    if (!usable(row, words)) features.push_back(std::string("-") + row.feature);
  return features;
}

std::string aarch64_cpu(const Aarch64Words& words) {
  const std::uint64_t implementer = (words.midr >> 24) & 0xff;
  const std::uint64_t part = (words.midr >> 4) & 0xfff;
  if (implementer == 0x46 && part == 0x001) return "a64fx";
  if (implementer == 0xc0) return part == 0xac3 ? "ampere1" : part == 0xac4 ? "ampere1a" : "generic";
  if (implementer != 0x41) return "generic";
  switch (part) {
    case 0xd03: return "cortex-a53";
    case 0xd05: return "cortex-a55";
    case 0xd07: return "cortex-a57";
    case 0xd08: return "cortex-a72";
    case 0xd09: return "cortex-a73";
    case 0xd0a: return "cortex-a75";
    case 0xd0b: return "cortex-a76";
    case 0xd0c: return "neoverse-n1";
    case 0xd0d: return "cortex-a77";
    case 0xd40: return "neoverse-v1";
    case 0xd41: return "cortex-a78";
    case 0xd44: return "cortex-x1";
    case 0xd47: return "cortex-a710";
    case 0xd48: return "cortex-x2";
    case 0xd49: return "neoverse-n2";
    case 0xd4f: return "neoverse-v2";
    case 0xd84: return "neoverse-v3";
    case 0xd8e: return "neoverse-n3";
    default: return "generic";
  }
}

}  // namespace ardea::target
