#include "ardea/schedule/analysis/promises.h"

#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/pipelines.h"

namespace ardea::schedule {

std::optional<Refusal> refuse_broken_promises(OwnMemory& before, OwnMemory& after) {
  ARDEA_TRY(refuse_lost_privacy(before, after));
  return refuse_broken_pipelines(before.program(), after.program());
}

}  // namespace ardea::schedule
