#include "tests/schedule/campaign/workers.h"
#include "tests/stages/campaign/check_stages.h"

/// Any number of random graphs under random stage directives; a failure prints its seed.
int main(int argc, char** argv) {
  using namespace ardea;
  return schedule::run_campaign(
      {"ardea_stages", "Schedules random graphs by random directives and compares the answers.",
       stages::stages_failure, stages::directive_names()},
      argc, argv);
}
