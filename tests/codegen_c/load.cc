#include <map>
#include <mutex>

#include "ardea/codegen/c/codegen_c.h"
#include "tests/codegen/lowered.h"
#include "tests/codegen_c/compiled_text.h"

namespace ardea::test {

/// Whatever the target and the level: the C text is the same for all, and so is what one compiler makes of
/// it. Texts are compiled once, because the laws ask for the same one on several targets.
runtime::Module load(const std::string& module_name, const std::vector<Function>& functions,
                     const target::Target&, const codegen::Options&) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<void>> known;
  const std::string text = codegen::c_source(functions, host(), {.contract = false});
  std::lock_guard lock(mutex);
  static std::vector<std::shared_ptr<void>> kept;  // a text may come again after its functions have gone
  std::shared_ptr<void> library = known[text].lock();
  if (library == nullptr) {
    std::vector<std::string> flags = strict_flags();
    for (const std::string& flag : sanitizer_flags()) flags.push_back(flag);
    library = loaded_library(text, flags);
    known[text] = library;
    kept.push_back(library);
  }
  return module_of(module_name, functions, library);
}

}  // namespace ardea::test
