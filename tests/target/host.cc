#include "ardea/target/host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace ardea::target {
namespace {

/// The words after "flags" (x86_64) or "Features" (aarch64) of the first processor in /proc/cpuinfo: the
/// kernel's own list.
std::vector<std::string> kernel_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(Host, is_a_record_that_keeps_the_laws) {
  const Target target = host();
  EXPECT_NO_THROW(check(target));
  EXPECT_EQ(target.name, "host");
  EXPECT_EQ(target.kind, Kind::cpu);
  EXPECT_EQ(target.features, find("host").features);
}

TEST(Host, has_no_more_cores_than_processors_this_process_may_use) {
  const Target target = host();
  EXPECT_GE(target.cores, 1);
  EXPECT_LE(target.cores, static_cast<int>(std::thread::hardware_concurrency()));
}

std::int64_t kernel_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t total_kib = 0;
  file >> name >> total_kib;
  EXPECT_EQ(name, "MemTotal:");
  return total_kib * 1024;
}

TEST(Host, has_the_memory_that_the_kernel_reports) {
  const std::int64_t before = kernel_memory_bytes();
  const std::int64_t memory_bytes = host().memory_bytes;
  EXPECT_GE(memory_bytes, before);  // a virtual machine's memory may grow while we look
  EXPECT_LE(memory_bytes, kernel_memory_bytes());
}

TEST(Host, agrees_with_the_kernel_about_features) {
  const std::vector<std::string> flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no features here";
  const Target target = host();
  const char* of_the_other = target.arch == Arch::x86_64 ? "asimd" : "sse2";
  if (std::find(flags.begin(), flags.end(), of_the_other) != flags.end())
    GTEST_SKIP() << "/proc/cpuinfo describes the machine around an emulator";
  // The kernel's name, and LLVM's.
  const std::vector<std::pair<std::string, std::string>> pairs =
      target.arch == Arch::x86_64
          ? std::vector<std::pair<std::string, std::string>>{{"avx2", "avx2"},
                                                             {"fma", "fma"},
                                                             {"f16c", "f16c"},
                                                             {"avx_vnni", "avxvnni"},
                                                             {"avx512f", "avx512f"},
                                                             {"avx512bw", "avx512bw"},
                                                             {"avx512_vnni", "avx512vnni"},
                                                             {"avx512_bf16", "avx512bf16"},
                                                             {"avx512_fp16", "avx512fp16"}}
          : std::vector<std::pair<std::string, std::string>>{
                {"asimd", "neon"}, {"asimddp", "dotprod"}, {"i8mm", "i8mm"},   {"bf16", "bf16"},
                {"sve", "sve"},    {"sve2", "sve2"},       {"atomics", "lse"}, {"asimdhp", "fullfp16"}};
  for (const auto& [kernel, llvm] : pairs)
    EXPECT_EQ(target.has(llvm), std::find(flags.begin(), flags.end(), kernel) != flags.end()) << kernel;
}

}  // namespace
}  // namespace ardea::target
