#pragma once

#include <map>
#include <string>
#include <vector>

#include "ardea/cli/commands.h"
#include "ardea/cli/tune_session.h"

/// Heron's command line: `tune -p dlboost -c quick_start.json`, with its configurations as they are.

namespace ardea::cli {

struct HeronCase {
  std::string name, op;
  std::vector<std::int64_t> sizes;
};

/// What a configuration asks for, in Ardea's words.
struct HeronConfig {
  std::string out_name;
  std::string method;  ///< of search::methods(); empty: the default
  std::map<std::string, double> method_options;
  std::int64_t max_trials = 32;
  std::int64_t batch = 0;
  int workers = 0;
  double run_limit_s = 50, build_limit_s = 50;
  std::string in, acc, out;  ///< of the operators
  bool uses_model = true;
  bool regression = true;  ///< the loss of its model
  std::vector<HeronCase> cases;
  std::vector<std::string> notes;  ///< what is taken otherwise than Heron does, a sentence each
};

/// Error that names the key and its value where one is not known, cannot be honoured or has a wrong type.
HeronConfig read_heron_config(const std::string& file, const std::string& platform);

/// PASS and the latency of each case, after its answers were compared; exit_disagrees where none is right.
int tune_as_heron(const TuneOptions& options);

}  // namespace ardea::cli
