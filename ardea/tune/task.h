#pragma once

#include <string>

#include "ardea/db/record.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

namespace ardea::tune {

/// What the database knows a task by: `program` before any step, on so many threads of that machine, by this
/// compiler, timed as this version times. `workload` is for people. Of the machine's record stays what
/// programs depend on, as so many threads see it: rates that were measured and a few pages more or less of
/// memory make no other task. With weights that are packed ahead of the calls (schedule::weights_of) it is
/// another task, by its protocol.
db::Task task_of(const Function& program, const std::string& workload, const target::Target& target,
                 int threads, bool prepacked = false);
bool is_prepacked(const db::Task& task);
/// Its threads are multiprocessors.
bool is_on_gpu(const db::Task& task);

/// The machine as so many threads see it: what rules make a space for.
target::Target on_threads(target::Target target, int threads);

}  // namespace ardea::tune
