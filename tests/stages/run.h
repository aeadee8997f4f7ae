#pragma once

#include <cstdint>
#include <vector>

#include "ardea/runtime/array.h"
#include "ardea/stages/lower.h"

namespace ardea::test {

/// Runs what the directives made, interpreted and compiled, compares both with the unscheduled program
/// (integers exactly, floats by the derived tolerance), and replays the trace.
void expect_same_answers(const stages::Lowered& lowered, std::uint64_t seed = 1);

/// The same without the interpreter, for sizes that would take it long.
void expect_same_answers_compiled(const stages::Lowered& lowered, std::uint64_t seed = 1);

/// Arrays for the parameters of f: floats in [0, most), the outputs poisoned.
std::vector<runtime::Array> arrays_for(const Function& f, double most, std::uint64_t seed = 1);

/// Compiles f and calls it.
void call_compiled(const Function& f, const std::vector<runtime::Array>& arrays);

/// The loops of f in program order: "m_outer 64".
std::vector<std::string> loops_of(const Function& f);

}  // namespace ardea::test
