#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ardea/measure/bench.h"
#include "ardea/measure/statistics.h"
#include "ardea/ops/registry.h"

/// What libraries take for an operator, where their plug-ins are built (`make bench-peers`). `ardea bench`
/// says more; this is what tuning shows beside its own.

namespace ardea::cli {

/// Where plug-ins lie beside this program.
std::filesystem::path default_peers_folder(bool on_gpu = false);

struct LibraryTime {
  std::string name;
  double seconds = 0;            ///< of a call, the median
  measure::Interval ratio = {};  ///< its time over the program's, round by round; 0 where there is none
};

struct LibraryTimes {
  std::vector<LibraryTime> libraries;  ///< the fastest first, each by its fastest way
  std::optional<double> own_s = {};    ///< the program's
};

/// In turns for about so many seconds, with a program beside them where one is given. None where there is no
/// plug-in, or none can do it. Calls of libraries whose weights were packed ahead take part where the
/// program's are: `prepacked`.
LibraryTimes library_times(const ops::Workload& workload, int threads, double seconds, bool prepacked,
                           const std::optional<measure::Compiled>& program = {});

}  // namespace ardea::cli
