#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ardea/cli/program.h"
#include "ardea/interp/interpreter.h"
#include "ardea/measure/work.h"

namespace ardea::cli {

/// How fast a call was, and how much of what this machine can do that is.
struct Rates {
  double operations_per_s = 0, bytes_per_s = 0;
  int threads = 1;  ///< that the call ran on: the peaks are theirs; 0 on a GPU
  /// "float32_operations", "float64_operations", or of products that tensor instructions compute
  /// "int8_operations", "bfloat16_operations": the peak that the program is compared with. Empty for other
  /// integers, whose peak is not measured.
  std::string peak_name = {};
  std::optional<double> peak_operations = {},
                        peak_bytes = {};  ///< where `ardea target --measure` has stored them
};

/// Nothing where the operations cannot be counted (measure/work.h).
std::optional<Rates> rates_of(const Program& program, const Function& f,
                              const std::vector<interp::Argument>& arguments, double seconds, int threads);

/// The same on a GPU, whose peaks are those of its record.
std::optional<Rates> rates_on_gpu(const Program& program, const Function& f, const target::Target& gpu,
                                  const std::vector<interp::Argument>& arguments, double seconds);

/// The same of so much work. The peaks are the given ones, by name as in compile::Peaks and for these
/// threads; without them what is stored for this machine.
Rates rates_of(const Program& program, const Function& f, const measure::Work& work, double seconds,
               int threads, const std::optional<std::map<std::string, double>>& given = {});

/// "rate: 41.2 GFLOP/s (52.1 % of the float32 peak of 2 threads, 79.0), 1.93 GB/s (…)\n"
std::string rate_line(const Rates& rates);
nlohmann::json rate_json(const Rates& rates);

/// What 10⁹ operations a second are called: "GFLOP/s", or "Gop/s" of integers.
std::string rate_unit(const Rates& rates);

/// "1.234 ms".
std::string time_text(double seconds);

/// How much of what this machine can do a call was: of its arithmetic or of moving bytes, whichever is nearer
/// to the limit.
struct PeakShare {
  double share = 0;
  std::string of = {};  ///< as in compile::Peaks, or "copy"
  double peak = 0;      ///< operations or bytes a second
};

/// Of so much work on so many threads, of which the arithmetic is what `program` says. Bytes are compared
/// with a copy of the same ones that took `copy_seconds`; where none was timed, with the memory's peak, but
/// only of arrays that no cache holds. Peaks are the given ones, of these threads; without them those that
/// are stored, and what is not stored is measured and kept. Nothing where the arithmetic's peak is not
/// measured.
std::optional<PeakShare> peak_share(const Program& program, const measure::Work& work, double seconds,
                                    int threads, std::optional<double> copy_seconds,
                                    const std::optional<std::map<std::string, double>>& given = {});

/// What peak_share compares such work with, measured now, on so many threads: within a second or two.
std::map<std::string, double> peaks_now(const Program& program, const measure::Work& work, int threads);

/// What one call of f, a function of the program, does: the operator's own count, else the program's. Nothing
/// where it cannot be counted (measure/work.h).
std::optional<measure::Work> work_of(const Program& program, const Function& f,
                                     const std::vector<interp::Argument>& arguments);

}  // namespace ardea::cli
