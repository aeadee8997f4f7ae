#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "ardea/target/target.h"

/// What this machine can do at most, measured: the denominators of every "share of the peak".

namespace ardea::compile {

/// Operations or bytes a second by name, as in Target::peak_per_second: "float32_operations",
/// "float64_operations" (a fused multiply-add is two), "memory_bytes"; "int8_operations" and
/// "bfloat16_operations" by the fastest tensor instruction, and each by its own name, "vpdpbusd_operations";
/// with "_per_core" behind it for one thread alone.
using Peaks = std::map<std::string, double>;

/// Measures this machine, for a few seconds. Arithmetic: a tile of accumulators as large as the register file
/// allows, fed from the first cache, entered many times for a short while each, of which the fastest counts
/// (a single long loop of multiply-adds reads less: it meets whatever else the machine does). Memory: the
/// fastest of several sums over more than the last cache holds.
Peaks measure_peaks(const target::Target& host);

/// One of them alone, in about half a second: of so many threads, at most those of the pool, whatever was
/// stored. Nothing where there is none of that name.
std::optional<double> measure_peak(const target::Target& host, const std::string& name, std::int64_t threads);

/// Where the peaks of machines are kept for this user: ardea/peaks.json below XDG_CACHE_HOME, or below
/// ~/.cache. Error where neither it nor HOME is set.
std::filesystem::path peaks_file();

/// What was stored for a machine like this (its processor, features, cores, and as many threads), if
/// anything. A file that cannot be read or is no such record counts as nothing: measuring again mends it.
std::optional<Peaks> stored_peaks(const target::Target& host,
                                  const std::filesystem::path& file = peaks_file());

/// Adds or replaces the machine's entry; the file is the whole new one or the old one.
void store_peaks(const target::Target& host, const Peaks& peaks,
                 const std::filesystem::path& file = peaks_file());

}  // namespace ardea::compile
