#include <cstring>
#include <fstream>
#include <string>

#include "ardea/target/features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace ardea::target {

#if defined(__x86_64__)
namespace {

struct Answer {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All zero where the processor has no such leaf.
Answer cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  Answer a;
  if (__get_cpuid_count(leaf, subleaf, &a.eax, &a.ebx, &a.ecx, &a.edx) == 0) return {};
  return a;
}

std::uint64_t read_xcr0(const Answer& leaf1) {
  constexpr std::uint32_t osxsave = 1U << 27;
  if ((leaf1.ecx & osxsave) == 0) return 0;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

/// Linux keeps the tile registers from a process until it asks; the grant holds for all its threads and costs
/// nothing but room in the signal frame.
bool request_tile_data() {
  constexpr int arch_req_xcomp_perm = 0x1023;
  constexpr int tile_data_component = 18;
  return syscall(SYS_arch_prctl, arch_req_xcomp_perm, tile_data_component) == 0;
}

}  // namespace

X86Words read_x86_words() {
  X86Words words;
  const Answer leaf0 = cpuid(0, 0);
  char vendor[12];
  std::memcpy(vendor, &leaf0.ebx, 4);
  std::memcpy(vendor + 4, &leaf0.edx, 4);
  std::memcpy(vendor + 8, &leaf0.ecx, 4);
  words.vendor.assign(vendor, sizeof vendor);
  const Answer leaf1 = cpuid(1, 0);
  words.signature = leaf1.eax;
  words.leaf1_ecx = leaf1.ecx;
  const Answer leaf7 = cpuid(7, 0);
  words.leaf7_ebx = leaf7.ebx;
  words.leaf7_ecx = leaf7.ecx;
  words.leaf7_edx = leaf7.edx;
  if (leaf7.eax >= 1) {
    const Answer leaf7_1 = cpuid(7, 1);
    words.leaf7_1_eax = leaf7_1.eax;
    words.leaf7_1_edx = leaf7_1.edx;
  }
  words.extended_ecx = cpuid(0x80000001U, 0).ecx;
  words.xcr0 = read_xcr0(leaf1);
  constexpr std::uint32_t amx_tile = 1U << 24;
  words.tile_data_permitted = (leaf7.edx & amx_tile) != 0 && request_tile_data();
  return words;
}
#else
X86Words read_x86_words() { return {}; }
#endif

#if defined(__aarch64__)
namespace {

/// The kernel's own copy of the register: it may be absent in a container, and then the core stays "generic".
std::uint64_t read_midr() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::string text;
  if (!(file >> text)) return 0;
  return std::strtoull(text.c_str(), nullptr, 16);
}

int read_sve_bytes(std::uint64_t hwcap) {
  constexpr std::uint64_t hwcap_sve = std::uint64_t{1} << 22;
  constexpr int pr_sve_get_vl = 51;  // older C libraries lack the name
  constexpr int length_mask = 0xffff;
  if ((hwcap & hwcap_sve) == 0) return 0;
  const int answer = prctl(pr_sve_get_vl);
  return answer < 0 ? 0 : answer & length_mask;
}

}  // namespace

Aarch64Words read_aarch64_words() {
  Aarch64Words words;
  words.hwcap = getauxval(AT_HWCAP);
  words.hwcap2 = getauxval(AT_HWCAP2);
  words.midr = read_midr();
  words.sve_bytes = read_sve_bytes(words.hwcap);
  return words;
}
#else
Aarch64Words read_aarch64_words() { return {}; }
#endif

}  // namespace ardea::target
