#include "ardea/schedule/primitive.h"
#include "tests/schedule/campaign/check_schedule.h"
#include "tests/schedule/campaign/workers.h"

/// Any number of random programs under random schedules; a failure prints its seed.
int main(int argc, char** argv) {
  using namespace ardea::schedule;
  Campaign campaign{"ardea_schedules",
                    "Transforms random programs by random schedules and compares the answers.",
                    schedule_failure,
                    {},
                    {"reorder", "parallel", "vectorize", "bind"}};
  for (const Primitive& primitive : primitives()) campaign.counted.push_back(primitive.name);
  return run_campaign(campaign, argc, argv);
}
