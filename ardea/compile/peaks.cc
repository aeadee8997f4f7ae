#include "ardea/compile/peaks.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ardea/compile/compile.h"
#include "ardea/compile/instruction_peaks.h"
#include "ardea/compile/peak_programs.h"
#include "ardea/runtime/array.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/whole_file.h"

namespace ardea::compile {

namespace fs = std::filesystem;

namespace {

using runtime::Array;

/// The fastest of many calls.
double fastest_s(const runtime::PreparedCall& call, double for_s) {
  call.run();
  double best = 1e30;
  for (const double end = runtime::steady_seconds() + for_s; runtime::steady_seconds() < end;) {
    const double start = runtime::steady_seconds();
    call.run();
    best = std::min(best, runtime::steady_seconds() - start);
  }
  return best;
}

/// Ones: neither subnormal nor overflowing after any number of sums, and pages of their own.
Array filled(std::vector<std::int64_t> shape, DataType type) {
  Array array = Array::empty(std::move(shape), type);
  // Memory's array is large, and is filled at once.
  if (type == float32)
    std::fill_n(array.values<float>().data(), array.element_count(), 1.0F);
  else
    for (std::int64_t i = 0; i < array.element_count(); ++i) array.set_float(i, 1.0);
  return array;
}

bool multiplies_and_adds_at_once(const target::Target& target) {
  return target.arch == target::Arch::aarch64 || target.has("fma");
}

/// Operations a second on so many threads.
double arithmetic_peak(const target::Target& host, DataType type, std::int64_t threads) {
  const PeakTile tile = peak_tile(host, type);
  const runtime::Function peak =
      callable(peak_product(tile, type, threads, multiplies_and_adds_at_once(host)), host);
  const Array a = filled({threads, tile.depth * tile.rows}, type);
  const Array b = filled({threads, tile.depth * tile.vectors * tile.lanes}, type);
  const Array c = filled({threads, tile.rows * tile.vectors * tile.lanes}, type);
  // About a tenth of a millisecond on one thread; longer on several, which take a while to wake.
  const std::int64_t repeats = threads == 1 ? 32 : 512;
  const std::vector<runtime::Value> arguments = {a, b, c, repeats};
  const double seconds = fastest_s(runtime::PreparedCall(peak, arguments), 0.5);
  return static_cast<double>(tile.operations() * repeats * threads) / seconds;
}

/// The same for an instruction's program, whose parameters are three arrays and the repeats.
double instruction_rate(const target::Target& host, const InstructionPeak& peak, std::int64_t threads) {
  std::vector<runtime::Value> arguments;
  for (std::size_t i = 0; i < 3; ++i) {
    const Buffer& buffer = peak.program.parameters[i].buffer;
    std::vector<std::int64_t> shape;
    for (const Expr& extent : buffer->shape) shape.push_back(*constant_int(extent));
    arguments.emplace_back(filled(std::move(shape), buffer->type));
  }
  const std::int64_t repeats = threads == 1 ? 32 : 512;
  arguments.emplace_back(repeats);
  const double seconds = fastest_s(runtime::PreparedCall(callable(peak.program, host), arguments), 0.5);
  return static_cast<double>(peak.operations * repeats * threads) / seconds;
}

/// Bytes a second read by so many threads.
double memory_peak(const target::Target& host, std::int64_t threads) {
  std::int64_t last_cache = 32 << 20;
  for (const target::Cache& cache : host.caches) last_cache = std::max(last_cache, cache.bytes);
  const std::int64_t bytes = std::min(4 * last_cache, host.memory_bytes / 8);
  const std::int64_t lanes = std::max(4, host.vector_bits / 32), vectors = bytes / (threads * 8 * lanes * 4);
  const runtime::Function sum = callable(memory_sum(threads, vectors, lanes), host);
  const Array a = filled({threads, vectors * 8 * lanes}, float32), s = filled({threads, 8 * lanes}, float32);
  const std::vector<runtime::Value> arguments = {a, s};
  return static_cast<double>(a.byte_size()) / fastest_s(runtime::PreparedCall(sum, arguments), 0.5);
}

/// What tells one machine from another as far as its peaks go; those of all threads are of so many.
std::string machine_key(const target::Target& host) {
  return fmt::format("{} {} {} {} {}", host.cpu, host.cores, runtime::ThreadPool::shared().thread_count(),
                     host.vector_bits, host.llvm_features());
}

nlohmann::json read_record(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return nlohmann::json::object();
  nlohmann::json record = nlohmann::json::parse(in, nullptr, false);
  return record.is_object() ? record : nlohmann::json::object();
}

}  // namespace

Peaks measure_peaks(const target::Target& host) {
  const std::int64_t threads = runtime::ThreadPool::shared().thread_count();
  Peaks peaks;
  for (const DataType type : {float32, float64}) {
    double& one = peaks[to_string(type) + "_operations_per_core"] = arithmetic_peak(host, type, 1);
    double& all = peaks[to_string(type) + "_operations"] = arithmetic_peak(host, type, threads);
    // Cores compute apart from each other: much less than their sum is what something else left of them.
    for (int again = 0; again < 3 && threads <= host.cores && all < 0.9 * static_cast<double>(threads) * one;
         ++again) {
      one = std::max(one, arithmetic_peak(host, type, 1));
      all = std::max(all, arithmetic_peak(host, type, threads));
    }
  }
  // Both names even where the pool is one thread.
  const std::pair<std::int64_t, std::string> of_one{1, "_operations_per_core"},
      of_all{threads, "_operations"};
  for (const auto& [count, behind] : {of_one, of_all})
    for (const InstructionPeak& peak : instruction_peaks(host, count)) {
      const double rate = instruction_rate(host, peak, count);
      for (const std::string& name : {peak.name, peak.operands})
        peaks[name + behind] = std::max(peaks[name + behind], rate);
    }
  peaks["memory_bytes_per_core"] = memory_peak(host, 1);
  peaks["memory_bytes"] = memory_peak(host, threads);
  // More threads never do less than one of them alone: a busy machine may have answered so.
  for (auto& [name, rate] : peaks)
    if (const auto one = peaks.find(name + "_per_core"); one != peaks.end())
      rate = std::max(rate, one->second);
  return peaks;
}

std::optional<double> measure_peak(const target::Target& host, const std::string& name,
                                   std::int64_t threads) {
  if (name == "memory_bytes") return memory_peak(host, threads);
  for (const DataType type : {float32, float64})
    if (name == to_string(type) + "_operations") return arithmetic_peak(host, type, threads);
  std::optional<double> fastest;
  for (const InstructionPeak& peak : instruction_peaks(host, threads))
    if (name == peak.name + "_operations" || name == peak.operands + "_operations")
      fastest = std::max(fastest, std::optional(instruction_rate(host, peak, threads)));
  return fastest;
}

fs::path peaks_file() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "ardea" / "peaks.json";
  require(home != nullptr && *home != '\0',
          "there is no place to keep measured peaks: set HOME, or XDG_CACHE_HOME to a folder");
  return fs::path(home) / ".cache" / "ardea" / "peaks.json";
}

std::optional<Peaks> stored_peaks(const target::Target& host, const fs::path& file) {
  const nlohmann::json record = read_record(file);
  const auto entry = record.find(machine_key(host));
  if (entry == record.end() || !entry->is_object()) return std::nullopt;
  Peaks peaks;
  for (const auto& [name, rate] : entry->items()) {
    if (!rate.is_number() || !(rate.get<double>() > 0)) return std::nullopt;
    peaks[name] = rate.get<double>();
  }
  return peaks;
}

void store_peaks(const target::Target& host, const Peaks& peaks, const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  require(!error, "the folder {} for measured peaks cannot be made: {}", file.parent_path().string(),
          error.message());
  nlohmann::json record = read_record(file);
  record[machine_key(host)] = peaks;
  write_whole_file(file, {record.dump(2), "\n"});
}

}  // namespace ardea::compile
