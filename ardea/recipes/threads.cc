#include "ardea/recipes/threads.h"

namespace ardea::recipes {

bool worth_threads(const ops::Workload& workload, const target::Target& target) {
  const target::Cache* nearest = target.cache(1);
  return target.cores > 1 && nearest != nullptr && ops::bytes(workload) > nearest->bytes;
}

}  // namespace ardea::recipes
