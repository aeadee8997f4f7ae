#include <fmt/core.h>

#include <bit>
#include <set>

#include "ardea/support/data_type.h"
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

void check_copy_engines(const std::vector<CopyEngine>& engines, std::string_view part,
                        std::string_view where) {
  for (const CopyEngine& engine : engines) {
    const auto field = [&](std::string_view name) { return fmt::format("{}.copy_engines[].{}", part, name); };
    require(!engine.name.empty(), "{}: field \"{}\" is empty; name the engine", where, field("name"));
    positive(engine.granule_bytes, field("granule_bytes"), where);
    positive(engine.max_rank, field("max_rank"), where);
    if (engine.max_extent) positive(*engine.max_extent, field("max_extent"), where);
    if (engine.max_bytes) positive(*engine.max_bytes, field("max_bytes"), where);
    if (engine.bytes_per_cycle) positive(*engine.bytes_per_cycle, field("bytes_per_cycle"), where);
    if (engine.latency_cycles) positive(*engine.latency_cycles, field("latency_cycles"), where);
  }
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
  require(gpu.threads_per_core % gpu.warp_threads == 0,
          "{}: field \"gpu.threads_per_core\" is {}, it must be whole warps of {}", where,
          gpu.threads_per_core, gpu.warp_threads);
  require(gpu.shared_bytes_reserved_per_block >= 0 &&
              gpu.shared_bytes_reserved_per_block <= gpu.shared_bytes_per_core - gpu.shared_bytes_per_block,
          "{}: field \"gpu.shared_bytes_reserved_per_block\" is {}, it must lie between 0 and what one block "
          "leaves of gpu.shared_bytes_per_core, {}",
          where, gpu.shared_bytes_reserved_per_block, gpu.shared_bytes_per_core - gpu.shared_bytes_per_block);
  require(is_power_of_two(gpu.shared_banks),
          "{}: field \"gpu.shared_banks\" is {}, it must be a power of two", where, gpu.shared_banks);
  require(is_power_of_two(gpu.shared_bank_bytes),
          "{}: field \"gpu.shared_bank_bytes\" is {}, it must be a power of two", where,
          gpu.shared_bank_bytes);
  require(
      gpu.register_granule > 0 && gpu.registers_per_core % gpu.register_granule == 0,
      "{}: field \"gpu.register_granule\" is {}, it must be positive and divide gpu.registers_per_core, {}",
      where, gpu.register_granule, gpu.registers_per_core);
  check_copy_engines(gpu.copy_engines, "gpu", where);
}

void check_accelerator(const Accelerator& accelerator, std::string_view where) {
  positive(accelerator.virtual_threads, "accelerator.virtual_threads", where);
  if (accelerator.cycles_per_second)
    positive(*accelerator.cycles_per_second, "accelerator.cycles_per_second", where);
  require(!accelerator.scratchpads.empty(),
          "{}: field \"accelerator.scratchpads\" is empty; list the memories that its programs fill", where);
  std::set<std::string> seen;
  for (const Scratchpad& one : accelerator.scratchpads) {
    const std::size_t dot = one.scope.find('.');
    require(
        dot != std::string::npos && dot > 0 && dot + 1 < one.scope.size(),
        "{}: field \"accelerator.scratchpads[].scope\" is {}, it must be a word, a dot and a name, such as "
        "\"vta.inp\"",
        where, in_quotes(one.scope));
    require(seen.insert(one.scope).second, "{}: the scratchpad {} is listed twice; keep one of them", where,
            in_quotes(one.scope));
    require(one.bytes > 0, "{}: field \"accelerator.scratchpads[].bytes\" is {} for {}, it must be positive",
            where, one.bytes, in_quotes(one.scope));
  }
  check_copy_engines(accelerator.copy_engines, "accelerator", where);
}

void check_tensor_shapes(const std::vector<TensorShape>& shapes, std::string_view where) {
  for (const TensorShape& shape : shapes) {
    require(!shape.unit.empty(),
            "{}: field \"tensor_shapes[].unit\" is empty; name the unit, such as \"wmma\"", where);
    for (const auto& [field, type] : {std::pair("inputs", shape.inputs), std::pair("sums", shape.sums)})
      require(parse_data_type(type).has_value(),
              "{}: field \"tensor_shapes[].{}\" is {}, it must be a type, such as \"float16\"", where, field,
              in_quotes(type));
    positive(shape.rows, "tensor_shapes[].rows", where);
    positive(shape.columns, "tensor_shapes[].columns", where);
    positive(shape.depth, "tensor_shapes[].depth", where);
    if (shape.most_columns)
      require(*shape.most_columns > shape.columns && *shape.most_columns % shape.columns == 0,
              "{}: field \"tensor_shapes[].most_columns\" is {}, it must be a larger multiple of columns, {}",
              where, *shape.most_columns, shape.columns);
  }
}

}  // namespace

void check(const Target& target, std::string_view where) {
  const bool is_cpu = target.kind == Kind::cpu, is_cuda = target.kind == Kind::cuda,
             is_accelerator = target.kind == Kind::accelerator;
  require(!target.name.empty(), "{}: field \"name\" is empty; name the target", where);
  require(
      is_cuda == (target.arch == Arch::nvptx64) && is_accelerator == (target.arch == Arch::vta),
      "{}: field \"arch\" is {} but \"kind\" is {}; kind cuda goes with nvptx64, kind accelerator with vta",
      where, to_string(target.arch), to_string(target.kind));
  require(target.triple.starts_with(to_string(target.arch) + "-"),
          "{}: field \"triple\" is {}, it must begin with the arch, {}", where, in_quotes(target.triple),
          to_string(target.arch));
  require(!target.cpu.empty(), "{}: field \"cpu\" is empty; give LLVM's name, such as \"generic\"", where);
  positive(target.cores, "cores", where);
  require(is_power_of_two(target.vector_bits) && target.vector_bits >= 64,
          "{}: field \"vector_bits\" is {}, it must be a power of two of at least 64", where,
          target.vector_bits);
  require(is_cpu ? target.vector_registers > 0 : target.vector_registers == 0,
          "{}: field \"vector_registers\" is {}, it must be positive for a cpu and 0 for {}", where,
          target.vector_registers, is_accelerator ? "an accelerator" : "cuda");
  positive(target.memory_bytes, "memory_bytes", where);
  require(is_cuda == target.gpu.has_value(),
          "{}: field \"gpu\" is {} but \"kind\" is {}; exactly kind cuda has it", where,
          target.gpu ? "present" : "missing", to_string(target.kind));
  require(is_accelerator == target.accelerator.has_value(),
          "{}: field \"accelerator\" is {} but \"kind\" is {}; exactly kind accelerator has it", where,
          target.accelerator ? "present" : "missing", to_string(target.kind));
  check_features(target, where);
  check_caches(target, where);
  if (is_cpu) check_core(target.core, where);
  if (target.gpu) check_gpu(*target.gpu, where);
  if (target.accelerator) check_accelerator(*target.accelerator, where);
  check_tensor_shapes(target.tensor_shapes, where);
  for (const auto& [name, rate] : target.peak_per_second)
    require(rate > 0, "{}: field \"peak_per_second.{}\" is {}, it must be positive", where, name, rate);
}

}  // namespace ardea::target
