#include "tests/compile/exported.h"

#include <algorithm>
#include <sstream>

#include "ardea/arith/load.h"
#include "ardea/compile/toolchain.h"
#include "tests/compile/both_ways.h"

namespace ardea::test {

namespace fs = std::filesystem;

std::vector<fs::path> export_text(const std::string& text, const Folder& folder,
                                  compile::ExportOptions options) {
  options.folder = folder.path();
  return compile::export_library(arith::load_program(text, "test.tir"), host(), options);
}

ProcessResult strict_c(const Folder& folder, std::vector<std::string> arguments) {
  const compile::CCompiler compiler = compile::find_c_compiler(host().arch);
  Command command{.program = compiler.program, .arguments = compiler.arguments, .folder = folder.path()};
  for (const char* flag : {"-std=c11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"})
    command.arguments.emplace_back(flag);
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.time_limit_s = 120;
  return run_process(command);
}

ProcessResult run_program(const Folder& folder, const std::string& program,
                          const std::map<std::string, std::string>& environment) {
  // Under emulation the programs of this machine's architecture are started as the tests are.
  std::istringstream words(ARDEA_EMULATOR);
  std::vector<std::string> line;
  for (std::string word; words >> word;) line.push_back(word);
  line.push_back((folder.path() / program).string());
  return run_process({.program = line[0],
                      .arguments = {line.begin() + 1, line.end()},
                      .folder = folder.path(),
                      .environment = environment,
                      .time_limit_s = 60});
}

std::string built_and_run(const Folder& folder, const std::vector<std::string>& others,
                          const std::map<std::string, std::string>& environment) {
  std::vector<std::string> arguments = {"main.c"};
  arguments.insert(arguments.end(), others.begin(), others.end());
  arguments.insert(arguments.end(),
                   {"-Wl,-rpath," + folder.path().string(), "-lm", "-lpthread", "-o", "main"});
  const ProcessResult compiled = strict_c(folder, arguments);
  if (!compiled.succeeded()) return "not compiled: " + compiled.error;
  const ProcessResult ran = run_program(folder, "main", environment);
  return ran.succeeded() ? ran.out : "the program " + ran.description() + ": " + ran.out + ran.error;
}

}  // namespace ardea::test
