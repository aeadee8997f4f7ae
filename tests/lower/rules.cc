#include "rules.h"

#include <sstream>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

namespace ardea::lower {

namespace {

const std::string margin = "    ", attributes = "    T.func_attr({\"tir.noalias\": T.bool(True)})\n";

/// The lines of the text, each with `before` put in front or, where that is a prefix of it, taken away.
std::string shifted(const std::string& text, bool inwards) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (inwards)
      out += margin + line + "\n";
    else if (line.starts_with(margin))
      out += line.substr(margin.size()) + "\n";
  return out;
}

}  // namespace

std::string body_after(const std::string& pass, const std::string& body, bool no_alias) {
  const Program program{
      "rule",
      "@T.prim_func\ndef rule(X: T.Buffer((64,), \"float32\"), Y: T.Buffer((64,), \"float32\"), "
      "Z: T.Buffer((64,), \"float32\"), K: T.Buffer((64,), \"int32\"), n: T.int64):\n" +
          (no_alias ? attributes : "") + shifted(body, true)};
  const target::Target target = target::find("generic-x86_64");
  const Function before = function_of(program);
  Function after;
  for (const Pass& row : pipeline(target))
    if (row.name == pass) after = row.run(before, target);
  for (const arith::Violation& v : arith::verify(after)) ADD_FAILURE() << v.law << ": " << v.message;
  const std::vector<interp::Argument> given = arguments_of(before, program, 1);
  std::vector<interp::Argument> wanted = copies(given), got = copies(given);
  interp::run(before, wanted);
  interp::run(after, got);
  EXPECT_EQ(difference(wanted, got, 0), "") << print(before) << print(after);
  std::string text = print(after);
  text = shifted(text.substr(text.find("):\n") + 3), false);
  const std::string line = shifted(attributes, false);
  return text.starts_with(line) ? text.substr(line.size()) : text;
}

}  // namespace ardea::lower
