#pragma once

#include <string>
#include <vector>

#include "ardea/cli/tune_session.h"

namespace ardea::cli {

/// One of several workloads that share a budget.
struct SuiteEntry {
  ProgramOptions program;
  double weight = 1;
};

/// Of a file: a list, each of it "gemm 512,512,512", or an object with "workload" and, where wished,
/// "weight", "in", "acc", "out", "layout"; or an object with such a list as "workloads". Error with the
/// entry's place.
std::vector<SuiteEntry> read_suite(const std::string& file);

struct SuiteReport {
  std::vector<TuneReport> reports;
  std::vector<double> weights;
  bool was_stopped = false;
};

/// Batch by batch, each to the one of which most is expected (tune/task_scheduler.h). `common` has the budget
/// of all.
SuiteReport tune_suite(const std::vector<SuiteEntry>& entries, const TuneRequest& common,
                       db::Database* database, const std::function<bool()>& stop,
                       const std::function<void(const TuneSession&, const db::Trial&)>& recorded);

}  // namespace ardea::cli
