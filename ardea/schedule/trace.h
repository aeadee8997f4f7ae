#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ardea/schedule/primitive.h"

/// The steps that were taken, as data: original program + trace = final program.

namespace ardea::schedule {

/// One step: what was asked, and what came of it.
struct Instruction {
  const Primitive* primitive = nullptr;
  std::vector<Argument> arguments;  ///< one a parameter of the primitive
  std::vector<Reference> results = {};
};

struct Trace {
  std::vector<Instruction> instructions;
};

/// Names for the results of a trace: b0, l1, v2, … in the order in which they come.
using ReferenceNames = std::map<std::string, std::string>;  ///< by key_of
ReferenceNames names_of(const Trace& trace);

/// The step as a call, with every argument by its keyword: split(loop=l1, factors=[None, 16], …). A reference
/// without a name prints as what it refers to.
std::string print_call(const Instruction& instruction, const ReferenceNames& names = {});

/// A script as the seeds print it:
///   def apply_trace(sch: tir.Schedule) -> None:
///     b0 = sch.get_block(name="C", func_name="main")
std::string print(const Trace& trace);

/// [{"primitive": "split", "arguments": {"loop": "l1", …}, "results": ["l4", "l5"]}, …]
nlohmann::json to_json(const Trace& trace);

}  // namespace ardea::schedule
