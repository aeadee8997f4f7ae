#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/compile/peaks.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/target/target.h"

namespace ardea::cli {

namespace {

std::string bytes(std::int64_t count) {
  if (count >= (std::int64_t{1} << 30) && count % (1 << 20) == 0)
    return fmt::format("{:.1f} GiB", static_cast<double>(count) / (1 << 30));
  if (count >= (1 << 20)) return fmt::format("{:.1f} MiB", static_cast<double>(count) / (1 << 20));
  return fmt::format("{} KiB", count / 1024);
}

std::string described(const target::Target& t) {
  std::string text =
      fmt::format("{}: {} {}, {}\n", t.name, target::to_string(t.kind), target::to_string(t.arch), t.cpu);
  text += fmt::format("  triple     {}\n  cores      {}\n", t.triple, t.cores);
  text += fmt::format("  vectors    {} bits{}\n", t.vector_bits,
                      t.kind == target::Kind::cpu ? fmt::format(", {} registers", t.vector_registers) : "");
  if (t.kind == target::Kind::cpu)
    text += fmt::format("  core       {} multiplications and {} loads of vectors a cycle, {} cycles a sum\n",
                        t.core.multiplications_per_cycle, t.core.loads_per_cycle, t.core.sum_cycles);
  for (const target::Cache& c : t.caches)
    text += fmt::format("  L{} cache   {}, {}lines of {} bytes, shared by {} core{}\n", c.level,
                        bytes(c.bytes), c.ways ? fmt::format("{} ways, ", *c.ways) : "", c.line_bytes,
                        c.shared_by_cores, c.shared_by_cores == 1 ? "" : "s");
  text += fmt::format("  memory     {}\n", bytes(t.memory_bytes));
  if (t.gpu)
    text += fmt::format(
        "  gpu        {} threads a block, {} a core, warps of {}\n"
        "  shared     {} a block, {} a core, {} banks of {} bytes\n"
        "  registers  {} a thread, {} a core\n",
        t.gpu->threads_per_block, t.gpu->threads_per_core, t.gpu->warp_threads,
        bytes(t.gpu->shared_bytes_per_block), bytes(t.gpu->shared_bytes_per_core), t.gpu->shared_banks,
        t.gpu->shared_bank_bytes, t.gpu->registers_per_thread, t.gpu->registers_per_core);
  if (t.accelerator) {
    for (const target::Scratchpad& one : t.accelerator->scratchpads)
      text += fmt::format("  {:<10} {} of scratchpad\n", one.scope, bytes(one.bytes));
    text += fmt::format("  threads    {} virtual\n", t.accelerator->virtual_threads);
  }
  for (const target::TensorShape& shape : t.tensor_shapes)
    text += fmt::format("  tensor     {} {}x{}{}x{}, {} to {}\n", shape.unit, shape.rows, shape.columns,
                        shape.most_columns ? fmt::format("..{}", *shape.most_columns) : "", shape.depth,
                        shape.inputs, shape.sums);
  for (const auto& [name, rate] : t.peak_per_second)
    text += fmt::format("  peak       {} {:.3g} a second\n", name, rate);
  std::vector<std::string> present;
  for (const std::string& f : t.features)
    if (f.starts_with('+')) present.push_back(f.substr(1));
  text += "  features   " + join(present, " ") + "\n";
  return text;
}

/// A user without a home has no stored peaks, and may still ask for the rest.
std::optional<compile::Peaks> known_peaks(const target::Target& t) {
  try {
    return compile::stored_peaks(t);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

int target(const TargetOptions& options) {
  if (options.list) {
    write_out(options.json ? nlohmann::json(target::names()).dump(2) + "\n"
                           : join(target::names(), "\n") + "\n");
    return exit_ok;
  }
  target::Target t = target::find(options.name);
  require(!options.measure || options.name == "host",
          "--measure: {} is not this machine; only \"host\" can be measured", options.name);
  if (options.measure) {
    compile::peaks_file();  // nothing is worth measuring that cannot be kept
    t.peak_per_second = compile::measure_peaks(t);
    compile::store_peaks(t, t.peak_per_second);
  } else if (options.name == "host") {
    if (const auto peaks = known_peaks(t)) t.peak_per_second = *peaks;
  }
  write_out(options.json ? target::to_json(t).dump(2) + "\n" : described(t));
  return exit_ok;
}

}  // namespace ardea::cli
