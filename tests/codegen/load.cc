#include "ardea/codegen/llvm/codegen.h"
#include "tests/codegen/lowered.h"

namespace ardea::test {

runtime::Module load(const std::string& module_name, const std::vector<Function>& functions,
                     const target::Target& target, const codegen::Options& options) {
  return codegen::load(module_name, functions, target, options);
}

}  // namespace ardea::test
