#include "ardea/schedule/replay_trace.h"

namespace ardea::schedule {

Schedule replay_trace(const Function& program, const std::string& trace, Schedule::History past) {
  Schedule schedule(program, std::make_unique<ByHand>(0, Structure::of_template));
  schedule.follow(std::move(past));
  schedule.replay(parse_steps(trace, "trace"));
  return schedule;
}

}  // namespace ardea::schedule
