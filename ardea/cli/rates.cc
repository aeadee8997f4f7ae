#include "ardea/cli/rates.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "ardea/compile/peaks.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/work.h"
#include "ardea/support/error.h"

namespace ardea::cli {

namespace {

/// The peak of products of such operands by tensor instructions; empty where there are none for them.
std::string tensor_peak(const ops::Workload& w) {
  const auto all = [&](const auto& fits) { return std::all_of(w.in.begin(), w.in.end(), fits); };
  if (w.acc == int32 && all([](DataType t) { return t == int8 || t == uint8; })) return "int8_operations";
  if (w.acc == float32 && all([](DataType t) { return t == bfloat16; })) return "bfloat16_operations";
  return "";
}

/// The type that the arithmetic is done in: the operator's accumulator, or the first result's type.
DataType arithmetic_type(const Program& program, const Function& f) {
  if (program.typical() != nullptr) return program.typical()->acc;
  const std::vector<measure::Role> roles = measure::argument_roles(f);
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] != measure::Role::input && f.parameters[i].buffer.defined())
      return f.parameters[i].buffer->type;
  return float32;
}

std::optional<compile::Peaks> known_peaks() {
  try {
    return compile::stored_peaks(target::host());
  } catch (const Error&) {
    return std::nullopt;  // a user without a home has no peaks, and may still run programs
  }
}

/// What so many threads can do at most. Nothing where it is not known of one and of all.
std::optional<double> peak_of(const compile::Peaks& peaks, const std::string& name, int threads) {
  const auto one = peaks.find(name + "_per_core"), all = peaks.find(name);
  if (one == peaks.end() || all == peaks.end()) return std::nullopt;
  return threads == 1 ? one->second : std::min(all->second, one->second * threads);
}

std::string share(double rate, const std::optional<double>& peak, double unit, const char* of) {
  if (!peak) return "";
  return fmt::format(" ({:.1f} % of {}, {:.1f})", 100 * rate / *peak, of, *peak / unit);
}

}  // namespace

std::optional<measure::Work> work_of(const Program& program, const Function& f,
                                     const std::vector<interp::Argument>& arguments) {
  if (program.typical() == nullptr) return measure::count_work(f, arguments);
  std::map<std::string, std::int64_t> sizes;
  if (program.open)
    for (const auto& [size, value] : measure::extents_of(f, arguments)) sizes[size.name()] = value;
  const ops::Workload workload = program.open ? ops::at_sizes(*program.open, sizes) : *program.workload;
  return measure::Work{static_cast<double>(ops::flops(workload)), static_cast<double>(ops::bytes(workload))};
}

std::optional<Rates> rates_of(const Program& program, const Function& f,
                              const std::vector<interp::Argument>& arguments, double seconds, int threads) {
  const std::optional<measure::Work> work = work_of(program, f, arguments);
  if (!work || seconds <= 0) return std::nullopt;
  return rates_of(program, f, *work, seconds, threads);
}

std::optional<Rates> rates_on_gpu(const Program& program, const Function& f, const target::Target& gpu,
                                  const std::vector<interp::Argument>& arguments, double seconds) {
  const std::optional<measure::Work> work = work_of(program, f, arguments);
  if (!work || seconds <= 0) return std::nullopt;
  return rates_of(program, f, *work, seconds, 0, gpu.peak_per_second);
}

Rates rates_of(const Program& program, const Function& f, const measure::Work& work, double seconds,
               int threads, const std::optional<std::map<std::string, double>>& given) {
  Rates rates{work.operations / seconds, work.bytes / seconds, threads};
  const DataType type = arithmetic_type(program, f);
  if (type.is_float()) rates.peak_name = type == float64 ? "float64_operations" : "float32_operations";
  const std::optional<compile::Peaks> peaks = given ? given : known_peaks();
  if (!peaks) return rates;
  if (program.typical() != nullptr && peaks->contains(tensor_peak(*program.typical())))
    rates.peak_name = tensor_peak(*program.typical());
  const auto peak = [&](const std::string& name) -> std::optional<double> {
    if (!given) return peak_of(*peaks, name, threads);
    const auto at = peaks->find(name);
    return at == peaks->end() ? std::nullopt : std::optional(at->second);
  };
  rates.peak_operations = peak(rates.peak_name);
  rates.peak_bytes = peak("memory_bytes");
  return rates;
}

std::string time_text(double s) {
  if (s >= 1) return fmt::format("{:.3f} s", s);
  if (s >= 1e-3) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.3f} us", s * 1e6);
}

std::string rate_unit(const Rates& rates) {
  return rates.peak_name.find("float") != std::string::npos ? "GFLOP/s" : "Gop/s";
}

std::string rate_line(const Rates& rates) {
  const std::string of =
      fmt::format("the {} peak of {}", rates.peak_name.substr(0, rates.peak_name.find('_')),
                  rates.threads == 0   ? "the GPU"
                  : rates.threads == 1 ? "one thread"
                                       : fmt::format("{} threads", rates.threads));
  const char* const hint = rates.peak_operations || rates.peak_bytes || rates.threads == 0
                               ? ""
                               : "; `ardea target --measure` finds out what is possible";
  return fmt::format("rate: {:.3g} {}{}, {:.3g} GB/s{}{}\n", rates.operations_per_s / 1e9, rate_unit(rates),
                     share(rates.operations_per_s, rates.peak_operations, 1e9, of.c_str()),
                     rates.bytes_per_s / 1e9, share(rates.bytes_per_s, rates.peak_bytes, 1e9, "the memory's"),
                     hint);
}

namespace {

/// By name: tensor instructions' where there are any for such operands, else the type's.
std::string arithmetic_peak_name(const Program& program,
                                 const std::function<bool(const std::string&)>& is_known) {
  const std::string tensor = program.typical() != nullptr ? tensor_peak(*program.typical()) : "";
  if (!tensor.empty() && is_known(tensor)) return tensor;
  return to_string(arithmetic_type(program, program.meaning_of(program.module.functions[0]))) + "_operations";
}

bool is_held_by_a_cache(const target::Target& host, double bytes) {
  return std::any_of(host.caches.begin(), host.caches.end(),
                     [&](const target::Cache& c) { return static_cast<double>(c.bytes) >= bytes; });
}

compile::Peaks stored_or_measured(const target::Target& host) {
  std::optional<compile::Peaks> peaks = known_peaks();
  if (peaks && peaks->contains("memory_bytes_per_core")) return *peaks;
  peaks = compile::measure_peaks(host);
  try {
    compile::store_peaks(host, *peaks);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    // A user without a home measures each time.
  }
  return *peaks;
}

}  // namespace

std::map<std::string, double> peaks_now(const Program& program, const measure::Work& work, int threads) {
  const target::Target host = target::host();
  compile::Peaks peaks;
  const auto measured = [&](const std::string& name) {
    if (const auto peak = compile::measure_peak(host, name, threads)) peaks[name] = *peak;
    return peaks.contains(name);
  };
  measured(arithmetic_peak_name(program, measured));
  if (!is_held_by_a_cache(host, work.bytes)) measured("memory_bytes");
  return peaks;
}

std::optional<PeakShare> peak_share(const Program& program, const measure::Work& work, double seconds,
                                    int threads, std::optional<double> copy_seconds,
                                    const std::optional<std::map<std::string, double>>& given) {
  const target::Target host = target::host();
  const compile::Peaks peaks = given ? *given : stored_or_measured(host);
  const auto share_of = [&](const std::string& name, double amount) -> std::optional<PeakShare> {
    std::optional<double> peak;
    if (!given)
      peak = peak_of(peaks, name, threads);
    else if (const auto at = peaks.find(name); at != peaks.end())
      peak = at->second;
    if (!peak) return std::nullopt;
    return PeakShare{amount / seconds / *peak, name, *peak};
  };
  const std::optional<PeakShare> arithmetic =
      share_of(arithmetic_peak_name(program, [&](const std::string& name) { return peaks.contains(name); }),
               work.operations);
  if (!arithmetic) return std::nullopt;
  std::optional<PeakShare> moving;
  if (copy_seconds)
    moving = PeakShare{*copy_seconds / seconds, "copy", work.bytes / *copy_seconds};
  else if (!is_held_by_a_cache(host, work.bytes))
    moving = share_of("memory_bytes", work.bytes);
  return moving && moving->share > arithmetic->share ? moving : arithmetic;
}

nlohmann::json rate_json(const Rates& rates) {
  nlohmann::json json = {{"operations_per_s", rates.operations_per_s},
                         {"bytes_per_s", rates.bytes_per_s},
                         {"threads", rates.threads}};
  if (rates.peak_operations) {
    json["peak"] = rates.peak_name;
    json["share_of_peak"] = rates.operations_per_s / *rates.peak_operations;
  }
  if (rates.peak_bytes) json["share_of_memory_peak"] = rates.bytes_per_s / *rates.peak_bytes;
  return json;
}

}  // namespace ardea::cli
