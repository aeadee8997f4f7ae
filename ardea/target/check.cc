#include <bit>
#include <set>

#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/target/target.h"

namespace ardea::target {
namespace {

void positive(std::int64_t value, std::string_view field, std::string_view where) {
  require(value > 0, "{}: field \"{}\" is {}, it must be positive", where, field, value);
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

void check_features(const Target& target, std::string_view where) {
  std::set<std::string> seen;
  for (const std::string& feature : target.features) {
    require(feature.size() > 1 && (feature[0] == '+' || feature[0] == '-') &&
                feature.find_first_of(", \t\n", 1) == std::string::npos,
            "{}: feature {} must be '+' or '-' and one LLVM feature name, such as \"+avx2\"", where,
            in_quotes(feature));
    require(seen.insert(feature.substr(1)).second, "{}: feature {} is listed twice; keep one of them", where,
            in_quotes(feature.substr(1)));
  }
}

void check_caches(const Target& target, std::string_view where) {
  int level = 0;
  for (const Cache& cache : target.caches) {
    require(cache.level > level,
            "{}: caches[].level {} comes after level {}; list each level once, nearest first", where,
            cache.level, level);
    level = cache.level;
    positive(cache.bytes, "caches[].bytes", where);
    require(is_power_of_two(cache.line_bytes),
            "{}: caches[].line_bytes is {} at level {}, it must be a power of two", where, cache.line_bytes,
            level);
    if (cache.ways) {
      positive(*cache.ways, "caches[].ways", where);
      require(cache.bytes % (std::int64_t{*cache.ways} * cache.line_bytes) == 0,
              "{}: caches[].bytes is {} at level {}, which is no multiple of {} ways of {} bytes", where,
              cache.bytes, level, *cache.ways, cache.line_bytes);
    }
    require(cache.shared_by_cores >= 1 && cache.shared_by_cores <= target.cores,
            "{}: caches[].shared_by_cores is {} at level {}, it must lie between 1 and the {} cores", where,
            cache.shared_by_cores, level, target.cores);
  }
}

void check_core(const Core& core, std::string_view where) {
  positive(core.multiplications_per_cycle, "core.multiplications_per_cycle", where);
  positive(core.loads_per_cycle, "core.loads_per_cycle", where);
  positive(core.sum_cycles, "core.sum_cycles", where);
  require(is_power_of_two(core.page_bytes), "{}: field \"core.page_bytes\" is {}, it must be a power of two",
          where, core.page_bytes);
}

void check_gpu(const Gpu& gpu, std::string_view where) {
  positive(gpu.warp_threads, "gpu.warp_threads", where);
  positive(gpu.registers_per_thread, "gpu.registers_per_thread", where);
  positive(gpu.blocks_per_core, "gpu.blocks_per_core", where);
  positive(gpu.barriers_per_block, "gpu.barriers_per_block", where);
  require(gpu.shared_bytes_per_block > 0 && gpu.shared_bytes_per_block <= gpu.shared_bytes_per_core,
          "{}: field \"gpu.shared_bytes_per_block\" is {}, it must lie between 1 and "
          "gpu.shared_bytes_per_core, {}",
          where, gpu.shared_bytes_per_block, gpu.shared_bytes_per_core);
  require(gpu.registers_per_block > 0 && gpu.registers_per_block <= gpu.registers_per_core,
          "{}: field \"gpu.registers_per_block\" is {}, it must lie between 1 and gpu.registers_per_core, {}",
          where, gpu.registers_per_block, gpu.registers_per_core);
  require(gpu.threads_per_block > 0 && gpu.threads_per_block <= gpu.threads_per_core &&
              gpu.threads_per_block % gpu.warp_threads == 0,
          "{}: field \"gpu.threads_per_block\" is {}, it must be whole warps of {} and at most "
          "gpu.threads_per_core, {}",
          where, gpu.threads_per_block, gpu.warp_threads, gpu.threads_per_core);
  for (const CopyEngine& engine : gpu.copy_engines) {
    require(!engine.name.empty(), "{}: field \"gpu.copy_engines[].name\" is empty; name the engine", where);
    positive(engine.granule_bytes, "gpu.copy_engines[].granule_bytes", where);
    positive(engine.max_rank, "gpu.copy_engines[].max_rank", where);
    if (engine.max_extent) positive(*engine.max_extent, "gpu.copy_engines[].max_extent", where);
    if (engine.max_bytes) positive(*engine.max_bytes, "gpu.copy_engines[].max_bytes", where);
  }
}

}  // namespace

void check(const Target& target, std::string_view where) {
  const bool is_cuda = target.kind == Kind::cuda;
  require(!target.name.empty(), "{}: field \"name\" is empty; name the target", where);
  require(is_cuda == (target.arch == Arch::nvptx64),
          "{}: field \"arch\" is {} but \"kind\" is {}; kind cuda goes with nvptx64", where,
          to_string(target.arch), to_string(target.kind));
  require(target.triple.starts_with(to_string(target.arch) + "-"),
          "{}: field \"triple\" is {}, it must begin with the arch, {}", where, in_quotes(target.triple),
          to_string(target.arch));
  require(!target.cpu.empty(), "{}: field \"cpu\" is empty; give LLVM's name, such as \"generic\"", where);
  positive(target.cores, "cores", where);
  require(is_power_of_two(target.vector_bits) && target.vector_bits >= 64,
          "{}: field \"vector_bits\" is {}, it must be a power of two of at least 64", where,
          target.vector_bits);
  require(is_cuda ? target.vector_registers == 0 : target.vector_registers > 0,
          "{}: field \"vector_registers\" is {}, it must be positive for a cpu and 0 for cuda", where,
          target.vector_registers);
  positive(target.memory_bytes, "memory_bytes", where);
  require(is_cuda == target.gpu.has_value(),
          "{}: field \"gpu\" is {} but \"kind\" is {}; exactly kind cuda has it", where,
          target.gpu ? "present" : "missing", to_string(target.kind));
  check_features(target, where);
  check_caches(target, where);
  if (!is_cuda) check_core(target.core, where);
  if (target.gpu) check_gpu(*target.gpu, where);
  for (const auto& [name, rate] : target.peak_per_second)
    require(rate > 0, "{}: field \"peak_per_second.{}\" is {}, it must be positive", where, name, rate);
}

}  // namespace ardea::target
