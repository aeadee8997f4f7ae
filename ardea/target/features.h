#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a processor can do, from the words it answers. Pure functions of integers: every architecture's are
/// compiled and tested on every machine. Each list has all features that LLVM could use on its own or that
/// Ardea's tensor instructions need,
/// '+' where usable and '-' where not, all '-' last.
namespace ardea::target {

/// The answers of x86_64's CPUID, XGETBV and the kernel.
struct X86Words {
  std::string vendor;           ///< "GenuineIntel", "AuthenticAMD", …
  std::uint32_t signature = 0;  ///< leaf 1, EAX: family, model and stepping
  std::uint32_t leaf1_ecx = 0;  ///< leaf 1
  std::uint32_t leaf7_ebx = 0;  ///< leaf 7, subleaf 0, as the next two
  std::uint32_t leaf7_ecx = 0;
  std::uint32_t leaf7_edx = 0;
  std::uint32_t leaf7_1_eax = 0;  ///< leaf 7, subleaf 1, as the next
  std::uint32_t leaf7_1_edx = 0;
  std::uint32_t extended_ecx = 0;  ///< leaf 0x80000001
  std::uint64_t xcr0 = 0;          ///< the register states that the operating system saves; 0 without OSXSAVE
  bool tile_data_permitted = false;  ///< the kernel granted this process the AMX tile registers
};

std::vector<std::string> x86_64_features(const X86Words& words);

/// LLVM's name for the processor; one of the x86-64 levels where the model is not known.
std::string x86_64_cpu(const X86Words& words);

/// The answers of Linux on aarch64.
struct Aarch64Words {
  std::uint64_t hwcap = 0;   ///< getauxval(AT_HWCAP)
  std::uint64_t hwcap2 = 0;  ///< getauxval(AT_HWCAP2)
  std::uint64_t midr = 0;    ///< MIDR_EL1, the identity of a core; 0 where it cannot be read
  int sve_bytes = 0;         ///< the process's scalable vector length; 0 where there is none
};

std::vector<std::string> aarch64_features(const Aarch64Words& words);

/// LLVM's name for the core; "generic" where it is not known.
std::string aarch64_cpu(const Aarch64Words& words);

/// Reads this machine's words; on another architecture all are zero.
X86Words read_x86_words();
Aarch64Words read_aarch64_words();

}  // namespace ardea::target
