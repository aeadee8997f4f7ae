#pragma once

#include "ardea/schedule/schedule.h"
#include "ardea/stages/record.h"

/// The directives of a schedule as steps of the engine. For lower.

namespace ardea::stages {

struct Realised {
  schedule::Schedule schedule;
  /// The loops of the program that are axes of stages.
  std::vector<std::pair<Axis, Var>> loops;
};

/// `program` is create_prim_func of the graph. schedule::Refused where a directive is.
Realised realise(const Record& record, const Function& program);

}  // namespace ardea::stages
