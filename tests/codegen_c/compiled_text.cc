#include "tests/codegen_c/compiled_text.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ardea/codegen/options.h"
#include "ardea/compile/toolchain.h"
#include "ardea/support/error.h"
#include "ardea/support/subprocess.h"
#include "ardea/target/target.h"
#include "tests/support/folder.h"

namespace ardea::test {

namespace {

ProcessResult compile_text(const Folder& folder, const compile::CCompiler& compiler, const std::string& text,
                           const std::vector<std::string>& flags) {
  std::ofstream(folder.path() / "text.c") << text;
  Command command{compiler.program, compiler.arguments};
  command.folder = folder.path();
  command.arguments.insert(command.arguments.end(), {"-std=c11", "-fPIC", "-ffp-contract=off"});
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  command.arguments.emplace_back("text.c");
  command.time_limit_s = 300;
  return run_process(command);
}

}  // namespace

std::vector<std::string> strict_flags() { return {"-Wall", "-Wextra", "-Wpedantic", "-Werror"}; }

std::vector<std::string> sanitizer_flags() {
  static const std::vector<std::string> flags = [] {
    const std::vector<std::string> wanted = {"-fsanitize=undefined", "-fno-sanitize-recover=all"};
    const Folder folder;
    std::vector<std::string> linked = wanted;
    linked.insert(linked.end(), {"-shared", "-o", "text.so"});
    const ProcessResult result = compile_text(folder, compile::find_c_compiler(target::host().arch),
                                              "int one(int x) { return 1 << x; }\n", linked);
    return result.succeeded() ? wanted : std::vector<std::string>{};
  }();
  return flags;
}

std::vector<std::string> c_compilers() {
  std::vector<std::string> found;
  for (const char* program : {"gcc", "clang-19"})
    if (run_process({program, {"--version"}}).succeeded()) found.emplace_back(program);
  return found;
}

std::string complaints(const std::string& compiler, const std::string& text,
                       const std::vector<std::string>& flags) {
  const Folder folder;
  std::vector<std::string> all = strict_flags();
  all.insert(all.end(), flags.begin(), flags.end());
  const bool makes_code = std::find(flags.begin(), flags.end(), "-fsyntax-only") == flags.end();
  if (makes_code) all.insert(all.end(), {"-c", "-o", "text.o"});
  const ProcessResult result = compile_text(folder, {compiler}, text, all);
  return result.succeeded() ? "" : result.description() + "\n" + result.error.substr(0, 4000);
}

std::shared_ptr<void> loaded_library(const std::string& text, const std::vector<std::string>& flags) {
  static const compile::CCompiler compiler = compile::find_c_compiler(target::host().arch);
  const Folder folder;
  std::vector<std::string> all = {"-O1", "-shared", "-o", "text.so"};
  all.insert(all.end(), flags.begin(), flags.end());
  all.emplace_back("-lm");
  const ProcessResult result = compile_text(folder, compiler, text, all);
  if (!result.succeeded()) {
    ADD_FAILURE() << compiler.text() << " " << result.description() << "\n" << result.error.substr(0, 4000);
    return nullptr;
  }
  void* handle = dlopen((folder.path() / "text.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  return {handle, dlclose};
}

runtime::Module module_of(const std::string& module_name, const std::vector<Function>& functions,
                          const std::shared_ptr<void>& library) {
  require(library != nullptr, "{}: there is no library", module_name);
  std::vector<std::pair<std::string, runtime::Function>> loaded;
  for (const Function& f : functions) {
    void* symbol = dlsym(library.get(), codegen::entry_symbol(f.name).c_str());
    ensure(symbol != nullptr, "the library has no {}", codegen::entry_symbol(f.name));
    loaded.emplace_back(f.name,
                        runtime::Function(f.name, reinterpret_cast<ArdeaPackedFunction>(symbol), library));
  }
  return runtime::Module(module_name, std::move(loaded), library);
}

}  // namespace ardea::test
