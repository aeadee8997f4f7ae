#pragma once

#include <string>

namespace ardea::measure {

/// The life of a worker process (`ardea worker`), which another process started: it reads requests from
/// standard input, a line of JSON each, and answers each with a line on standard output, until its input
/// ends. The first request is the task. Whatever else writes to standard output writes to standard error.
///
///   build      replays a schedule and compiles it to an object file
///   run        loads an object file, checks its answers and times it
///   reference  computes what the answers must be, into a folder for the others
///
/// Gives the exit code. Error for another kind.
int work_as(const std::string& kind);

}  // namespace ardea::measure
