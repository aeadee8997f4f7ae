#include "ardea/cli/script_space.h"

#include "ardea/rules/define.h"
#include "ardea/schedule/script.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"

namespace ardea::cli {

rules::ProgramSpace script_space(const Function& program, const target::Target& target,
                                 const std::string& file, const rules::SpaceOptions& options) {
  const auto steps = rules::steps_of(schedule::parse_steps(read_text_file(file), file));
  rules::ProgramSpace space = rules::program_space(program, target, steps, options);
  require(space.sketches.size() > 1 || !space.sketches[0].sketch.system.knobs().empty(),
          "{}: it samples nothing and its cfg defines nothing, so that there is nothing to choose", file);
  return space;
}

}  // namespace ardea::cli
