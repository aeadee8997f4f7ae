#include "tests/space/tensor_core_gemm.h"

#include <fmt/core.h>

#include "ardea/space/parse.h"
#include "ardea/support/text_file.h"

namespace ardea::space::testing {

namespace {

System read_system(const std::string& file, const std::string& definitions) {
  const std::string path = std::string(ARDEA_SOURCE_DIR) + "/tests/fixtures/spaces/" + file;
  return parse(definitions + read_text_file(path), path);
}

std::string sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
  return fmt::format("define M = {}\ndefine N = {}\ndefine K = {}\n", m, n, k);
}

}  // namespace

System tensor_core_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return read_system("tensor_core_gemm.space", sizes(m, n, k));
}

System tensor_core_pipeline(const target::Target& target, std::int64_t m, std::int64_t n, std::int64_t k) {
  const target::Gpu& gpu = *target.gpu;
  std::string text = sizes(m, n, k);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
           {"WARP_THREADS", gpu.warp_threads},
           {"THREADS", gpu.threads_per_block},
           {"THREADS_CORE", gpu.threads_per_core},
           {"BLOCKS_CORE", gpu.blocks_per_core},
           {"SHARED", gpu.shared_bytes_per_block},
           {"SHARED_CORE", gpu.shared_bytes_per_core},
           {"SHARED_RESERVED", gpu.shared_bytes_reserved_per_block},
           {"BANKS", gpu.shared_banks},
           {"BANK_BYTES", gpu.shared_bank_bytes},
           {"REGISTERS", gpu.registers_per_thread},
           {"REGISTERS_BLOCK", gpu.registers_per_block},
           {"REGISTERS_CORE", gpu.registers_per_core},
           {"REGISTER_GRANULE", gpu.register_granule},
           {"COPY_ENGINES", static_cast<std::int64_t>(gpu.copy_engines.size())}})
    text += fmt::format("define {} = {}\n", name, value);
  return read_system("tensor_core_pipeline.space", text);
}

}  // namespace ardea::space::testing
