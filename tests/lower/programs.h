#pragma once

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/target/target.h"

/// Small programs with odd shapes that between them use everything that lowering removes.

namespace ardea::lower {

struct Program {
  std::string name;
  std::string text;
  std::map<std::string, std::int64_t> sizes = {};  ///< of symbolic extents
  std::int64_t largest_integer = 7;                ///< in integer inputs, which start at `smallest_integer`
  std::int64_t smallest_integer = -8;
  bool approximate =
      false;  ///< uses functions that compiled code computes only nearly as the interpreter does
};

inline std::ostream& operator<<(std::ostream& out, const Program& program) { return out << program.name; }

/// All of them.
const std::vector<Program>& programs();
std::vector<Program> lane_programs();    ///< vectors, and lanes of loops under guards
std::vector<Program> memory_programs();  ///< padded rows, registers, pipelines, stages in turn

/// A target with no features of its own.
const target::Target& generic_machine();
/// The h200.
const target::Target& gpu();

/// Parsed, completed and verified.
Function function_of(const Program& program);
Function function_of(const std::string& text);

/// Arrays and numbers for the parameters, drawn from the seed.
std::vector<interp::Argument> arguments_of(const Function& f, const Program& program, std::uint64_t seed);

/// Copies that share nothing with the originals.
std::vector<interp::Argument> copies(const std::vector<interp::Argument>& arguments);

/// Where two results of one program differ, in words; empty where they do not. NaN agrees with NaN; floats
/// may be `units` apart in the last place.
std::string difference(const std::vector<interp::Argument>& a, const std::vector<interp::Argument>& b,
                       int units);

/// Where the lowered program computes something else than f, of arguments by the seed; empty where nothing
/// differs to the bit.
std::string difference_made(const Function& f, const Function& lowered, const Program& program,
                            std::uint64_t seed);

}  // namespace ardea::lower
