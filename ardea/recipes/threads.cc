#include "ardea/recipes/threads.h"

#include "ardea/rules/model/threads.h"

namespace ardea::recipes {

bool worth_threads(const ops::Workload& workload, const target::Target& target) {
  return rules::worth_threads(ops::bytes(workload), target);
}

}  // namespace ardea::recipes
