#include "ardea/tune/task.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/compile/compile.h"
#include "ardea/ir/print.h"
#include "ardea/measure/trials.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"

namespace ardea::tune {

target::Target on_threads(target::Target target, int threads) {
  require(threads >= 1 && threads <= 4096, "{} threads: must be from 1 to 4096", threads);
  target.cores = threads;
  return target;
}

db::Task task_of(const Function& program, const std::string& workload, const target::Target& target,
                 int threads, bool prepacked) {
  target::Target seen = on_threads(target, threads);
  seen.peak_per_second.clear();
  constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
  seen.memory_bytes = ceil_div(seen.memory_bytes, gibibyte) * gibibyte;
  for (target::Cache& cache : seen.caches) cache.shared_by_cores = std::min(cache.shared_by_cores, threads);
  return {.workload = workload,
          .program = print(program),
          .target_name = target.name,
          .target = to_json(seen).dump(),
          .threads = threads,
          .compiler = compile::version(),
          .protocol = measure::protocol(target.kind, prepacked)};
}

bool is_on_gpu(const db::Task& task) {
  return task.protocol.starts_with(measure::protocol(target::Kind::cuda));
}

bool is_prepacked(const db::Task& task) { return task.protocol.ends_with("-prepacked"); }

}  // namespace ardea::tune
