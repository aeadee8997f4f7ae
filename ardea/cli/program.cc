#include "ardea/cli/program.h"

#include "ardea/arith/load.h"

namespace ardea::cli {

Module load_program(const std::string& program) { return arith::load_file(program); }

}  // namespace ardea::cli
